//! `tfe`: runs TensorFlow's ops and functions on values, from a shell.
//!
//! This program is built on `tfe-eager` alone. Results go to standard output, errors to standard error with the name of
//! their code; the exit status is 1 when the runtime refuses or fails, 2 when the command line says nothing that can be
//! done.
#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use clap::{Args, CommandFactory as _, Parser, Subcommand};
use serde_json::json;
use tfe_eager::Context;

mod attr;
mod call;
mod convert;
mod dtype;
mod failure;
mod files;
mod function_file;
mod json;
mod literal;
mod npy;
mod ops;
mod print;

use failure::{Failure, Outcome};
use print::Length;

const VALUES: &str = "\
Values:
  3  -2.5e3  inf  nan  true  1+2i       scalars; a string is \"text\\n\\xff\", quotes included
  [[1, 2], [3, 4]]                      lists of lists
  float64: [1, 2]                       with a type; without, it is the one that the op wants,
                                        else int32 for integers and float32 for decimals
  float32[2,3]: 0   string[0]:          with a shape: one value for all elements, or no elements
  @file.npy                             NumPy's file
  @-                                    what comes on standard input: a value as above, or NumPy's file
A list argument takes its elements one by one: tfe exec ConcatV2 [1,2] [3,4] 0

Attributes:
  name=value, by the kind of the attribute: T=float32  padding=SAME  strides=[1,2,2,1]
  shape=[2,?]  f=FunctionName  value=int64:[1,2]

The exit status is 1 when the runtime refuses or fails, and 2 for a mistake in the command line.";

/// Runs TensorFlow's ops and functions on values.
#[derive(Parser)]
#[command(
    name = "tfe",
    version,
    max_term_width = 100,
    after_help = "See also 'tfe exec --help'."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run an op on values
    #[command(after_help = VALUES)]
    Exec {
        /// The op: MatMul
        op: String,
        #[command(flatten)]
        call: Call,
    },
    /// Run a function from a file on values
    #[command(after_help = VALUES)]
    Run {
        /// A FunctionDefLibrary, a FunctionDef or a GraphDef with functions: .pbtxt is text, others binary
        file: String,
        /// The function; not needed when the file holds one
        #[arg(long, value_name = "NAME")]
        function: Option<String>,
        #[command(flatten)]
        call: Call,
    },
    /// List the ops that have kernels, or show what one op is like
    Ops {
        /// The op to show, or which to list: a part of the name, or a pattern with * and ?
        #[arg(value_name = "OP|PATTERN")]
        op: Option<String>,
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
    /// List the devices
    Devices {
        /// Write JSON
        #[arg(long)]
        json: bool,
    },
    /// Write what makes a shell complete this program's words: source <(tfe completions bash)
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// What calls of ops and functions have in common.
#[derive(Args)]
struct Call {
    /// Values and attributes (name=value)
    #[arg(value_name = "VALUE")]
    values: Vec<String>,
    /// Where to run it: CPU:0
    #[arg(long)]
    device: Option<String>,
    /// Write JSON: type, shape, and the values exactly
    #[arg(long)]
    json: bool,
    /// Write all of long tensors
    #[arg(long, conflicts_with = "json")]
    full: bool,
    /// Write the result to NumPy's file instead, or to standard output (-); of several results, y.npy makes a y.NAME.npy
    /// for each
    #[arg(long, value_name = "FILE.npy", conflicts_with_all = ["json", "full"])]
    out: Option<String>,
}

fn main() -> ExitCode {
    let cli = Cli::parse_from(std::env::args_os().map(not_an_option));
    let mut out = BufWriter::new(io::stdout().lock());
    let outcome = run(&cli.command, &mut out).and_then(|()| Ok(out.flush()?));
    let Err(failure) = outcome else {
        return ExitCode::SUCCESS;
    };
    // What was written so far is of a command that failed; a second failure to write says nothing new.
    let _ = out.into_parts();
    let (message, status) = failure.report();
    if let Some(message) = message {
        let _ = writeln!(io::stderr(), "error: {message}");
    }
    status
}

/// Puts a blank before a negative number, so that it is not taken for an option; literals may begin with blanks.
fn not_an_option(arg: OsString) -> OsString {
    let negative = |text: &str| {
        let number = text.strip_prefix('-')?;
        let starts = |word| {
            number
                .get(..3)
                .is_some_and(|w| w.eq_ignore_ascii_case(word))
        };
        let is = number.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        (is || starts("inf") || starts("nan")).then(|| format!(" {text}").into())
    };
    arg.to_str().and_then(negative).unwrap_or(arg)
}

fn run(command: &Command, out: &mut dyn Write) -> Outcome {
    if let Command::Completions { shell } = command {
        // By way of memory: what fails to write must not panic.
        let mut script = Vec::new();
        clap_complete::generate(*shell, &mut Cli::command(), "tfe", &mut script);
        return Ok(out.write_all(&script)?);
    }
    let ctx = Context::new()?;
    match command {
        Command::Exec { op, call } => call.run(&ctx, op, out),
        Command::Run {
            file,
            function,
            call,
        } => {
            let name = add_functions(&ctx, file, function.as_deref())?;
            call.run(&ctx, &name, out)
        }
        Command::Ops { op: None, json } => ops::list(&ctx, *json, out),
        Command::Ops { op: Some(op), json } => ops::show(&ctx, op, *json, out),
        Command::Devices { json } => devices(&ctx, *json, out),
        Command::Completions { .. } => Ok(()),
    }
}

impl Call {
    fn run(&self, ctx: &Context, name: &str, out: &mut dyn Write) -> Outcome {
        let outputs = call::call(ctx, name, &self.values, self.device.as_deref())?;
        if self.json {
            return Ok(json::outputs(out, &outputs)?);
        }
        if let Some(path) = &self.out {
            return files::write(path, &outputs, out);
        }
        let length = if self.full {
            Length::Full
        } else {
            Length::Short
        };
        for output in &outputs {
            // A single result is a literal, to be given to the next command.
            let name = (outputs.len() > 1).then_some(&*output.name);
            print::tensor(out, name, &output.tensor, length)?;
        }
        Ok(())
    }
}

/// Adds the functions of a file and returns the name of the one to run.
fn add_functions(ctx: &Context, path: &str, wanted: Option<&str>) -> Outcome<String> {
    let functions = function_file::read(path)?;
    let names: Vec<String> = functions
        .iter()
        .map(|f| function_file::name(f).to_owned())
        .collect();
    for function in functions {
        ctx.add_function(function)?;
    }
    match (wanted, &names[..]) {
        (Some(name), _) if names.iter().any(|n| n == name) => Ok(name.to_owned()),
        (Some(name), _) => Err(Failure::usage(format!(
            "{path} has no function '{name}'; it has {}",
            names.join(", ")
        ))),
        (None, [only]) => Ok(only.clone()),
        (None, _) => Err(Failure::usage(format!(
            "{path} has several functions: name one with --function: {}",
            names.join(", ")
        ))),
    }
}

fn devices(ctx: &Context, json: bool, out: &mut dyn Write) -> Outcome {
    if json {
        let devices: Vec<_> = ctx
            .devices()
            .map(|d| json!({ "name": d.name().as_str(), "type": d.name().device_type() }))
            .collect();
        writeln!(out, "{}", json!({ "devices": devices }))?;
        return Ok(());
    }
    for device in ctx.devices() {
        let (name, info) = (device.name(), device.info());
        let line = format!("{name}  {}  {}", name.device_type(), info.description);
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_defined() {
        Cli::command().debug_assert();
    }
}
