//! Sequences: recorded calls that go one after the other and share handles, such as those to variables.

use std::collections::BTreeMap;

use serde_json::Value;
use tfe_core::{Result, Tensor, bail, ensure, err};

use super::read::{array, attrs, file_of, int, list, member, outcome, tensor, text};
use super::{Outcome, Report, judge};

/// A recorded sequence of calls.
#[derive(Debug)]
pub struct Sequence {
    /// Its name: that of the file.
    pub name: String,
    /// The version of TensorFlow that was recorded.
    pub recorded_from: String,
    /// What is done.
    pub steps: Vec<Step>,
}

/// One step of a sequence.
#[derive(Debug)]
pub struct Step {
    /// What is done.
    pub action: Action,
    /// Names for the handles that come of it, in order.
    pub keep: Vec<String>,
    /// The device that the first handle has to be on.
    pub on: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What a step does.
#[derive(Debug)]
pub enum Action {
    /// Calls an op.
    Call(Call),
    /// Makes a handle of a tensor.
    Let(Tensor),
    /// Copies to a device.
    Copy(String, String),
    /// Looks at a handle.
    Show(String),
    /// Deletes a handle.
    Delete(String),
    /// Makes a context and goes on in it, or goes back to it.
    Context(String),
    /// Clears the caches of the context.
    ClearCaches,
}

/// A call of an op.
#[derive(Debug)]
pub struct Call {
    /// The op.
    pub op: String,
    /// The device that is asked for.
    pub device: Option<String>,
    /// Attributes, set in this order after the inputs.
    pub attrs: Vec<(String, tfe_ops::AttrValue)>,
    /// Inputs.
    pub inputs: Vec<Argument<String>>,
    /// How many results the caller has room for.
    pub room: usize,
}

impl Call {
    /// A call without inputs or attributes.
    pub fn of(op: &str) -> Self {
        Self {
            op: op.to_owned(),
            device: None,
            attrs: Vec::new(),
            inputs: Vec::new(),
            room: ROOM,
        }
    }
}

/// An input, or the inputs of a list argument that are added at once; `H` stands for a handle.
#[derive(Clone, Debug)]
pub enum Argument<H> {
    /// A handle.
    Handle(H),
    /// A tensor.
    Tensor(Tensor),
    /// A list argument.
    List(Vec<Argument<H>>),
}

/// Room for results where a step says nothing.
const ROOM: usize = 64;

/// Something that can make the calls of a sequence: a context.
pub trait Session {
    /// A handle to a tensor or a resource.
    type Handle: Clone;

    /// Makes a handle.
    ///
    /// # Errors
    /// What the implementation reports.
    fn handle(&self, tensor: &Tensor) -> Result<Self::Handle>;

    /// Executes a call; inputs are handles and lists of handles.
    ///
    /// # Errors
    /// What the implementation reports.
    fn call(&self, call: &Call, inputs: &[Argument<Self::Handle>]) -> Result<Vec<Self::Handle>>;

    /// Copies to a device.
    ///
    /// # Errors
    /// What the implementation reports.
    fn copy(&self, handle: &Self::Handle, device: &str) -> Result<Self::Handle>;

    /// The name of the device that a handle is on.
    ///
    /// # Errors
    /// What the implementation reports.
    fn device(&self, handle: &Self::Handle) -> Result<String>;

    /// The tensor; `None` for a handle to a resource.
    ///
    /// # Errors
    /// What the implementation reports.
    fn value(&self, handle: &Self::Handle) -> Result<Option<Tensor>>;

    /// Forgets kernels.
    fn clear_caches(&self);

    /// What records of it say that they were made with.
    fn version(&self) -> String;
}

impl Sequence {
    pub(super) fn parse(json: &str) -> Result<Self> {
        let (file, recorded_from) = file_of(json)?;
        let name = text(member(&file, "sequence")?)?.to_owned();
        let steps = array(member(&file, "cases")?)?.iter().enumerate();
        let steps = steps.map(|(i, value)| {
            step(value).map_err(|e| e.with_context(format_args!("{name}, step {i}")))
        });
        Ok(Self {
            steps: steps.collect::<Result<_>>()?,
            name,
            recorded_from,
        })
    }

    /// The ops that are called.
    pub fn ops(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.action {
            Action::Call(call) => Some(&*call.op),
            _ => None,
        })
    }
}

pub(super) fn step(value: &Value) -> Result<Step> {
    let word = |name: &str| value.get(name).map(|v| Ok(text(v)?.to_owned())).transpose();
    let action = if let Some(op) = word("op")? {
        let room = value.get("room").map(int).transpose()?;
        Action::Call(Call {
            op,
            device: word("device")?,
            attrs: attrs(value)?,
            inputs: list(member(value, "inputs")?, argument)?,
            room: room.map_or(ROOM, |room| room as usize),
        })
    } else if let Some(handle) = word("copy")? {
        Action::Copy(handle, text(member(value, "device")?)?.to_owned())
    } else if let Some(handle) = word("show")? {
        Action::Show(handle)
    } else if let Some(handle) = word("delete")? {
        Action::Delete(handle)
    } else if let Some(name) = word("context")? {
        Action::Context(name)
    } else if value.get("clear_caches").is_some() {
        Action::ClearCaches
    } else if let Some(value) = value.get("let") {
        Action::Let(tensor(value)?)
    } else {
        bail!(InvalidArgument, "a step of no known kind");
    };
    let keep = value
        .get("keep")
        .map_or(Ok(Vec::new()), |v| list(v, text))?;
    let silent = value.get("outputs").is_none() && value.get("error").is_none();
    Ok(Step {
        action,
        keep: keep.into_iter().map(str::to_owned).collect(),
        on: word("on")?,
        outcome: if silent {
            Outcome::Results(Vec::new(), None)
        } else {
            outcome(value)?
        },
    })
}

fn argument(value: &Value) -> Result<Argument<String>> {
    if value.is_array() {
        return Ok(Argument::List(list(value, argument)?));
    }
    match value.get("handle") {
        Some(name) => Ok(Argument::Handle(text(name)?.to_owned())),
        None => Ok(Argument::Tensor(tensor(value)?)),
    }
}

/// What came of a step: the values, and where the first of them is.
pub(super) type Got = (Result<Vec<Option<Tensor>>>, Option<String>);

/// The contexts and handles of a sequence that is under way.
pub(super) struct Replay<'s, S: Session> {
    open: &'s dyn Fn() -> S,
    current: String,
    // Handles go before their contexts.
    handles: BTreeMap<String, S::Handle>,
    contexts: BTreeMap<String, S>,
}

impl<'s, S: Session> Replay<'s, S> {
    pub(super) fn new(open: &'s dyn Fn() -> S) -> Self {
        let mut replay = Self {
            open,
            current: String::new(),
            handles: BTreeMap::new(),
            contexts: BTreeMap::new(),
        };
        replay.go_to("first");
        replay
    }

    fn go_to(&mut self, context: &str) {
        context.clone_into(&mut self.current);
        self.contexts
            .entry(self.current.clone())
            .or_insert_with(self.open);
    }

    /// See [`Session::version`].
    pub(super) fn version(&self) -> String {
        self.contexts[&self.current].version()
    }

    fn named(&self, name: &str) -> Result<S::Handle> {
        let handle = self.handles.get(name).cloned();
        handle.ok_or_else(|| err!(Internal, "the sequence has no handle '{name}'"))
    }

    fn resolve(&self, argument: &Argument<String>) -> Result<Argument<S::Handle>> {
        Ok(match argument {
            Argument::Handle(name) => Argument::Handle(self.named(name)?),
            Argument::Tensor(tensor) => {
                Argument::Handle(self.contexts[&self.current].handle(tensor)?)
            }
            Argument::List(list) => Argument::List(
                list.iter()
                    .map(|a| self.resolve(a))
                    .collect::<Result<_>>()?,
            ),
        })
    }

    /// Does a step; no values come of one that has nothing to show.
    pub(super) fn step(&mut self, step: &Step) -> Got {
        match self.handles_of(step) {
            Ok(handles) => {
                let session = &self.contexts[&self.current];
                let shown = !matches!(step.action, Action::Let(_));
                let values = handles.iter().filter(|_| shown).map(|h| session.value(h));
                let values = values.collect();
                let on = handles.first().and_then(|h| session.device(h).ok());
                self.handles.extend(step.keep.iter().cloned().zip(handles));
                (values, on)
            }
            Err(e) => (Err(e), None),
        }
    }

    fn handles_of(&mut self, step: &Step) -> Result<Vec<S::Handle>> {
        let session = &self.contexts[&self.current];
        Ok(match &step.action {
            Action::Call(call) => {
                let inputs = call.inputs.iter().map(|a| self.resolve(a));
                let inputs = inputs.collect::<Result<Vec<_>>>()?;
                session.call(call, &inputs)?
            }
            Action::Let(tensor) => vec![session.handle(tensor)?],
            Action::Copy(name, device) => vec![session.copy(&self.named(name)?, device)?],
            Action::Show(name) => vec![self.named(name)?],
            Action::Delete(name) => {
                let known = self.handles.remove(name).is_some();
                ensure!(known, Internal, "the sequence has no handle '{name}'");
                Vec::new()
            }
            Action::Context(name) => {
                self.go_to(name);
                Vec::new()
            }
            Action::ClearCaches => {
                session.clear_caches();
                Vec::new()
            }
        })
    }
}

/// Does all steps, each context made by `open`.
pub fn replay_sequence<S: Session>(sequence: &Sequence, open: &dyn Fn() -> S) -> Report {
    let mut report = Report::default();
    let mut replay = Replay::new(open);
    for (i, step) in sequence.steps.iter().enumerate() {
        let (got, on) = replay.step(step);
        let elsewhere = step.on.as_ref().filter(|want| on.as_ref() != Some(want));
        let wrong = judge(&step.outcome, &got)
            .or_else(|| elsewhere.map(|want| format!("it is on {on:?}, wanted {want}")));
        let what = match &step.action {
            Action::Call(call) => &call.op,
            other => &format!("{other:?}"),
        };
        report.add(
            &got,
            wrong.map(|why| format!("{}, step {i}, {what}: {why}", sequence.name)),
        );
    }
    report
}
