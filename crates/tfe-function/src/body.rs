//! `Body`: one function with its attributes bound, names resolved, and everything checked that TensorFlow checks.

use std::collections::HashSet;
use std::sync::Arc;

use tfe_attrs::{AttrBuilder, Attrs};
use tfe_core::{DataType, Error, Result, bail, ensure, err};
use tfe_ops::{ArgCount, ArgSpec, ArgType, OpRegistry, OpSpec, did_you_mean_sentence};
use tfe_proto::tensorflow::NodeDef;

use crate::Function;
use crate::bind::{self, Attributes, MOST_TENSORS, Types, type_names};
use crate::names::{Names, Source, match_inputs};
use crate::wires::{Wires, check_acyclic};

/// No body has more tensors than this, whatever its attributes say.
const MOST_VALUES: usize = 64 * MOST_TENSORS;

/// Where ops and functions are looked up.
pub(crate) trait Scope<'r> {
    fn ops(&self) -> &'r OpRegistry;
    fn function(&self, name: &str) -> Option<Arc<Function>>;
    fn functions(&self) -> Vec<Arc<Function>>;
}

/// What a node calls.
pub(crate) enum Callee<'r> {
    Op(&'r OpSpec, Attrs),
    Function(Arc<Function>, Attributes),
}

/// A node of a body.
pub(crate) struct BodyNode<'r> {
    pub(crate) callee: Callee<'r>,
    pub(crate) inputs: Vec<Source>,
    /// Nodes that have to be done before.
    pub(crate) controls: Vec<usize>,
    pub(crate) outputs: Vec<DataType>,
}

/// A function with its attributes bound.
pub(crate) struct Body<'r> {
    pub(crate) function: Arc<Function>,
    pub(crate) args: Vec<DataType>,
    /// As many as the definition has nodes, in the same order.
    pub(crate) nodes: Vec<BodyNode<'r>>,
    pub(crate) results: Vec<(Source, DataType)>,
    /// Nodes that control outputs name.
    pub(crate) control_results: Vec<usize>,
}

/// What is known of a node before its inputs are.
struct Bound<'r> {
    callee: BoundCallee<'r>,
    attrs: Attributes,
    outputs: Types,
}

enum BoundCallee<'r> {
    Op(&'r OpSpec),
    Function(Arc<Function>),
}

impl Bound<'_> {
    fn spec(&self) -> &OpSpec {
        match &self.callee {
            BoundCallee::Op(spec) => spec,
            BoundCallee::Function(function) => function.spec(),
        }
    }
}

impl<'r> Body<'r> {
    /// Binds the attributes of `function` and resolves its names.
    ///
    /// # Errors
    /// All that can be wrong with a definition, in TensorFlow's order, codes and words.
    pub(crate) fn new(
        function: &Arc<Function>,
        attrs: &Attributes,
        scope: &impl Scope<'r>,
    ) -> Result<Self> {
        let (def, spec) = (function.def(), function.spec());
        let attrs = bind::signature_attrs(spec, attrs.iter().map(|(n, v)| (&**n, v)))?;
        let mut names = Names::default();
        let mut args = Vec::new();
        for arg in &spec.inputs {
            add_arg(&mut names, &mut args, spec, arg, &attrs)
                .map_err(|e| e.with_context(format_args!("In {}", shown(spec, arg))))?;
        }
        let mut bound = bind_nodes(function, &attrs, scope)?;
        let mut values = args.len();
        for (i, (node, def)) in bound.iter_mut().zip(&def.node_def).enumerate() {
            name_outputs(&mut names, i, node, def, &mut values).map_err(|e| in_node(e, def))?;
        }
        let mut wired = Vec::with_capacity(bound.len());
        for (node, def) in bound.iter().zip(&def.node_def) {
            wired.push(wire(&names, node, def, &mut values).map_err(|e| in_node(e, def))?);
        }
        let mut results = Vec::new();
        for arg in &spec.outputs {
            add_result(&names, &mut results, function, arg, &attrs).map_err(|e| {
                e.with_context(format_args!("In function output {}", shown(spec, arg)))
            })?;
        }
        check_names(function, &attrs)?;
        check_acyclic(&wired, &results)?;
        let nodes = bound.into_iter().zip(wired).zip(&def.node_def);
        Ok(Self {
            function: Arc::clone(function),
            args,
            nodes: nodes
                .map(|((bound, wires), def)| complete(function, bound, wires, def))
                .collect::<Result<_>>()?,
            results,
            // TensorFlow takes no offence at a control output that names nothing.
            control_results: def
                .control_ret
                .values()
                .filter_map(|name| names.control(name).flatten())
                .collect(),
        })
    }
}

fn add_arg(
    names: &mut Names,
    args: &mut Vec<DataType>,
    spec: &OpSpec,
    arg: &ArgSpec,
    attrs: &Attributes,
) -> Result<()> {
    let types = bind::arg_types(spec, arg, attrs)?;
    let first = args.len();
    for &dtype in &types {
        args.push(dtype.ok_or_else(|| err!(InvalidArgument, "AttrValue has invalid DataType"))?);
    }
    names.add_arg(&arg.name, first, types)
}

fn bind_nodes<'r>(
    function: &Function,
    attrs: &Attributes,
    scope: &impl Scope<'r>,
) -> Result<Vec<Bound<'r>>> {
    let def = function.def();
    let mut bound = Vec::with_capacity(def.node_def.len());
    for (node, values) in def.node_def.iter().zip(function.node_attrs()?) {
        let mut node_attrs = bind::node_attrs(values, attrs)?;
        let callee = match scope.function(&node.op) {
            Some(function) => BoundCallee::Function(function),
            None => BoundCallee::Op(
                scope
                    .ops()
                    .lookup(&node.op)
                    .ok_or_else(|| unknown(node, scope))?,
            ),
        };
        let spec = match &callee {
            BoundCallee::Op(spec) => spec,
            BoundCallee::Function(function) => &**function.spec(),
        };
        bind::add_defaults(spec, &mut node_attrs);
        bound.push(Bound {
            callee,
            attrs: node_attrs,
            outputs: Types::new(),
        });
    }
    Ok(bound)
}

fn unknown<'r>(node: &NodeDef, scope: &impl Scope<'r>) -> Error {
    let functions = scope.functions();
    let functions = functions.iter().map(|f| f.name());
    let hint = did_you_mean_sentence(&node.op, scope.ops().names().chain(functions));
    err!(
        NotFound,
        "Op type not registered '{}' in binary running on localhost. Make sure the Op and Kernel are registered in \
         the binary running in this process. ({{{{node {}}}}} calls neither an op nor a function.{hint})",
        node.op,
        node.name
    )
}

fn name_outputs(
    names: &mut Names,
    index: usize,
    node: &mut Bound<'_>,
    def: &NodeDef,
    values: &mut usize,
) -> Result<()> {
    let spec = node.spec();
    let mut outputs = Vec::with_capacity(spec.outputs.len());
    let mut flat = Types::new();
    for arg in &spec.outputs {
        let types = bind::arg_types(spec, arg, &node.attrs)?;
        flat.extend_from_slice(&types);
        outputs.push((arg.name.clone(), types));
    }
    count(values, flat.len())?;
    node.outputs = flat;
    names.add_node(&def.name, index, outputs)
}

fn wire(names: &Names, node: &Bound<'_>, def: &NodeDef, values: &mut usize) -> Result<Wires> {
    let spec = node.spec();
    let mut wires = Wires::default();
    let mut next = 0;
    for arg in &spec.inputs {
        let types = bind::arg_types(spec, arg, &node.attrs)?;
        match_inputs(names, def, &mut next, arg, &types, &mut wires.inputs)?;
    }
    count(values, wires.inputs.len())?;
    for (i, input) in def.input.iter().enumerate().skip(next) {
        let Some(name) = input.strip_prefix('^') else {
            bail!(
                InvalidArgument,
                "Expected input[{i}] == '{input}' to be a control input."
            );
        };
        let Some(owner) = names.control(name) else {
            bail!(InvalidArgument, "input[{i}] == '{input}', is not found.");
        };
        wires.controls.extend(owner);
    }
    Ok(wires)
}

fn count(values: &mut usize, more: usize) -> Result<()> {
    *values += more;
    ensure!(
        *values <= MOST_VALUES,
        ResourceExhausted,
        "a function of more than {MOST_VALUES} tensors is not supported"
    );
    Ok(())
}

fn add_result(
    names: &Names,
    results: &mut Vec<(Source, DataType)>,
    function: &Function,
    arg: &ArgSpec,
    attrs: &Attributes,
) -> Result<()> {
    let Some(name) = function.def().ret.get(&*arg.name) else {
        bail!(InvalidArgument, "Return {} missing.", arg.name);
    };
    let types = bind::arg_types(function.spec(), arg, attrs)?;
    let Some(value) = names.find(name) else {
        bail!(
            InvalidArgument,
            "Return {} -> {name} is not found.",
            arg.name
        );
    };
    if types != value.types {
        bail!(
            InvalidArgument,
            "Invalid ret types {} : {} vs. {}",
            arg.name,
            type_names(&types),
            type_names(value.types)
        );
    }
    for (i, dtype) in types.into_iter().enumerate() {
        let dtype = dtype.ok_or_else(|| err!(InvalidArgument, "AttrValue has invalid DataType"))?;
        results.push((value.first.plus(i), dtype));
    }
    Ok(())
}

/// Names have to be unique and made of the letters that TensorFlow's graphs allow.
fn check_names(function: &Function, attrs: &Attributes) -> Result<()> {
    let (def, spec) = (function.def(), function.spec());
    let mut names = Vec::new();
    for arg in &spec.inputs {
        names.extend(name_of_arg(
            &arg.name,
            bind::arg_types(spec, arg, attrs)?.len(),
        ));
    }
    names.extend(def.node_def.iter().map(|n| n.name.clone()));
    for arg in &spec.outputs {
        let count = bind::arg_types(spec, arg, attrs)?.len();
        names.extend(name_of_arg(&format!("{}_RetVal", arg.name), count));
    }
    let mut seen = HashSet::new();
    for name in &names {
        ensure!(
            is_node_name(name),
            InvalidArgument,
            "Node '{name}': Node name contains invalid characters"
        );
        ensure!(
            seen.insert(name),
            InvalidArgument,
            "Node '{name}' is not unique"
        );
    }
    Ok(())
}

/// The name of the node that TensorFlow has for an argument of so many tensors, or for the first of them.
fn name_of_arg(name: &str, tensors: usize) -> Option<String> {
    match tensors {
        0 => None,
        1 => Some(name.to_owned()),
        _ => Some(format!("{name}_0")),
    }
}

/// Parts with `>` between them, each of letters, digits and some punctuation.
fn is_node_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_./-".contains(c);
    name.split('>').enumerate().all(|(nth, part)| {
        let starts = |c: char| c.is_ascii_alphanumeric() || c == '.' || (nth == 0 && c == '_');
        part.starts_with(starts) && part.chars().all(allowed)
    })
}

fn complete<'r>(
    function: &Function,
    bound: Bound<'r>,
    wires: Wires,
    def: &NodeDef,
) -> Result<BodyNode<'r>> {
    let callee = match bound.callee {
        BoundCallee::Op(spec) => {
            let attrs = op_attrs(spec, &bound.attrs, wires.inputs.len(), def)
                .map_err(|e| in_graph(&e, function, &def.name))?;
            Callee::Op(spec, attrs)
        }
        BoundCallee::Function(function) => Callee::Function(function, bound.attrs),
    };
    let outputs = bound.outputs.into_iter().map(|dtype| {
        dtype.ok_or_else(|| in_node(err!(InvalidArgument, "AttrValue has invalid DataType"), def))
    });
    Ok(BodyNode {
        outputs: outputs.collect::<Result<_>>()?,
        inputs: wires.inputs,
        controls: wires.controls,
        callee,
    })
}

/// Checks the attributes of an op; one that the op does not have is passed over, as in TensorFlow.
fn op_attrs(spec: &OpSpec, attrs: &Attributes, inputs: usize, def: &NodeDef) -> Result<Attrs> {
    // A builder knows the name of its node, for messages, from a message only.
    let name_only = NodeDef {
        name: def.name.clone(),
        op: spec.name().to_owned(),
        ..NodeDef::default()
    };
    let mut builder = AttrBuilder::from_node_def(spec, &name_only)?;
    for (name, value) in attrs {
        if spec.attr_slot(name).is_some() {
            builder.set(name, value.clone());
        }
    }
    builder.num_inputs(inputs).finish()
}

fn in_node(e: Error, def: &NodeDef) -> Error {
    e.with_context(format_args!("In {{{{node {}}}}}", def.name))
}

/// An error of a node once the graph stands, as TensorFlow words it.
fn in_graph(e: &Error, function: &Function, node: &str) -> Error {
    let message = format!(
        "{{{{function_node {}}}}} {}\n\t [[{node}]]",
        function.name(),
        e.message()
    );
    Error::new(e.code(), message)
}

/// An argument as messages show it: `a:N*float`.
fn shown(spec: &OpSpec, arg: &ArgSpec) -> String {
    let attr = |slot: usize| &*spec.attrs[slot].name;
    let count = match arg.count {
        ArgCount::Number(slot) => format!("{}*", attr(slot)),
        ArgCount::One | ArgCount::TypeList(_) => String::new(),
    };
    let dtype = match arg.dtype {
        ArgType::Fixed(dtype) => dtype.name(),
        // TensorFlow shows nothing for a list of types.
        ArgType::Attr(_) if matches!(arg.count, ArgCount::TypeList(_)) => "",
        ArgType::Attr(slot) => attr(slot),
    };
    match arg.is_ref {
        true => format!("{}:Ref({count}{dtype})", arg.name),
        false => format!("{}:{count}{dtype}", arg.name),
    }
}
