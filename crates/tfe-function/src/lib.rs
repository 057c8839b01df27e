//! Functions: from a `FunctionDef` to a plan that runs.
//!
//! This crate is internal to tfe: only `tfe-eager` and `tfe-capi` promise a stable interface.
//!
//! A [`Library`] holds the functions of a context. [`Library::plan`] turns one into a [`Plan`], which is a kernel like
//! any other; [`FunctionBuilder`] writes definitions in code.
//!
//! # From definition to plan
//!
//! Once for each function, attributes and placement:
//!
//! 1. `body`: attributes are bound, names become numbers, and all is checked that TensorFlow checks (`bind`, `names`,
//!    `order`). The result is a `Body`, one for each call of a function.
//! 2. `inline`: bodies become one flat `Graph`. Its nodes are in the order in which they run: data and control edges are
//!    obeyed, and nodes with effects keep the order of the definition. Control edges of calls meet in `Join` nodes.
//! 3. `Graph::prune`: what neither results, control outputs nor effects need is dropped.
//! 4. `place`: each node gets a device and a kernel, and copies are put in where a value has to move. The result is a
//!    `PlacedGraph`.
//! 5. `slots`: each value gets a slot of the frame; a slot is used again once its value is read for the last time.
//! 6. `plan`: kernels are built, and everything that running touches is laid out in a few arrays.
//!
//! Each stage is a function from one of these structures to the next, so that more can come between. Folding of
//! constants is a pass over `Graph` (a node all of whose inputs are constants becomes one); fusing of chains a pass over
//! `PlacedGraph` (nodes of one device become one). To run independent nodes at the same time, `place` has to keep the
//! control edges, an edge from each node with effects to the next takes the place of their order, and a slot may be used
//! again only by a node that follows all of its readers.
//!
//! # Running
//!
//! A plan runs in a frame of slots, on the stack when it is short. A step moves its inputs out of their slots where it is
//! their last reader, and shares them otherwise: a kernel that finds itself to be the only owner of an input may write
//! its result over it. Nothing is allocated but what kernels allocate.
#![forbid(unsafe_code)]

mod bind;
mod body;
mod builder;
mod copy;
mod function;
mod graph;
mod inline;
mod library;
mod names;
mod order;
mod place;
mod plan;
mod run;
mod same;
mod slots;
mod wires;

pub use builder::FunctionBuilder;
pub use function::Function;
pub use library::{Library, Placement};
pub use plan::{Plan, PlanArg};
