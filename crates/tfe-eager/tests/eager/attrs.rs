//! Attributes of calls: names that an op does not have, and what follows from inputs, of ops and of functions.

use tfe_eager::{Code, Context, DataType, TensorHandle};
use tfe_testkit::text;

use crate::world::matrix;

/// `Twice` of one type, `Join` of a list of one type, `Same` of a list of types.
fn functions() -> Context {
    let ctx = Context::new().expect("a context");
    for def in [
        "signature {
           name: 'Twice' attr { name: 'T' type: 'type' }
           input_arg { name: 'x' type_attr: 'T' } output_arg { name: 'y' type_attr: 'T' }
         }
         node_def { name: 'sum' op: 'AddV2' input: ['x', 'x'] attr { key: 'T' value { placeholder: 'T' } } }
         ret { key: 'y' value: 'sum:z' }",
        "signature {
           name: 'Total' attr { name: 'T' type: 'type' } attr { name: 'N' type: 'int' }
           input_arg { name: 'x' type_attr: 'T' number_attr: 'N' } output_arg { name: 'y' type_attr: 'T' }
         }
         node_def {
           name: 'sum' op: 'AddN' input: 'x'
           attr { key: 'T' value { placeholder: 'T' } } attr { key: 'N' value { placeholder: 'N' } }
         }
         ret { key: 'y' value: 'sum:sum' }",
        "signature {
           name: 'Same' attr { name: 'L' type: 'list(type)' }
           input_arg { name: 'x' type_list_attr: 'L' } output_arg { name: 'y' type_list_attr: 'L' }
         }
         node_def { name: 'all' op: 'IdentityN' input: 'x' attr { key: 'T' value { placeholder: 'L' } } }
         ret { key: 'y' value: 'all:output' }",
    ] {
        ctx.add_function(text::function_def(def)).expect("a function");
    }
    ctx
}

#[test]
fn a_misspelled_attribute_is_an_error() {
    let ctx = functions();
    let a = matrix();
    let run = |op: &str, attr: &str| {
        let op = ctx.op(op).and_then(|op| op.input(&a)).expect("a call");
        op.attr(attr, true).run()
    };
    let refused = |op, attr| {
        let e = run(op, attr).expect_err("misspelled");
        assert_eq!(e.code(), Code::InvalidArgument, "{e}");
        e.message().to_owned()
    };
    assert_eq!(
        refused("MatMul", "transpse_a"),
        "Op MatMul has no attribute 'transpse_a'; did you mean 'transpose_a' or 'transpose_b'?"
    );
    assert_eq!(
        refused("Twice", "Q"),
        "Op Twice has no attribute 'Q'; it has 'T'"
    );
    assert_eq!(
        refused("ReadFile", "mode"),
        "Op ReadFile has no attribute 'mode'; it has none"
    );
    // The right call that went before does not hide it.
    run("Neg", "_hint").expect("a hint is ignored");
    assert_eq!(
        refused("Neg", "t"),
        "Op Neg has no attribute 't'; did you mean 'T'?"
    );
    // As the C API does it, and a call of another op in the same place.
    let mut op = ctx.op("Neg").expect("an op");
    op.set_lenient();
    op.reset("Square").expect("an op");
    op.add_input(&a).expect("an input");
    op.set_attr("t", true);
    op.execute().expect("ignored");
}

#[test]
fn types_follow_from_the_inputs_of_functions() {
    let ctx = functions();
    let a = TensorHandle::from_slice(&[2], &[1.5f64, 2.0]).expect("values");
    let twice = |op: &str| ctx.op(op).and_then(|op| op.input(&a));
    let y = twice("Twice").and_then(|op| op.run1()).expect("runs");
    assert_eq!(y.to_vec::<f64>().expect("doubles"), [3.0, 4.0]);
    // What is set holds.
    let e = ctx.op("Twice").map(|op| op.attr("T", DataType::Float));
    let e = e.and_then(|op| op.input(&a)).and_then(|op| op.run1());
    assert_eq!(e.expect_err("another type").code(), Code::InvalidArgument);
    let mut total = ctx.op("Total").expect("a function");
    for n in [3, 2] {
        // The second time the number is no other.
        let list = vec![a.clone(); 3];
        total.add_input_list(&list[..n]).expect("a list");
        assert_eq!(total.execute().is_ok(), n == 3);
    }
    let b = TensorHandle::scalar(7i32).expect("a value");
    let same = ctx.op("Same").and_then(|op| op.input_list(&[a.clone(), b]));
    let same = same.and_then(|op| op.run()).expect("runs");
    let dtypes: Vec<_> = same.iter().map(TensorHandle::dtype).collect();
    assert_eq!(dtypes, [DataType::Double, DataType::Int32]);
    // TensorFlow's C API wants it said.
    let mut op = ctx.op("Twice").expect("a function");
    op.set_lenient();
    op.add_input(&a).expect("an input");
    let e = op.execute().expect_err("no T");
    assert_eq!(e.code(), Code::NotFound);
    assert!(e.message().starts_with("Attr T is not found from "), "{e}");
}
