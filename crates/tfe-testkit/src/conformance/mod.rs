//! Conformance: every op in a suite, for every data type, on any device or runtime, against a plain reference.
//!
//! A suite has samples for each combination of its type attributes, and what comes of them, computed here by loops over
//! single elements in `f64` and `i128` that share nothing with the kernels. [`run`] takes every combination there is:
//! - a data type that the op's definition excludes has to give `InvalidArgument`,
//! - one that no kernel is declared for has to give the suite's code, `NotFound` as a rule,
//! - one that a kernel is declared for has to pass all samples, and there have to be some.
//!
//! Whoever runs it says what is declared: [`declared_by`] asks a registry of kernels, [`declared_by_tensorflow`] the
//! recorded facts. What does not work yet is listed with a reason ([`Unsupported`]); an entry that passes is an error.

pub mod data;
mod facts;
mod index;
mod ops;
pub mod references;
mod unsupported;
mod variables;

use tfe_attrs::AttrValue;
use tfe_core::{Code, DTypeSet, DataType, Result, Tensor};
use tfe_device::KernelRegistry;
use tfe_ops::{Allowed, OpRegistry};

use crate::Runner;
use crate::compare::{Tolerance, difference};

pub use facts::{declared_by_tensorflow, facts_differ};
pub use ops::suites;
pub use unsupported::Unsupported;
pub use variables::variables;

/// One call and what should come of it.
#[derive(Debug)]
pub struct Sample {
    /// What it shows.
    pub name: String,
    /// Attributes, inferred ones included.
    pub attrs: Vec<(String, AttrValue)>,
    /// Inputs, flat.
    pub inputs: Vec<Tensor>,
    /// What should come of it.
    pub want: Want,
}

/// What should come of a sample.
#[derive(Debug)]
pub enum Want {
    /// These results, so near.
    Results(Vec<Tensor>, Option<Tolerance>),
    /// An error of that code.
    Failure(Code),
}

impl Want {
    /// What is wrong with an outcome, `None` when it is as wanted.
    pub fn judge(&self, got: &Result<Vec<Tensor>>) -> Option<String> {
        match self {
            Want::Failure(code) => wrong_code(got, *code),
            Want::Results(want, tolerance) => wrong_results(want, *tolerance, got),
        }
    }

    fn exactly(result: Tensor) -> Self {
        Self::Results(vec![result], None)
    }

    fn about(result: Tensor, tolerance: Option<Tolerance>) -> Self {
        Self::Results(vec![result], tolerance)
    }
}

/// All that is known of how an op should behave.
#[derive(Clone, Copy, Debug)]
pub struct Suite {
    /// The op.
    pub op: &'static str,
    /// The type attributes that samples are made for, each with every data type.
    pub types: &'static [&'static str],
    /// The samples for one data type an attribute.
    pub samples: fn(&[DataType]) -> Result<Vec<Sample>>,
    /// Attributes and inputs of a call that would be right but for its data types.
    pub plain: fn(&[DataType]) -> Result<Call>,
    /// What a call without a kernel gives.
    pub without_kernel: Code,
}

/// Attributes and inputs.
pub type Call = (Vec<(String, AttrValue)>, Vec<Tensor>);

/// Whether a kernel is declared for an op with these type attributes.
pub type Declared<'a> = dyn Fn(&Suite, &[DataType]) -> bool + 'a;

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Samples that passed.
    pub passed: usize,
    /// Combinations without a kernel that gave the right code.
    pub refused: usize,
    /// Samples that failed as the list of unsupported ones says.
    pub unsupported: usize,
    /// A line for each thing that is wrong.
    pub wrong: Vec<String>,
}

impl Summary {
    /// Ends the test unless all is well, and something was tried.
    ///
    /// # Panics
    /// When something is wrong, with all lines.
    pub fn assert_passed(&self) {
        assert!(
            self.wrong.is_empty() && self.passed > 0,
            "{} samples passed, {} calls were refused, {} things are wrong:\n{}",
            self.passed,
            self.refused,
            self.wrong.len(),
            self.wrong.join("\n")
        );
    }
}

/// Runs all suites with the data types of `among`.
pub fn run(
    runner: &dyn Runner,
    declared: &Declared<'_>,
    among: DTypeSet,
    unsupported: &Unsupported,
) -> Summary {
    let mut summary = Summary::default();
    let mut checks = unsupported.checks();
    let ops = OpRegistry::new();
    for suite in suites() {
        for types in combinations(suite.types.len(), among) {
            let id = id(&suite, &types);
            let outcomes = match expectation(&ops, &suite, &types, declared) {
                Some(code) => vec![("refused".to_owned(), refused(runner, &suite, &types, code))],
                None => all_samples(runner, &suite, &types),
            };
            for (name, outcome) in outcomes {
                let id = format!("{id}/{name}");
                match (outcome, checks.covers(&id)) {
                    (None, false) if name == "refused" => summary.refused += 1,
                    (None, false) => summary.passed += 1,
                    (None, true) => summary
                        .wrong
                        .push(format!("{id}: listed as unsupported, but passes")),
                    (Some(_), true) => summary.unsupported += 1,
                    (Some(why), false) => summary.wrong.push(format!("{id}: {why}")),
                }
            }
        }
    }
    let idle = checks
        .idle()
        .map(|entry| format!("{entry}: listed as unsupported, but there is no such sample"));
    summary.wrong.extend(idle);
    summary
}

/// `MatMul/T=float`.
fn id(suite: &Suite, types: &[DataType]) -> String {
    let types: Vec<_> = suite
        .types
        .iter()
        .zip(types)
        .map(|(a, d)| format!("{a}={d}"))
        .collect();
    if types.is_empty() {
        suite.op.to_owned()
    } else {
        format!("{}/{}", suite.op, types.join(","))
    }
}

/// The code with which a call has to fail for its types; `None` when it has to work.
fn expectation(
    ops: &OpRegistry,
    suite: &Suite,
    types: &[DataType],
    declared: &Declared<'_>,
) -> Option<Code> {
    if !allowed(ops, suite, types) {
        return Some(Code::InvalidArgument);
    }
    (!declared(suite, types)).then_some(suite.without_kernel)
}

/// Whether the op's definition allows these types.
fn allowed(ops: &OpRegistry, suite: &Suite, types: &[DataType]) -> bool {
    let Some(spec) = ops.lookup(suite.op) else {
        return false;
    };
    let attr = |name: &&str| spec.attr(name).map(|attr| &attr.allowed);
    suite
        .types
        .iter()
        .zip(types)
        .all(|(name, &dtype)| match attr(name) {
            Some(Allowed::Types(set)) => set.contains(dtype),
            _ => true,
        })
}

fn refused(runner: &dyn Runner, suite: &Suite, types: &[DataType], code: Code) -> Option<String> {
    let run =
        (suite.plain)(types).and_then(|(attrs, inputs)| runner.run(suite.op, &attrs, &inputs));
    wrong_code(&run, code)
}

fn wrong_code(got: &Result<Vec<Tensor>>, wanted: Code) -> Option<String> {
    match got {
        Err(e) if e.code() == wanted => None,
        Err(e) => Some(format!("failed with {e}, wanted {}", wanted.name())),
        Ok(_) => Some(format!("works, wanted {}", wanted.name())),
    }
}

fn all_samples(
    runner: &dyn Runner,
    suite: &Suite,
    types: &[DataType],
) -> Vec<(String, Option<String>)> {
    let samples = match (suite.samples)(types) {
        Ok(samples) => samples,
        Err(e) => return vec![("samples".to_owned(), Some(format!("cannot be made: {e}")))],
    };
    if samples.is_empty() {
        return vec![("samples".to_owned(), Some("there are none".to_owned()))];
    }
    let judged = samples.into_iter().map(|sample| {
        let got = runner.run(suite.op, &sample.attrs, &sample.inputs);
        let why = sample.want.judge(&got);
        (sample.name, why)
    });
    judged.collect()
}

fn wrong_results(
    want: &[Tensor],
    tolerance: Option<Tolerance>,
    got: &Result<Vec<Tensor>>,
) -> Option<String> {
    let got = match got {
        Ok(got) => got,
        Err(e) => return Some(format!("failed: {e}")),
    };
    if got.len() != want.len() {
        return Some(format!("{} results, wanted {}", got.len(), want.len()));
    }
    let pairs = want.iter().zip(got).enumerate();
    pairs.into_iter().find_map(|(i, (want, got))| {
        difference(want, got, tolerance).map(|why| format!("result {i}: {why}"))
    })
}

/// Every way to give each of `n` attributes a data type of the set.
fn combinations(n: usize, among: DTypeSet) -> Vec<Vec<DataType>> {
    (0..n).fold(vec![Vec::new()], |all, _| {
        let longer = all.iter().flat_map(|types| {
            among.iter().map(move |dtype| {
                let mut types = types.clone();
                types.push(dtype);
                types
            })
        });
        longer.collect()
    })
}

/// What a registry declares for devices of a type.
pub fn declared_by<'a>(
    kernels: &'a KernelRegistry,
    device_type: &'a str,
) -> impl Fn(&Suite, &[DataType]) -> bool + 'a {
    let ops = OpRegistry::new();
    move |suite, types| {
        let Some(spec) = ops.lookup(suite.op) else {
            return false;
        };
        kernels
            .kernels(spec.id())
            .iter()
            .filter(|k| k.device == device_type)
            .any(|kernel| {
                suite.types.iter().zip(types).all(|(name, &dtype)| {
                    kernel
                        .types
                        .iter()
                        .all(|(attr, set)| attr != name || set.contains(dtype))
                })
            })
    }
}
