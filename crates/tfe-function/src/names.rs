//! Names of values in a function's body, and what they mean.

use std::collections::HashMap;

use tfe_core::{Result, bail};
use tfe_ops::ArgSpec;

use crate::bind::{Types, type_name};

/// Where a value in a body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// An argument of the function, counted flat.
    Arg(usize),
    /// An output, counted flat, of a node.
    Node(usize, usize),
}

impl Source {
    pub(crate) fn plus(self, offset: usize) -> Self {
        match self {
            Source::Arg(i) => Source::Arg(i + offset),
            Source::Node(node, port) => Source::Node(node, port + offset),
        }
    }
}

/// A named value: as many tensors as it has types.
struct Item {
    first: Source,
    types: Types,
}

/// What the names of a body mean.
///
/// An argument `a` is a value, and so is an output `node:out`; each tensor of it is a value `a:1`, `node:out:1`. A node
/// without outputs is a value of no tensors under its own name, good for control edges.
#[derive(Default)]
pub(crate) struct Names {
    items: HashMap<Box<str>, Item>,
    /// What a control edge of that name waits for: a node, or for an argument nothing.
    owners: HashMap<Box<str>, Option<usize>>,
}

impl Names {
    /// Adds an argument whose first tensor is argument `first`.
    pub(crate) fn add_arg(&mut self, name: &str, first: usize, types: Types) -> Result<()> {
        self.add(name, Source::Arg(first), types)?;
        self.owners.insert(name.into(), None);
        Ok(())
    }

    /// Adds a node with the types of each of its outputs.
    pub(crate) fn add_node(
        &mut self,
        name: &str,
        node: usize,
        outputs: impl IntoIterator<Item = (impl AsRef<str>, Types)>,
    ) -> Result<()> {
        let mut port = None;
        for (output, types) in outputs {
            let first = port.unwrap_or(0);
            port = Some(first + types.len());
            let key = format!("{name}:{}", output.as_ref());
            self.add(&key, Source::Node(node, first), types)?;
        }
        if port.is_none() {
            self.add(name, Source::Node(node, 0), Types::new())?;
        }
        self.owners.entry(name.into()).or_insert(Some(node));
        Ok(())
    }

    fn add(&mut self, name: &str, first: Source, types: Types) -> Result<()> {
        let item = Item { first, types };
        if self.items.insert(name.into(), item).is_some() {
            let kind = match first {
                Source::Arg(_) => "arg",
                Source::Node(..) => "ret",
            };
            bail!(InvalidArgument, "Duplicated {kind} name: {name}");
        }
        Ok(())
    }

    /// The value of that name: its first tensor, and the types of all.
    pub(crate) fn find(&self, name: &str) -> Option<Value<'_>> {
        if let Some(item) = self.items.get(name) {
            return Some(Value {
                first: item.first,
                types: &item.types,
            });
        }
        let (whole, index) = name.rsplit_once(':')?;
        let index: usize = index.parse().ok().filter(|i| format!("{i}") == index)?;
        let item = self.items.get(whole)?;
        Some(Value {
            first: item.first.plus(index),
            types: item.types.get(index..=index)?,
        })
    }

    /// What `^name` waits for; `None` when there is no such name.
    pub(crate) fn control(&self, name: &str) -> Option<Option<usize>> {
        if let Some(owner) = self.owners.get(name) {
            return Some(*owner);
        }
        // TensorFlow also takes the name of a value.
        match self.find(name)?.first {
            Source::Arg(_) => Some(None),
            Source::Node(node, _) => Some(Some(node)),
        }
    }
}

/// A value that a name means.
pub(crate) struct Value<'n> {
    pub(crate) first: Source,
    pub(crate) types: &'n [Option<tfe_core::DataType>],
}

/// Finds the inputs of one argument among the names that a node gives from `*next` on.
pub(crate) fn match_inputs(
    names: &Names,
    node: &tfe_proto::tensorflow::NodeDef,
    next: &mut usize,
    arg: &ArgSpec,
    types: &Types,
    inputs: &mut Vec<Source>,
) -> Result<()> {
    let mut done = 0;
    while done < types.len() {
        let Some(name) = node.input.get(*next) else {
            bail!(
                InvalidArgument,
                "Attempt to access beyond input size: {next} >= {}",
                node.input.len()
            );
        };
        let Some(value) = names.find(name) else {
            bail!(
                InvalidArgument,
                "input {name} is not found: {{{{node {}}}}}",
                node.name
            );
        };
        if value.types.len() > types.len() - done {
            bail!(InvalidArgument, "Input {name} too long for {}", arg.name);
        }
        for (k, &given) in value.types.iter().enumerate() {
            let wanted = types[done];
            if given != wanted {
                bail!(
                    InvalidArgument,
                    "input {}[{done}] expected type {} != {}, the type of {name}[{k}]",
                    arg.name,
                    type_name(wanted),
                    type_name(given)
                );
            }
            inputs.push(value.first.plus(k));
            done += 1;
        }
        *next += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tfe_core::DataType;

    use super::*;

    #[test]
    fn a_value_has_all_of_its_names() {
        let float = Some(DataType::Float);
        let mut names = Names::default();
        names.add_arg("a", 0, vec![float; 2]).expect("new");
        names.add_arg("b", 2, vec![float]).expect("new");
        let outputs = [("x", vec![float]), ("y", vec![float; 3])];
        names.add_node("n", 7, outputs).expect("new");
        names
            .add_node("none", 8, std::iter::empty::<(&str, Types)>())
            .expect("new");
        let find = |name: &str| names.find(name).map(|v| (v.first, v.types.len()));
        assert_eq!(find("a"), Some((Source::Arg(0), 2)));
        assert_eq!(find("a:1"), Some((Source::Arg(1), 1)));
        assert_eq!(find("b:0"), Some((Source::Arg(2), 1)));
        assert_eq!(find("n:y"), Some((Source::Node(7, 1), 3)));
        assert_eq!(find("n:y:2"), Some((Source::Node(7, 3), 1)));
        assert_eq!(find("none"), Some((Source::Node(8, 0), 0)));
        for name in [
            "n", "n:0", "n:z", "n:y:3", "n:y:01", "n:y:+1", "a:2", "none:0", "a:0:0", "",
        ] {
            assert_eq!(find(name), None, "{name}");
        }
        assert_eq!(names.control("n"), Some(Some(7)));
        assert_eq!(names.control("none"), Some(Some(8)));
        assert_eq!(names.control("a"), Some(None));
        assert_eq!(names.control("nope"), None);
        let e = names.add_arg("a", 5, vec![float]).expect_err("twice");
        assert_eq!(e.message(), "Duplicated arg name: a");
        let e = names
            .add_node("n", 9, [("x", vec![float])])
            .expect_err("twice");
        assert_eq!(e.message(), "Duplicated ret name: n:x");
    }
}
