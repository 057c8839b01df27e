//! What `ci` prints: a line for each stage, the matrix of what ran, the counts.

use std::fmt::Write as _;
use std::time::Duration;

use super::seconds;

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    Passed,
    Failed(String),
    Skipped(String),
}

impl Ran {
    fn word(&self) -> &'static str {
        match self {
            Ran::Passed => "passed",
            Ran::Failed(_) => "FAILED",
            Ran::Skipped(_) => "skipped",
        }
    }
}

pub(super) struct StageResult {
    pub(super) name: &'static str,
    pub(super) ran: Ran,
    pub(super) took: Duration,
}

/// A line of the matrix: what was covered by one run of some program.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) crates: String,
    pub(crate) features: String,
    pub(crate) profile: &'static str,
    /// Through which API: `Rust`, `C 2.21`, `C 2017`, `shell`.
    pub(crate) api: &'static str,
    pub(crate) device: &'static str,
    /// `none`, `valgrind`, `address`, `thread`.
    pub(crate) sanitizer: &'static str,
}

impl Row {
    /// Rust tests on the CPU, with default features and no sanitizer.
    pub(crate) fn rust(crates: impl Into<String>, profile: &'static str) -> Row {
        Row {
            crates: crates.into(),
            features: "default".to_owned(),
            profile,
            api: "Rust",
            device: "CPU",
            sanitizer: "none",
        }
    }
}

/// `name passed 12.3 s`, with the reason when it did not.
pub(super) fn line(result: &StageResult) -> String {
    let StageResult { name, ran, took } = result;
    match ran {
        Ran::Passed => format!("{name}: passed, {}", seconds(*took)),
        Ran::Failed(why) => format!("{name}: FAILED, {}: {why}", seconds(*took)),
        Ran::Skipped(why) => format!("{name}: skipped: {why}"),
    }
}

/// The matrix, the table of stages, and the counts alone on the last line.
pub(super) fn summary(results: &[StageResult], matrix: &[(Row, &str, Ran)]) -> String {
    let mut out = String::new();
    if !matrix.is_empty() {
        let mut rows = vec![
            [
                "stage",
                "crates",
                "features",
                "profile",
                "api",
                "device",
                "sanitizer",
                "result",
            ]
            .map(str::to_owned),
        ];
        for (row, stage, ran) in matrix {
            rows.push([
                (*stage).to_owned(),
                row.crates.clone(),
                row.features.clone(),
                row.profile.to_owned(),
                row.api.to_owned(),
                row.device.to_owned(),
                row.sanitizer.to_owned(),
                ran.word().to_owned(),
            ]);
        }
        let _ = write!(out, "\nThe matrix:\n{}", table(&rows));
    }
    let mut rows = vec![["stage", "result", "time", ""].map(str::to_owned)];
    for result in results {
        let note = match &result.ran {
            Ran::Passed => "",
            // The whole text stands where the stage ran.
            Ran::Failed(why) | Ran::Skipped(why) => why.lines().next().unwrap_or_default(),
        };
        let cells = [result.name, result.ran.word(), &seconds(result.took), note];
        rows.push(cells.map(str::to_owned));
    }
    let total: Duration = results.iter().map(|result| result.took).sum();
    let _ = write!(
        out,
        "\nThe stages:\n{}\nTotal: {}\n",
        table(&rows),
        seconds(total)
    );
    let count = |word: &str| {
        results
            .iter()
            .filter(|result| result.ran.word() == word)
            .count()
    };
    let [passed, failed, skipped] = ["passed", "FAILED", "skipped"].map(count);
    let _ = writeln!(out, "{passed} passed, {failed} failed, {skipped} skipped");
    out
}

/// Columns as wide as their widest cell; the first row is the head, ruled off where it has a text.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: [usize; N] = std::array::from_fn(|column| width(column).unwrap_or(0));
    let Some((head, rest)) = rows.split_first() else {
        return String::new();
    };
    let rule: [String; N] = std::array::from_fn(|column| {
        let width = if head[column].is_empty() {
            0
        } else {
            widths[column]
        };
        "-".repeat(width)
    });
    let mut out = String::new();
    for row in [head, &rule].into_iter().chain(rest) {
        let mut line = String::from("  ");
        for (cell, width) in row.iter().zip(widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &'static str, ran: Ran, tenths: u64) -> StageResult {
        StageResult {
            name,
            ran,
            took: Duration::from_millis(100 * tenths),
        }
    }

    #[test]
    fn lines_say_how_and_how_long() {
        assert_eq!(line(&result("fmt", Ran::Passed, 12)), "fmt: passed, 1.2 s");
        assert_eq!(
            line(&result("fmt", Ran::Failed("x".into()), 0)),
            "fmt: FAILED, 0.0 s: x"
        );
        assert_eq!(
            line(&result("miri", Ran::Skipped("x".into()), 0)),
            "miri: skipped: x"
        );
    }

    #[test]
    fn the_summary_ends_with_the_counts_alone() {
        let results = [
            result("fmt", Ran::Passed, 1),
            result(
                "clippy",
                Ran::Failed("first line\nsecond line".into()),
                1230,
            ),
            result("miri", Ran::Skipped("not installed".into()), 0),
        ];
        let matrix = [(Row::rust("tfe-core", "dev"), "test", Ran::Passed)];
        let text = summary(&results, &matrix);
        assert_eq!(
            text,
            "
The matrix:
  stage  crates    features  profile  api   device  sanitizer  result
  -----  --------  --------  -------  ----  ------  ---------  ------
  test   tfe-core  default   dev      Rust  CPU     none       passed

The stages:
  stage   result   time
  ------  -------  -------
  fmt     passed   0.1 s
  clippy  FAILED   123.0 s  first line
  miri    skipped  0.0 s    not installed

Total: 123.1 s
1 passed, 1 failed, 1 skipped
"
        );
    }
}
