//! Records: what TensorFlow answers, recorded once, to be asked of any [`Runner`] or [`Session`].
//!
//! Files in `golden/` hold the vectors of one op each, independent calls; those in `golden/sequences/` calls that share
//! handles. The form of both is described beside them, in `golden/FORMAT.md`; [`record`] writes it.

mod read;
mod record;
mod sequence;

use std::path::{Path, PathBuf};

use tfe_core::{Code, Result, Tensor, err};
use tfe_ops::AttrValue;

pub use record::record;
pub use sequence::{Action, Argument, Call, Sequence, Session, Step, replay_sequence};

use crate::Runner;
use crate::compare::{Tolerance, difference};

/// The vectors of one op.
#[derive(Debug)]
pub struct Vectors {
    /// The op.
    pub op: String,
    /// The version of TensorFlow that was recorded.
    pub recorded_from: String,
    /// The calls.
    pub cases: Vec<Case>,
}

/// One recorded call.
#[derive(Debug)]
pub struct Case {
    /// Its name, unique for the op.
    pub name: String,
    /// All attributes, in the order in which they are to be set.
    pub attrs: Vec<(String, AttrValue)>,
    /// The inputs, flat.
    pub inputs: Vec<Tensor>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a recorded call.
#[derive(Debug)]
pub enum Outcome {
    /// It worked: the results, `None` where TensorFlow leaves one unspecified, and how near another must come.
    Results(Vec<Option<Tensor>>, Option<Tolerance>),
    /// It failed.
    Failure {
        /// With that code.
        code: Code,
        /// With that message; `None` where the words do not matter.
        message: Option<String>,
    },
}

impl Vectors {
    /// Reads a file's text.
    ///
    /// # Errors
    /// `InvalidArgument` saying which case is not as `FORMAT.md` has it.
    pub fn parse(json: &str) -> Result<Self> {
        read::vectors(json)
    }

    /// Reads the vectors of an op from this crate's collection.
    ///
    /// # Errors
    /// `NotFound` when there are none, else as [`parse`](Self::parse).
    pub fn of(op: &str) -> Result<Self> {
        load(&directory().join(format!("{op}.json")), Self::parse)
    }

    /// Reads all vectors of this crate's collection, by name of op.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn all() -> Result<Vec<Self>> {
        let files = files_in(&directory())?;
        files.iter().map(|file| load(file, Self::parse)).collect()
    }
}

impl Sequence {
    /// Reads all sequences of this crate's collection, by name.
    ///
    /// # Errors
    /// `InvalidArgument` saying which step is not as `FORMAT.md` has it.
    pub fn all() -> Result<Vec<Self>> {
        let files = files_in(&directory().join("sequences"))?;
        files.iter().map(|file| load(file, Self::parse)).collect()
    }
}

/// Where this crate's collection is.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

fn files_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(dir).and_then(|entries| {
        entries
            .map(|e| Ok(e?.path()))
            .collect::<std::io::Result<Vec<_>>>()
    });
    let mut files = entries.map_err(|e| err!(NotFound, "{}: {e}", dir.display()))?;
    files.retain(|file| file.extension().is_some_and(|e| e == "json"));
    files.sort();
    Ok(files)
}

fn load<T>(file: &Path, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
    let text =
        std::fs::read_to_string(file).map_err(|e| err!(NotFound, "{}: {e}", file.display()))?;
    parse(&text).map_err(|e| e.with_context(file.display()))
}

/// How many cases passed, and what was wrong with the others.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Cases that passed.
    pub passed: usize,
    /// Cases that failed with the recorded code and message, among those that passed.
    pub failures_as_recorded: usize,
    /// A line for each case that did not pass: `AddV2/row: …`.
    pub wrong: Vec<String>,
}

impl Report {
    /// Adds a case, with what is wrong with it.
    fn add<T>(&mut self, got: &Result<T>, wrong: Option<String>) {
        match wrong {
            Some(why) => self.wrong.push(why),
            None => {
                self.passed += 1;
                self.failures_as_recorded += usize::from(got.is_err());
            }
        }
    }

    /// Adds another's figures.
    pub fn merge(&mut self, other: Report) {
        self.passed += other.passed;
        self.failures_as_recorded += other.failures_as_recorded;
        self.wrong.extend(other.wrong);
    }

    /// Ends the test unless every case passed, and there were any.
    ///
    /// # Panics
    /// When a case did not pass, with all lines.
    pub fn assert_passed(&self) {
        assert!(
            self.wrong.is_empty() && self.passed > 0,
            "{} cases passed, {} did not:\n{}",
            self.passed,
            self.wrong.len(),
            self.wrong.join("\n")
        );
    }
}

/// Puts all cases through a runner.
pub fn replay(vectors: &Vectors, runner: &(impl Runner + ?Sized)) -> Report {
    let mut report = Report::default();
    for case in &vectors.cases {
        let got = runner.run(&vectors.op, &case.attrs, &case.inputs);
        let got = got.map(|results| results.into_iter().map(Some).collect());
        let wrong = judge(&case.outcome, &got);
        report.add(
            &got,
            wrong.map(|why| format!("{}/{}: {why}", vectors.op, case.name)),
        );
    }
    report
}

/// What is wrong with an outcome, `None` when it is as recorded. A handle to a resource has no tensor.
fn judge(recorded: &Outcome, got: &Result<Vec<Option<Tensor>>>) -> Option<String> {
    match (recorded, got) {
        (Outcome::Results(want, tolerance), Ok(got)) => {
            if want.len() != got.len() {
                return Some(format!("{} results, wanted {}", got.len(), want.len()));
            }
            let pairs = want.iter().zip(got).enumerate();
            pairs.into_iter().find_map(|(i, (want, got))| {
                let why = match (want.as_ref()?, got) {
                    (want, Some(got)) => difference(want, got, *tolerance)?,
                    (_, None) => "is a handle to a resource".to_owned(),
                };
                Some(format!("result {i}: {why}"))
            })
        }
        (Outcome::Results(..), Err(e)) => Some(format!("failed: {e}")),
        (Outcome::Failure { code, message }, Ok(_)) => {
            Some(format!("worked, wanted {}: {message:?}", code.name()))
        }
        (Outcome::Failure { code, message }, Err(e)) => {
            let core = message.as_deref().and_then(core_of);
            let same =
                e.code() == *code && core.is_none_or(|core| core_of(e.message()) == Some(core));
            (!same).then(|| format!("failed with {e}, wanted {}: {message:?}", code.name()))
        }
    }
}

/// The part of a message that does not depend on where the call was made: the first line, without the dump of the
/// node; `None` when that names nodes, kernels or places in source files.
fn core_of(message: &str) -> Option<&str> {
    let line = message.lines().next().unwrap_or_default();
    let core = line
        .split("; NodeDef")
        .next()
        .unwrap_or_default()
        .trim_end();
    let stable = ["{{node", "[[", "goo.gle", "_Mkl"]
        .iter()
        .all(|word| !core.contains(word));
    stable.then_some(core)
}

#[cfg(test)]
mod tests {
    use tfe_core::Error;

    use super::*;

    #[test]
    fn outcomes_are_judged() {
        let tensor = |v: f32| Tensor::scalar(v).expect("memory");
        let results = Outcome::Results(vec![Some(tensor(1.0)), None], None);
        let judged = |outcome, got: Result<Vec<Tensor>>| {
            judge(outcome, &got.map(|v| v.into_iter().map(Some).collect())).is_some()
        };
        assert!(!judged(&results, Ok(vec![tensor(1.0), tensor(5.0)])));
        assert!(judged(&results, Ok(vec![tensor(2.0), tensor(5.0)])));
        assert!(judged(&results, Ok(vec![tensor(1.0)])));
        assert!(judged(&results, Err(Error::new(Code::Internal, "x"))));

        let failure = |message: &str| Outcome::Failure {
            code: Code::InvalidArgument,
            message: Some(message.to_owned()),
        };
        let e = |code, message: &'static str| Err(Error::new(code, message));
        let plain = failure("no such axis\n\t; NodeDef: x");
        assert!(!judged(
            &plain,
            e(Code::InvalidArgument, "no such axis\n\top Sum")
        ));
        assert!(judged(
            &plain,
            e(Code::InvalidArgument, "no such axis, sorry")
        ));
        assert!(judged(&plain, e(Code::Internal, "no such axis")));
        assert!(judged(&plain, Ok(vec![])));
        assert!(judge(&results, &Ok(vec![None, None])).is_some());
        let node = failure("{{node x}} is bad");
        assert!(!judged(&node, e(Code::InvalidArgument, "anything")));
    }
}
