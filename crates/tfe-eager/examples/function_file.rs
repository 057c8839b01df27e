//! Runs a function from a file: `cargo run -p tfe-eager --example function_file examples/functions/scores.pb`.
//!
//! The C program of the same name and `tfe run` do the same with the same file: `cargo xtask ci alike` compares what the
//! three print, byte by byte.

use tfe_eager::proto::Message as _;
use tfe_eager::proto::tensorflow::FunctionDefLibrary;
use tfe_eager::{Context, Element, Result, TensorHandle};

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: function_file SCORES.pb")?;
    let ctx = Context::new()?;
    for function in FunctionDefLibrary::decode(&*std::fs::read(path)?)?.function {
        ctx.add_function(function)?;
    }
    let x = TensorHandle::from_slice(&[2, 2], &[1.0f32, -2.0, 0.5, 4.0])?;
    let w = TensorHandle::from_slice(&[2, 3], &[1.0f32, 0.25, -3.0, 2.0, -1.0, 0.3])?;
    let call = ctx.op("Scores")?.attr("slope", 0.1f32);
    let results = call.input(&x)?.input(&w)?.run()?;
    print_vector::<f32>("total", "float32", &results[0])?;
    print_vector::<i64>("best", "int64", &results[1])?;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "an example prints")]
fn print_vector<T: Element + std::fmt::Debug>(
    name: &str,
    dtype: &str,
    result: &TensorHandle,
) -> Result<()> {
    println!(
        "{name} = {dtype}{}: {:?}",
        result.shape()?,
        result.to_vec::<T>()?
    );
    Ok(())
}
