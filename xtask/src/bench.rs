//! `cargo xtask bench`: the criterion benchmarks, or the C benchmark side by side with another library.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::dist::{self, Variant};
use crate::tools::{cargo, has_program, target_dir};

/// The order of the two libraries flips from round to round, since the machine's speed drifts.
const ROUNDS: usize = 5;

/// Runs the criterion benchmarks; with `vs`, the C benchmark on this library and that one in turn, on one core.
pub(crate) fn run(sh: &Shell, vs: Option<&str>) -> Result<()> {
    match vs {
        Some(other) => compare(sh, other),
        None => Ok(cargo(sh).args(["bench", "-p", "tfe-benches"]).run()?),
    }
}

/// Runs the body of each benchmark once, to see that it still works; the C one on the library of `variant`.
pub(crate) fn smoke(sh: &Shell) -> Result<()> {
    // Not the bench profile: its LTO would take minutes for nothing.
    cargo(sh)
        .args([
            "bench",
            "--profile",
            "ci",
            "-p",
            "tfe-benches",
            "--benches",
            "--",
            "--test",
        ])
        .run()?;
    Ok(())
}

/// Compiles the C benchmark.
fn compile(sh: &Shell) -> Result<PathBuf> {
    let program = target_dir().join("bench");
    cmd!(sh, "cc -std=gnu11 -O2 -Wall -Wextra -Icrates/tfe-capi/include -Icrates/tfe-capi/tests/c benches/c/bench.c -o {program} -ldl -lpthread")
        .run()?;
    Ok(program)
}

fn compare(sh: &Shell, other: &str) -> Result<()> {
    let other = std::fs::canonicalize(other).with_context(|| format!("no library at {other}"))?;
    let program = compile(sh)?;
    let ours =
        std::fs::canonicalize(dist::build(sh, Variant::Release)?.join("lib/libtensorflow.so.2"))?;
    let libraries = [other, ours];
    let mut rows = [Rows::default(), Rows::default()];
    for round in 0..ROUNDS {
        for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            let library = &libraries[which];
            // One core: thread pools and the scheduler would be what is compared.
            let run = if has_program("taskset") {
                cmd!(sh, "taskset -c 1 {program} {library} -t 1")
            } else {
                cmd!(sh, "{program} {library} -t 1")
            };
            rows[which].add(&run.quiet().read()?)?;
        }
    }
    print!("{}", table(&rows[0], &rows[1]));
    Ok(())
}

/// The medians of each case over the rounds, in the order of the program.
#[derive(Default)]
struct Rows {
    order: Vec<String>,
    medians: BTreeMap<String, Vec<f64>>,
}

impl Rows {
    fn add(&mut self, output: &str) -> Result<()> {
        for line in output.lines() {
            let mut fields = line.split('\t');
            let (name, median) = (fields.next().unwrap_or_default(), fields.next());
            let median: f64 = median
                .and_then(|m| m.parse().ok())
                .with_context(|| format!("no row: {line}"))?;
            ensure!(median > 0.0, "{name} took no time");
            if !self.medians.contains_key(name) {
                self.order.push(name.to_owned());
            }
            self.medians
                .entry(name.to_owned())
                .or_default()
                .push(median);
        }
        Ok(())
    }

    fn median(&self, name: &str) -> Option<f64> {
        let mut values = self.medians.get(name)?.clone();
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied()
    }
}

/// A line a case with the ratio of the medians, the ratios of the single rounds from worst to best, and a geometric mean a
/// group: the part of the name before the slash.
fn table(theirs: &Rows, ours: &Rows) -> String {
    let mut out = format!(
        "{:<36}{:>14}{:>14}{:>9}   {}\n",
        "case", "theirs", "ours", "ratio", "rounds (above 1: ours is better)"
    );
    let mut groups: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for name in &theirs.order {
        let (Some(t), Some(o)) = (theirs.median(name), ours.median(name)) else {
            continue;
        };
        let rounds = theirs.medians[name]
            .iter()
            .zip(&ours.medians[name])
            .map(|(t, o)| t / o);
        let (low, high) = rounds.fold((f64::INFINITY, 0.0f64), |(l, h), r| (l.min(r), h.max(r)));
        out += &format!(
            "{name:<36}{t:>14.1}{o:>14.1}{:>9.2}   {low:.2} to {high:.2}\n",
            t / o
        );
        groups
            .entry(name.split(['/', '_']).next().unwrap_or(name))
            .or_default()
            .push(t / o);
    }
    out.push('\n');
    for (group, ratios) in groups {
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        out += &format!(
            "geometric mean of {group:<18}{mean:>9.2}   {} cases\n",
            ratios.len()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_theirs_over_ours() {
        let mut theirs = Rows::default();
        let mut ours = Rows::default();
        for (t, o) in [(100.0, 10.0), (400.0, 20.0), (200.0, 10.0)] {
            theirs
                .add(&format!("kernel/A\t{t}\t1\t2\nBM_B\t8\t1\t2"))
                .expect("rows");
            ours.add(&format!("kernel/A\t{o}\t1\t2\nBM_B\t2\t1\t2"))
                .expect("rows");
        }
        let table = table(&theirs, &ours);
        assert!(table.contains("kernel/A                                     200.0          10.0    20.00   10.00 to 20.00"), "{table}");
        assert!(
            table.contains("geometric mean of BM                     4.00   1 cases"),
            "{table}"
        );
        assert!(Rows::default().add("noise").is_err());
    }
}
