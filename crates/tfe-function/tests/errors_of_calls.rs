//! What is wrong with calls of functions, and with functions that call each other, in TensorFlow's codes and words.

mod common;

use common::{T, World, matrix, node, scalar, text};
use tfe_core::Code::{self, InvalidArgument as Invalid, NotFound};
use tfe_core::Tensor;
use tfe_device::Device;
use tfe_function::Placement;
use tfe_ops::FuncAttr;

#[test]
fn calls_that_do_not_fit() {
    let world = World::new();
    let nodes = node("matmul", "MatMul", &["a", "a"], &[T]);
    let function = world
        .add(&text("Fn", &nodes, "matmul:product:0"))
        .expect("a function");
    let e = world.call(
        &function,
        &[Tensor::from_slice(&[2, 2], &[1i32, 2, 3, 4]).expect("memory")],
    );
    assert_eq!(
        e.expect_err("another type").message(),
        "cannot compute Fn as input #0(zero-based) was expected to be a float tensor but is a int32 tensor"
    );
    let wide = Tensor::from_slice(&[2, 3], &[0.0f32; 6]).expect("memory");
    let e = world.call(&function, &[wide]).expect_err("not square");
    assert_eq!(e.code(), Invalid);
    assert_eq!(
        e.message(),
        "{{function_node Fn}} Matrix size-incompatible: In[0]: [2,3], In[1]: [2,3]\n\t [[{{node matmul}}]]"
    );
    for (given, args) in [(0, vec![]), (2, vec![matrix(), matrix()])] {
        let message = format!(
            "InstantiateOptions.input_devices must have the same length as the number of arguments: input_devices \
             length = {given} number of arguments = 1"
        );
        let e = world
            .call(&function, &args)
            .expect_err("another number of arguments");
        assert_eq!((e.code(), e.message()), (Invalid, &*message));
        let devices: Vec<&dyn Device> = vec![&*world.cpu; given];
        let placement = Placement {
            args: Some(&devices),
            ..Placement::on(&*world.cpu)
        };
        let e = world
            .library
            .plan(&function, &placement)
            .expect_err("another number of devices");
        assert_eq!((e.code(), e.message()), (Invalid, &*message));
    }
    world.library.remove("Fn").expect("there");
    let e = world.call(&function, &[matrix()]).expect_err("removed");
    assert_eq!(
        (e.code(), e.message()),
        (NotFound, "Failed to find function 'Fn'")
    );
    let bogus = world
        .add(&text("Fn", &nodes, "matmul:product:0"))
        .expect("again")
        .with("bogus", 3);
    world
        .call(&bogus, &[matrix()])
        .expect("an attribute more does no harm");
}

#[test]
fn errors_of_inner_functions_say_where() {
    let world = World::new();
    let nodes = node("x", "MatMul", &["a", "a"], &[T]);
    world
        .add(&text("Inner", &nodes, "x:product"))
        .expect("a function");
    world
        .add(&text("Middle", &node("c0", "Inner", &["a"], &[]), "c0:m"))
        .expect("a function");
    let outer = world
        .add(&text("Outer", &node("c1", "Middle", &["a"], &[]), "c1:m"))
        .expect("a function");
    let wide = Tensor::from_slice(&[1, 3], &[0.0f32; 3]).expect("memory");
    let e = world.call(&outer, &[wide]).expect_err("not square");
    assert_eq!(
        e.message(),
        "{{function_node Outer}} Matrix size-incompatible: In[0]: [1,3], In[1]: [1,3]\n\t [[{{function_node \
         Inner}}{{node x}}]]"
    );
    world
        .add(&text("Bad", &node("x", "Neg", &["a"], &[]), "x:y"))
        .expect("a function");
    let e = world.error(&text("Caller", &node("c", "Bad", &["a"], &[]), "c:m"));
    assert_eq!(e.code(), NotFound);
    assert_eq!(
        e.message(),
        "type attr not found: T\n\tIn {{node x}}\n\tIn function Bad"
    );
    let e = world.error(&text(
        "TooMany",
        &node("c", "Inner", &["a", "a"], &[]),
        "c:m",
    ));
    assert_eq!(
        e.message(),
        "Expected input[1] == 'a' to be a control input.\n\tIn {{node c}}"
    );
}

/// TensorFlow runs out of memory or stack with each of these.
#[test]
fn functions_that_call_themselves() {
    let call = |name: &str, callee: &str| text(name, &node("x", callee, &["a"], &[]), "x:m:0");
    let world = World::new();
    let e = world.error(&call("Fn", "Fn"));
    assert_eq!(
        (e.code(), e.message()),
        (Invalid, "function Fn calls itself: Fn -> Fn")
    );
    world.add(&call("Fa", "Fb")).expect("a function");
    let e = world.error(&call("Fb", "Fa"));
    assert_eq!(e.code(), Invalid);
    assert!(
        e.message()
            .starts_with("function Fb calls itself: Fb -> Fa -> Fb"),
        "{e}"
    );

    // By way of a kernel that calls a function.
    let indirect = |name: &str, callee: &str| {
        let list = "list { type: DT_FLOAT }";
        let f = format!("func {{ name: '{callee}' }}");
        let attrs = [("f", &*f), ("Tin", list), ("Tout", list)];
        text(
            name,
            &node("x", "PartitionedCall", &["a"], &attrs),
            "x:output:0",
        )
    };
    world.add(&indirect("Ia", "Ib")).expect("a function");
    let e = world.error(&indirect("Ib", "Ia"));
    assert_eq!(e.code(), Invalid);
    assert!(e.message().contains("function Ib calls itself"), "{e}");
    let e = world.error(&indirect("Lost", "Nowhere"));
    assert_eq!(e.code(), NotFound);
    assert!(
        e.message().contains("Failed to find function 'Nowhere'"),
        "{e}"
    );

    // Far deeper than a thread's stack would hold.
    world
        .add(&text("D0", &node("x", "Neg", &["a"], &[T]), "x:y"))
        .expect("a function");
    for i in 1..2000 {
        world
            .add(&call(&format!("D{i}"), &format!("D{}", i - 1)))
            .expect("a function");
    }
    let deep = world.call(&FuncAttr::new("D1999"), &[scalar(1.0)]);
    assert_eq!(common::floats(&deep.expect("runs")[0]), [-1.0]);

    // Each calls the one before twice: 2^40 calls of a function without nodes.
    world.add(&text("E0", "", "a")).expect("a function");
    for i in 1..=40 {
        let inner = format!("E{}", i - 1);
        let nodes = node("x", &inner, &["a"], &[]) + &node("y", &inner, &["x:m"], &[]);
        world
            .add(&text(&format!("E{i}"), &nodes, "y:m"))
            .expect("a function");
    }
    let e = world
        .call(&FuncAttr::new("E40"), &[scalar(1.0)])
        .expect_err("too many");
    assert_eq!(e.code(), Code::ResourceExhausted);
}
