//! Variables: which handles mean the same one, what may be read and assigned, in TensorFlow's words.

use tfe_attrs::AttrValue;
use tfe_core::{Code, DataType, PartialShape, ResourceHandle, Result, TString, Tensor};
use tfe_device::{Device, Variable};

use crate::testing::{Host, run_on};

fn handle(device: &Host, attrs: &[(&str, AttrValue)]) -> Result<Tensor> {
    let shape = ("shape", PartialShape::unknown().into());
    let attrs = [attrs, &[("dtype", DataType::Float.into()), shape]].concat();
    Ok(run_on(device, "VarHandleOp", &attrs, vec![])?.swap_remove(0))
}

fn named(device: &Host, name: &str) -> Tensor {
    handle(device, &[("shared_name", name.into())]).expect("a handle")
}

fn assign(device: &Host, handle: &Tensor, value: &Tensor, same_shape: bool) -> Result<()> {
    let attrs = [("validate_shape", same_shape.into())];
    run_on(
        device,
        "AssignVariableOp",
        &attrs,
        vec![handle.clone(), value.clone()],
    )
    .map(|_| ())
}

fn read(device: &Host, handle: &Tensor, dtype: DataType) -> Result<Tensor> {
    let attrs = [("dtype", dtype.into())];
    Ok(run_on(device, "ReadVariableOp", &attrs, vec![handle.clone()])?.swap_remove(0))
}

fn fails<T>(result: Result<T>, code: Code, message: &str) {
    let e = result.err().expect(message);
    assert_eq!(e.code(), code, "{e}");
    assert!(e.message().contains(message), "{e}");
}

#[test]
fn a_variable_takes_its_type_from_the_first_value() {
    let device = Host::new();
    let v = named(&device, "v");
    let unborn = "Could not find variable v. This could mean that the variable has been deleted. \
                  In TF1, it can also mean the variable is uninitialized. Debug info: container=localhost,";
    fails(
        read(&device, &v, DataType::Float),
        Code::FailedPrecondition,
        unborn,
    );

    // The handle says float, and nobody minds.
    let ints = Tensor::vector(&[1i32, 2]).expect("memory");
    assign(&device, &v, &ints, false).expect("no value yet");
    let got = read(&device, &v, DataType::Int32).expect("there now");
    assert!(got.buffer().same(ints.buffer()));

    let wrong = "Trying to read variable with wrong dtype. Expected float got int32";
    fails(
        read(&device, &v, DataType::Float),
        Code::InvalidArgument,
        wrong,
    );
    let floats = Tensor::vector(&[1f32, 2.0]).expect("memory");
    let wrong = "Trying to assign variable with wrong dtype. Expected int32 got float";
    fails(
        assign(&device, &v, &floats, false),
        Code::InvalidArgument,
        wrong,
    );

    let longer = Tensor::vector(&[1i32, 2, 3]).expect("memory");
    let wrong = "Trying to assign to variable with tensor with wrong shape. Expected [2] got [3]";
    fails(
        assign(&device, &v, &longer, true),
        Code::InvalidArgument,
        wrong,
    );
    assign(&device, &v, &longer, false).expect("shapes may change");
    // What was read before is what it was.
    assert_eq!(got.as_slice::<i32>().expect("int32"), [1, 2]);
    assert_eq!(
        read(&device, &v, DataType::Int32).expect("there").dims(),
        [3]
    );
}

#[test]
fn names_containers_and_devices_tell_variables_apart() {
    let device = Host::new();
    let value = |v: f32| Tensor::scalar(v).expect("memory");
    let anonymous = "cd2c89b7-88b7-44c8-ad83-06c2a9158347";
    let handles = [
        named(&device, ""),
        named(&device, "a"),
        handle(
            &device,
            &[("shared_name", "a".into()), ("container", "box".into())],
        )
        .expect("one"),
        named(&device, anonymous),
        named(&device, anonymous),
    ];
    for (i, handle) in handles.iter().enumerate() {
        assign(&device, handle, &value(i as f32), false).expect("valid");
    }
    for (i, handle) in handles.iter().enumerate() {
        let got = read(&device, handle, DataType::Float).expect("assigned");
        assert_eq!(got.scalar_value::<f32>().expect("a scalar"), i as f32);
    }
    let default = handle(
        &device,
        &[
            ("shared_name", "a".into()),
            ("container", "localhost".into()),
        ],
    );
    let got = read(&device, &default.expect("a handle"), DataType::Float).expect("as no container");
    assert_eq!(got.scalar_value::<f32>().expect("a scalar"), 1.0);

    let other = Host::new();
    let elsewhere = "Could not find variable a. ";
    fails(
        read(&other, &handles[1], DataType::Float),
        Code::FailedPrecondition,
        elsewhere,
    );
    fails(
        assign(&other, &handles[1], &value(0.0), false),
        Code::FailedPrecondition,
        "another",
    );

    device.resources().clear();
    fails(
        read(&device, &handles[1], DataType::Float),
        Code::FailedPrecondition,
        elsewhere,
    );
    assign(
        &device,
        &handles[1],
        &Tensor::scalar(TString::from("x")).expect("memory"),
        false,
    )
    .expect("a new variable, of any type");
    read(&device, &named(&device, "a"), DataType::String).expect("the same one");
}

#[test]
fn handles_of_other_shapes_and_kinds() {
    let device = Host::new();
    let value = Tensor::scalar(1f32).expect("memory");
    let v = named(&device, "v");
    assign(&device, &v, &value, false).expect("valid");
    let one = v.as_slice::<ResourceHandle>().expect("a handle")[0].clone();
    let two = Tensor::vector(&[one, ResourceHandle::default()]).expect("memory");
    read(&device, &two, DataType::Float).expect("the first handle counts");
    let none = two.rows(0, 0).expect("no rows");
    fails(
        read(&device, &none, DataType::Float),
        Code::InvalidArgument,
        "Empty resource handle",
    );
    fails(
        assign(&device, &none, &value, false),
        Code::InvalidArgument,
        "Empty resource handle",
    );

    let null = two.rows(1, 2).expect("a row");
    fails(
        read(&device, &null, DataType::Float),
        Code::FailedPrecondition,
        "Could not find variable",
    );
    let table = device.resources().handle::<u8>("", "t", "table");
    let table = Tensor::scalar(table).expect("memory");
    let wrong = "Trying to access a handle's resource using the wrong type. The handle points to a resource (name 't')";
    fails(
        read(&device, &table, DataType::Float),
        Code::FailedPrecondition,
        wrong,
    );
    fails(
        assign(&device, &table, &value, false),
        Code::InvalidArgument,
        wrong,
    );
    let bad = [
        ("dtype", DataType::Float.into()),
        ("shape", PartialShape::of(&[-2]).into()),
    ];
    let bad = run_on(&device, "VarHandleOp", &bad, vec![]);
    fails(
        bad,
        Code::InvalidArgument,
        "Shape [-2] has dimensions with values below -1",
    );
}

#[test]
fn readers_and_writers_meet_whole_values() {
    let device = Host::new();
    let v = named(&device, "v");
    let slots = v.as_slice::<ResourceHandle>().expect("a handle");
    let value = |k: i64| Tensor::vector(&[k; 100]).expect("memory");
    Variable::assign(device.resources(), &slots[0], value(0), false).expect("valid");
    std::thread::scope(|threads| {
        for k in 1..4 {
            let device = &device;
            threads.spawn(move || {
                for _ in 0..300 {
                    Variable::assign(device.resources(), &slots[0], value(k), true).expect("valid");
                    let got = Variable::read(device.resources(), &slots[0], DataType::Int64);
                    let got = got.expect("assigned");
                    let got = got.as_slice::<i64>().expect("int64");
                    assert!(got.iter().all(|&x| x == got[0]));
                }
            });
        }
    });
}

#[test]
fn names_may_be_any_bytes() {
    let device = Host::new();
    let named = |name: &[u8]| handle(&device, &[("shared_name", name.into())]).expect("a handle");
    let one = Tensor::scalar(1.0f32).expect("memory");
    assign(&device, &named(b"\xff"), &one, false).expect("assigned");
    let value = |name: &[u8]| read(&device, &named(name), DataType::Float);
    assert_eq!(
        value(b"\xff")
            .expect("the same")
            .as_slice::<f32>()
            .expect("floats"),
        [1.0]
    );
    fails(
        value(b"\xfe"),
        Code::FailedPrecondition,
        "Could not find variable \\xfe",
    );
}
