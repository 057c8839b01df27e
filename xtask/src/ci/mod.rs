//! `cargo xtask ci [STAGE…] [--strict]`: every check, in stages that also run alone.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use xshell::Shell;

mod report;
mod stages;

use crate::tools::Outcome;
use report::{Ran, Row, StageResult};

/// What a stage works with, and where it notes what it covered.
pub(crate) struct Run<'a> {
    pub(crate) sh: &'a Shell,
    rows: Vec<Row>,
}

impl Run<'_> {
    /// Notes a line of the matrix; it gets the stage's name and result when the stage ends.
    pub(crate) fn covers(&mut self, row: Row) {
        self.rows.push(row);
    }
}

/// A named group of checks.
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// What it checks, for the list of stages.
    pub(crate) what: &'static str,
    pub(crate) run: fn(&mut Run<'_>) -> Result<Outcome>,
}

/// Runs the stages named, or all, and prints a line for each, the matrix, and the counts. Whether all
/// is well.
pub(crate) fn run(sh: &Shell, names: &[String], strict: bool) -> Result<bool> {
    let selected = select(names)?;
    let mut results: Vec<StageResult> = Vec::new();
    let mut matrix: Vec<(Row, &str, Ran)> = Vec::new();
    for stage in selected {
        println!("\n=== {}: {}", stage.name, stage.what);
        let start = Instant::now();
        let mut run = Run {
            sh,
            rows: Vec::new(),
        };
        let ran = match (stage.run)(&mut run) {
            Ok(Outcome::Passed) => Ran::Passed,
            Ok(Outcome::Skipped(why)) if strict => {
                Ran::Failed(format!("skipped, which --strict forbids: {why}"))
            }
            Ok(Outcome::Skipped(why)) => Ran::Skipped(why),
            Err(error) => Ran::Failed(format!("{error:#}")),
        };
        matrix.extend(
            run.rows
                .into_iter()
                .map(|row| (row, stage.name, ran.clone())),
        );
        let result = StageResult {
            name: stage.name,
            ran,
            took: start.elapsed(),
        };
        println!("--- {}", report::line(&result));
        results.push(result);
    }
    print!("{}", report::summary(&results, &matrix));
    Ok(!results
        .iter()
        .any(|result| matches!(result.ran, Ran::Failed(_))))
}

/// The stages, one a line, for the help.
pub(crate) fn list() -> String {
    let line = |stage: &Stage| format!("    {:<10} {}\n", stage.name, stage.what);
    stages::STAGES.iter().map(line).collect()
}

fn select(names: &[String]) -> Result<Vec<&'static Stage>> {
    if names.is_empty() {
        return Ok(stages::STAGES.iter().collect());
    }
    let mut selected = Vec::new();
    for name in names {
        match stages::STAGES.iter().find(|stage| stage.name == name) {
            Some(stage) => selected.push(stage),
            None => bail!("no stage '{name}'; the stages are\n{}", list()),
        }
    }
    Ok(selected)
}

/// Seconds with one decimal, for people.
fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}
