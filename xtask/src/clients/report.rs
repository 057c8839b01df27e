//! What came of the tests of a client: which failures are excused, and whether the list of exceptions is true.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

/// How a test ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Passed,
    /// And what it said.
    Failed(String),
    /// By the client's own choice.
    Skipped,
}

pub(super) struct Test {
    pub(super) name: String,
    pub(super) ended: Ended,
    /// The ops that it called.
    pub(super) ops: Vec<String>,
}

/// Tests that are known to fail, by name, with the reason: `NAME<TAB>REASON` lines.
pub(super) type Exceptions = BTreeMap<String, String>;

pub(super) fn exceptions(path: &Path) -> Result<Exceptions> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let lines = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (name, reason) = line.split_once('\t')?;
        Some((name.to_owned(), reason.to_owned()))
    };
    lines
        .map(|line| entry(line).with_context(|| format!("{}: no reason: {line}", path.display())))
        .collect()
}

/// The ops that have a kernel: the first column of the table in `docs/ops.md`.
pub(super) fn ops_with_kernels(page: &str) -> BTreeSet<&str> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| "));
    let cells = rows.filter_map(|row| Some(row.split_once(" | ")?.0));
    cells.filter(|cell| *cell != "op").collect()
}

/// Prints the counts. An error where a test fails that neither an exception nor an op without a kernel explains, or
/// where an exception is none.
pub(super) fn judge(
    client: &str,
    tests: &[Test],
    exceptions: &Exceptions,
    kernels: &BTreeSet<&str>,
) -> Result<()> {
    let (mut passed, mut skipped, mut excepted) = (0, 0, 0);
    let mut missing: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    let mut known: BTreeSet<&str> = exceptions.keys().map(String::as_str).collect();
    for Test { name, ended, ops } in tests {
        let excepted_here = known.remove(&name[..]);
        // An op without a kernel ends a test: it is the last.
        let lacks = ops.iter().rev().find(|op| !kernels.contains(&op[..]));
        match (ended, lacks) {
            (Ended::Passed, _) if excepted_here => {
                faults.push(format!("{name}: is an exception, and passes"));
            }
            (Ended::Passed, _) => passed += 1,
            (Ended::Skipped, _) => skipped += 1,
            (Ended::Failed(_), _) if excepted_here => excepted += 1,
            (Ended::Failed(_), Some(op)) => *missing.entry(op).or_default() += 1,
            (Ended::Failed(said), None) => {
                let said: Vec<_> = said.lines().take(4).collect();
                faults.push(format!("{name}: {}", said.join(" ")));
            }
        }
    }
    faults.extend(
        known
            .iter()
            .map(|name| format!("{name}: is an exception, and no test")),
    );
    let lacking: usize = missing.values().sum();
    println!(
        "{client}: {passed} passed, {lacking} failed for want of {} ops, {excepted} as listed, {} otherwise; \
         {skipped} skipped",
        missing.len(),
        faults.len()
    );
    let mut missing: Vec<_> = missing.into_iter().collect();
    missing.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (op, count) in missing {
        println!("  {count:4} for want of {op}");
    }
    ensure!(
        faults.is_empty(),
        "{} unexplained:\n{}",
        faults.len(),
        faults.join("\n")
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge_one(ended: Ended, ops: &[&str], exception: Option<&str>) -> Result<(), String> {
        let test = Test {
            name: "t".to_owned(),
            ended,
            ops: ops.iter().map(|op| (*op).to_owned()).collect(),
        };
        let exceptions = exception.map(|name| (name.to_owned(), "why".to_owned()));
        let kernels = ops_with_kernels("# Ops\n\n| op | device |\n|---|---|\n| Add | CPU |\n");
        judge("c", &[test], &exceptions.into_iter().collect(), &kernels)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn failures_want_a_reason() {
        let failed = || Ended::Failed("bad".to_owned());
        assert_eq!(judge_one(Ended::Passed, &["Add"], None), Ok(()));
        assert_eq!(judge_one(Ended::Skipped, &[], Some("t")), Ok(()));
        assert_eq!(judge_one(failed(), &["Add", "Conv2D"], None), Ok(()));
        assert_eq!(judge_one(failed(), &["Add"], Some("t")), Ok(()));
        assert!(
            judge_one(failed(), &["Add"], None)
                .unwrap_err()
                .ends_with("t: bad")
        );
    }

    #[test]
    fn exceptions_must_be_true() {
        let passes = judge_one(Ended::Passed, &[], Some("t")).unwrap_err();
        assert!(passes.contains("t: is an exception, and passes"));
        let gone = judge_one(Ended::Passed, &[], Some("other")).unwrap_err();
        assert!(gone.contains("other: is an exception, and no test"));
    }
}
