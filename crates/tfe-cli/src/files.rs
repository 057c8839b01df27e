//! Values that come on standard input, and results that go into files.

use std::io::{Read as _, Write};
use std::path::Path;

use tfe_eager::{Code, Tensor};

use crate::call::Output;
use crate::failure::{Failure, Outcome};
use crate::npy;

/// The word for the value on standard input.
pub(crate) const STDIN: &str = "@-";

/// Reads standard input if one of the words asks for it.
pub(crate) fn stdin(words: &[String]) -> Outcome<Vec<u8>> {
    let mut bytes = Vec::new();
    match words.iter().filter(|word| *word == STDIN).count() {
        0 => {}
        1 => {
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.map_err(|e| Failure::file("standard input", &e))?;
        }
        n => {
            return Err(Failure::usage(format!(
                "standard input is one value, and {STDIN} is given {n} times"
            )));
        }
    }
    Ok(bytes)
}

/// Writes results as NumPy's files, or the only one to standard output.
pub(crate) fn write(path: &str, outputs: &[Output], out: &mut dyn Write) -> Outcome {
    let bytes = |output: &Output| {
        npy::write(&output.tensor).map_err(|e| {
            let what = format!("result '{}' cannot be written: {e}", output.name);
            Failure::status(Code::InvalidArgument, what)
        })
    };
    match outputs {
        [] => Err(Failure::usage("there is no result to write to a file")),
        [only] if path == "-" => Ok(out.write_all(&bytes(only)?)?),
        _ if path == "-" => Err(Failure::usage(format!(
            "{} results do not go into one file; give a file's name",
            outputs.len()
        ))),
        [only] => write_file(path, &bytes(only)?),
        _ => {
            // First all are made, so that one that cannot be leaves no files of the others.
            let made: Vec<Vec<u8>> = outputs.iter().map(bytes).collect::<Outcome<_>>()?;
            let mut made = outputs.iter().zip(made);
            made.try_for_each(|(output, bytes)| write_file(&named(path, &output.name), &bytes))
        }
    }
}

fn write_file(path: &str, bytes: &[u8]) -> Outcome {
    std::fs::write(path, bytes).map_err(|e| Failure::file(path, &e))
}

/// `y.npy` for the result `values:1`: `y.values-1.npy`. Names in functions may hold what parts paths.
fn named(path: &str, name: &str) -> String {
    let name = name.replace([':', '/', '\\'], "-");
    let path = Path::new(path);
    let mut file = path.file_stem().unwrap_or_default().to_owned();
    file.push(format!(".{name}"));
    if let Some(extension) = path.extension() {
        file.push(".");
        file.push(extension);
    }
    path.with_file_name(file).to_string_lossy().into_owned()
}

/// The tensor of a file's bytes.
pub(crate) fn read_npy(path: &str, bytes: &[u8]) -> Outcome<Tensor> {
    npy::read(bytes).map_err(|e| Failure::status(Code::InvalidArgument, format!("{path}: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_results_are_told_apart() {
        assert_eq!(named("y.npy", "total"), "y.total.npy");
        assert_eq!(named("a.b/y.npy", "values:1"), "a.b/y.values-1.npy");
        assert_eq!(named("y", "a/../b"), "y.a-..-b");
    }
}
