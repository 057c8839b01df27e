//! Programs on the eager API of the crate `tensorflow`; the values are worked out by hand.

use std::fmt::Debug;

use tensorflow::eager::{Context, ContextOptions, TensorHandle, ToTensorHandle, raw_ops};
use tensorflow::{BFloat16, Code, DataType, Result, Shape, Tensor, TensorType};

const CPU: &str = "/job:localhost/replica:0/task:0/device:CPU:0";

fn context() -> Context {
    Context::new(ContextOptions::new()).expect("a context")
}

fn handle<'a, T: TensorType>(ctx: &'a Context, dims: &[u64], values: &[T]) -> TensorHandle<'a> {
    let tensor = Tensor::new(dims).with_values(values).expect("a tensor");
    tensor.into_handle(ctx).expect("a handle")
}

/// 1 to 6, in two rows.
fn rows(ctx: &Context) -> TensorHandle<'_> {
    handle(ctx, &[2, 3], &[1f32, 2., 3., 4., 5., 6.])
}

/// Checks shape and elements of what an op gave.
#[track_caller]
fn check<T>(got: Result<TensorHandle<'_>>, dims: &[u64], values: &[T])
where
    T: TensorType + PartialEq + Debug,
{
    let got = got.expect("a result");
    let tensor = got.resolve::<T>().expect("a tensor");
    assert_eq!(tensor.dims(), dims);
    assert_eq!(&tensor[..], values);
}

/// Checks that a call fails, with which code, and that the message says why.
#[track_caller]
fn refused<T>(got: Result<T>, code: Code, why: &str) {
    let Err(status) = got else {
        panic!("no error, want {code:?}")
    };
    assert_eq!(status.code(), code, "{status}");
    let message = status.to_string();
    assert!(message.contains(why), "{message}");
}

#[test]
fn devices_are_listed() {
    let devices = context().device_list().expect("devices");
    assert!(
        devices
            .iter()
            .any(|d| d.name == CPU && d.device_type == "CPU")
    );
}

#[test]
fn a_handle_knows_its_tensor() {
    let ctx = context();
    let a = rows(&ctx);
    assert_eq!(a.data_type(), DataType::Float);
    assert_eq!(a.num_dims().expect("a rank"), 2);
    assert_eq!(a.num_elements().expect("a number"), 6);
    assert_eq!(a.dim(1).expect("a dimension"), 3);
    assert_eq!(a.device_name().expect("a device"), CPU);
    assert_eq!(a.backing_device_name().expect("a device"), CPU);
    refused(a.resolve::<i32>(), Code::InvalidArgument, "(Float)");
    let copy = a.copy_to_device(&ctx, CPU);
    check(copy, &[2, 3], &[1f32, 2., 3., 4., 5., 6.]);
    let nowhere = a.copy_to_device(&ctx, "/job:localhost/replica:0/task:0/device:NOPE:7");
    refused(nowhere, Code::InvalidArgument, "unknown device");
    check(Ok(handle(&ctx, &[], &[7f32])), &[], &[7f32]);
    check::<f32>(Ok(handle::<f32>(&ctx, &[0, 3], &[])), &[0, 3], &[]);
}

#[test]
fn arithmetic() {
    let ctx = context();
    let a = rows(&ctx);
    let b = handle(&ctx, &[3, 2], &[7f32, 8., 9., 10., 11., 12.]);
    let product = raw_ops::mat_mul(&ctx, &a, &b).expect("a product");
    check(Ok(product), &[2, 2], &[58f32, 64., 139., 154.]);
    let turned = raw_ops::MatMul::new().transpose_a(true).transpose_b(true);
    let want = [39f32, 49., 59., 54., 68., 82., 69., 87., 105.];
    check(turned.call(&ctx, &a, &b), &[3, 3], &want);
    let bias = [10f32, 20., 30.];
    let sum = raw_ops::add_v2(&ctx, &a, &bias).expect("a sum");
    check(
        raw_ops::sub(&ctx, &sum, &a),
        &[2, 3],
        &[10f32, 20., 30., 10., 20., 30.],
    );
    check(Ok(sum), &[2, 3], &[11f32, 22., 33., 14., 25., 36.]);
    check(
        raw_ops::mul(&ctx, &a, &0.5f32),
        &[2, 3],
        &[0.5f32, 1., 1.5, 2., 2.5, 3.],
    );
    check(raw_ops::real_div(&ctx, &a, &a), &[2, 3], &[1f32; 6]);
    let wrapped = raw_ops::add_v2(&ctx, &[250u8, 1], &[10u8, 1]);
    check(wrapped, &[2], &[4u8, 2]);
    let (left, right) = (
        handle(&ctx, &[1, 2], &[2i64, 3]),
        handle(&ctx, &[2, 1], &[4i64, 5]),
    );
    check(raw_ops::mat_mul(&ctx, &left, &right), &[1, 1], &[23i64]);
}

#[test]
fn reductions() {
    let ctx = context();
    let a = rows(&ctx);
    check(raw_ops::sum(&ctx, &a, &[0i32]), &[3], &[5f32, 7., 9.]);
    check(raw_ops::sum(&ctx, &a, &[0i32, 1]), &[], &[21f32]);
    let mean = raw_ops::Mean::new().keep_dims(true);
    check(mean.call(&ctx, &a, &[1i32]), &[2, 1], &[2f32, 5.]);
    check(raw_ops::max(&ctx, &a, &-1i32), &[2], &[3f32, 6.]);
    check(raw_ops::min(&ctx, &a, &[0i64]), &[3], &[1f32, 2., 3.]);
    check(raw_ops::prod(&ctx, &a, &1i32), &[2], &[6f32, 120.]);
    check(raw_ops::arg_max(&ctx, &a, &1i32), &[2], &[2i64, 2]);
    let narrow = raw_ops::ArgMax::new().output_type(DataType::Int32);
    check(narrow.call(&ctx, &a, &0i32), &[3], &[1i32, 1, 1]);
}

#[test]
fn truth_values() {
    let ctx = context();
    let a = rows(&ctx);
    let big = raw_ops::greater(&ctx, &a, &2.5f32).expect("a comparison");
    check(
        raw_ops::all(&ctx, &big, &[0i32]),
        &[3],
        &[false, false, true],
    );
    let chosen = raw_ops::select_v2(&ctx, &big, &a, &0f32);
    check(chosen, &[2, 3], &[0f32, 0., 3., 4., 5., 6.]);
    check(
        raw_ops::where_(&ctx, &big),
        &[4, 2],
        &[0i64, 2, 1, 0, 1, 1, 1, 2],
    );
    check(Ok(big), &[2, 3], &[false, false, true, true, true, true]);
}

#[test]
fn shapes() {
    let ctx = context();
    let a = rows(&ctx);
    let pair = [10f32, 20.].to_handle(&ctx).expect("a handle");
    check(
        raw_ops::reshape(&ctx, &a, &[3i32, -1]),
        &[3, 2],
        &[1f32, 2., 3., 4., 5., 6.],
    );
    check(
        raw_ops::transpose(&ctx, &a, &[1i32, 0]),
        &[3, 2],
        &[1f32, 4., 2., 5., 3., 6.],
    );
    let row = raw_ops::expand_dims(&ctx, &pair, &0i32).expect("a row");
    let squeeze = raw_ops::Squeeze::new().squeeze_dims(vec![0i64]);
    check(squeeze.call(&ctx, &row), &[2], &[10f32, 20.]);
    check(Ok(row), &[1, 2], &[10f32, 20.]);
    let wide = raw_ops::concat_v2(&ctx, &[&a, &a], &1i32);
    check(
        wide,
        &[2, 6],
        &[1f32, 2., 3., 1., 2., 3., 4., 5., 6., 4., 5., 6.],
    );
    let pack = raw_ops::Pack::new().axis(1);
    check(
        pack.call(&ctx, &[&pair, &pair]),
        &[2, 2],
        &[10f32, 10., 20., 20.],
    );
    check(raw_ops::shape(&ctx, &a), &[2], &[2i32, 3]);
    let wide = raw_ops::Shape::new().out_type(DataType::Int64);
    check(wide.call(&ctx, &a), &[2], &[2i64, 3]);
}

#[test]
fn parts_and_repetitions() {
    let ctx = context();
    let a = rows(&ctx);
    let pair = [10f32, 20.].to_handle(&ctx).expect("a handle");
    check(raw_ops::fill(&ctx, &[2i32, 2], &9f32), &[2, 2], &[9f32; 4]);
    check(
        raw_ops::range(&ctx, &0i32, &10i32, &3i32),
        &[4],
        &[0i32, 3, 6, 9],
    );
    let gathered = raw_ops::gather_v2(&ctx, &a, &[1i32, 0, 1], &0i32);
    check(gathered, &[3, 3], &[4f32, 5., 6., 1., 2., 3., 4., 5., 6.]);
    let slice = raw_ops::StridedSlice::new().shrink_axis_mask(1);
    let slice = slice.call(&ctx, &a, &[1i32, 0], &[2i32, 3], &[1i32, 2]);
    check(slice, &[2], &[4f32, 6.]);
    check(
        raw_ops::tile(&ctx, &pair, &[2i32]),
        &[4],
        &[10f32, 20., 10., 20.],
    );
    let paddings = handle(&ctx, &[1, 2], &[1i32, 0]);
    check(
        raw_ops::pad(&ctx, &pair, &paddings),
        &[3],
        &[0f32, 10., 20.],
    );
    let [values, places] = raw_ops::unique(&ctx, &[4i32, 4, 2, 7, 2]).expect("two results");
    check(Ok(values), &[3], &[4i32, 2, 7]);
    check(Ok(places), &[5], &[0i32, 0, 1, 2, 1]);
    let [values, places] = raw_ops::top_kv2(&ctx, &a, &2i32).expect("two results");
    check(Ok(values), &[2, 2], &[3f32, 2., 6., 5.]);
    check(Ok(places), &[2, 2], &[2i32, 1, 2, 1]);
}

#[test]
fn attributes_of_each_kind() {
    let ctx = context();
    let leaky = raw_ops::LeakyRelu::new().alpha(0.5f32);
    check(leaky.call(&ctx, &[-2f32, 4.]), &[2], &[-1f32, 4.]);
    let buckets = raw_ops::Bucketize::new().boundaries(vec![0f32, 10., 100.]);
    let placed = buckets.call(&ctx, &[-5f32, 10000., 150., 10., 5.]);
    check(placed, &[5], &[0i32, 3, 3, 2, 1]);
    let cast = raw_ops::Cast::new().DstT(DataType::Int32);
    check(cast.call(&ctx, &[1.9f32, -1.9]), &[2], &[1i32, -1]);
    let value = Tensor::new(&[2])
        .with_values(&[1.5f32, 2.5])
        .expect("a tensor");
    let constant = raw_ops::Const::new().dtype(DataType::Float).value(value);
    check(constant.call(&ctx), &[2], &[1.5f32, 2.5]);
    let cast = raw_ops::Cast::new().DstT(DataType::BFloat16);
    let halves = [BFloat16::from(1.5f32), BFloat16::from(-2f32)];
    check(cast.call(&ctx, &[1.5f32, -2.]), &[2], &halves);
}

#[test]
fn einsum() {
    let ctx = context();
    let b = handle(&ctx, &[3, 2], &[7f32, 8., 9., 10., 11., 12.]);
    let einsum = raw_ops::Einsum::new().equation("ij,jk->ki");
    let product = einsum.call(&ctx, &[&rows(&ctx), &b]);
    check(product, &[2, 2], &[58f32, 139., 64., 154.]);
}

#[test]
fn convolution() {
    let ctx = context();
    let image = handle(&ctx, &[1, 3, 3, 1], &[1f32, 2., 3., 4., 5., 6., 7., 8., 9.]);
    let filter = handle(&ctx, &[2, 2, 1, 1], &[1f32, 0., 0., 1.]);
    let conv = raw_ops::Conv2D::new()
        .strides(vec![1i64, 1, 1, 1])
        .padding("VALID");
    let result = conv.call(&ctx, &image, &filter);
    check(result, &[1, 2, 2, 1], &[6f32, 8., 12., 14.]);
}

#[test]
fn pooling() {
    let ctx = context();
    let image = handle(&ctx, &[1, 3, 3, 1], &[1f32, 2., 3., 4., 5., 6., 7., 8., 9.]);
    let pool = raw_ops::MaxPool::new().ksize(vec![1i64, 2, 2, 1]);
    let pool = pool.strides(vec![1i64, 1, 1, 1]).padding("VALID");
    check(pool.call(&ctx, &image), &[1, 2, 2, 1], &[5f32, 6., 8., 9.]);
}

#[test]
fn queues() {
    let ctx = context();
    let queue = raw_ops::FIFOQueueV2::new()
        .component_types(vec![DataType::Float])
        .shapes(vec![Shape::from(&[2i64][..])])
        .capacity(4);
    let queue = queue.call(&ctx).expect("a queue");
    assert_eq!(queue.data_type(), DataType::Resource);
    check(raw_ops::queue_size_v2(&ctx, &queue), &[], &[0i32]);
    // The crate cannot set the list of types, and adds the components one by one, which infers none.
    let row = raw_ops::queue_enqueue_v2(&ctx, &queue, &[10f32, 20.]);
    refused(row, Code::NotFound, "'Tcomponents'");
}

#[test]
fn strings() {
    let ctx = context();
    let long = "a text of more than twenty-four bytes";
    let words = ["a".to_string(), long.to_string()];
    let words = Tensor::<String>::from(&words[..])
        .into_handle(&ctx)
        .expect("a handle");
    assert_eq!(words.data_type(), DataType::String);
    check(raw_ops::string_length(&ctx, &words), &[2], &[1i32, 37]);
    let join = raw_ops::StringJoin::new().separator("-");
    let doubled = ["a-a".to_string(), format!("{long}-{long}")];
    check(join.call(&ctx, &[&words, &words]), &[2], &doubled);
    let numbers = raw_ops::as_string(&ctx, &[1i32, -20]);
    check(numbers, &[2], &["1".to_string(), "-20".to_string()]);
}

#[test]
fn errors_have_a_code_and_a_message() {
    let ctx = context();
    let a = rows(&ctx);
    let product = raw_ops::mat_mul(&ctx, &a, &a);
    refused(product, Code::InvalidArgument, "[2,3]");
    let sum = raw_ops::add_v2(&ctx, &a, &[1i32]);
    refused(
        sum,
        Code::InvalidArgument,
        "was expected to be a float tensor but is a int32 tensor",
    );
    let elsewhere = raw_ops::AddV2::new().target_device_name("/device:GPU:99x");
    refused(
        elsewhere.call(&ctx, &a, &a),
        Code::InvalidArgument,
        "/device:GPU:99x",
    );
    refused(raw_ops::cast(&ctx, &a), Code::NotFound, "'DstT'");
}

fn variable<'a>(ctx: &'a Context, name: &str, dims: &[i64]) -> TensorHandle<'a> {
    let variable = raw_ops::VarHandleOp::new().dtype(DataType::Float);
    let variable = variable.shape(Shape::from(dims)).shared_name(name);
    let variable = variable.allowed_devices(Vec::<String>::new());
    variable.call(ctx).expect("a variable")
}

fn read<'a>(ctx: &'a Context, variable: &TensorHandle<'a>) -> Result<TensorHandle<'a>> {
    let read = raw_ops::ReadVariableOp::new().dtype(DataType::Float);
    read.call(ctx, variable)
}

#[test]
fn variables() {
    let ctx = context();
    let v = variable(&ctx, "v", &[2]);
    assert_eq!(v.data_type(), DataType::Resource);
    check(raw_ops::var_is_initialized_op(&ctx, &v), &[], &[false]);
    refused(
        read(&ctx, &v),
        Code::FailedPrecondition,
        "Could not find variable v",
    );
    raw_ops::assign_variable_op(&ctx, &v, &[1f32, 2.]).expect("assigned");
    check(raw_ops::var_is_initialized_op(&ctx, &v), &[], &[true]);
    let before = read(&ctx, &v);
    raw_ops::assign_add_variable_op(&ctx, &v, &[10f32, 10.]).expect("added");
    check(read(&ctx, &v), &[2], &[11f32, 12.]);
    check(before, &[2], &[1f32, 2.]);
    raw_ops::assign_sub_variable_op(&ctx, &v, &[1f32, 1.]).expect("subtracted");
    let gradient = raw_ops::resource_apply_gradient_descent(&ctx, &v, &0.5f32, &[2f32, 4.]);
    gradient.expect("applied");
    check(read(&ctx, &v), &[2], &[9f32, 9.]);
    check(read(&ctx, &variable(&ctx, "v", &[2])), &[2], &[9f32, 9.]);
    let wrong = raw_ops::assign_variable_op(&ctx, &v, &[1i32]);
    refused(wrong, Code::InvalidArgument, "wrong dtype");
    raw_ops::destroy_resource_op(&ctx, &v).expect("destroyed");
    refused(read(&ctx, &v), Code::FailedPrecondition, "v");
}

/// Fits a line to y = 2x - 1.
fn train(ctx: &Context) -> Result<()> {
    let x: Vec<f32> = (0..8).map(|i| i as f32 / 4. - 1.).collect();
    let y: Vec<f32> = x.iter().map(|x| 2. * x - 1.).collect();
    let (x, y) = (handle(ctx, &[8, 1], &x), handle(ctx, &[8, 1], &y));
    let (w, b) = (variable(ctx, "w", &[1, 1]), variable(ctx, "b", &[1]));
    let zeros = raw_ops::zeros_like(ctx, &handle(ctx, &[1, 1], &[1f32]))?;
    raw_ops::assign_variable_op(ctx, &w, &zeros)?;
    raw_ops::assign_variable_op(ctx, &b, &[0f32])?;
    let mut losses = Vec::new();
    for _ in 0..200 {
        let product = raw_ops::mat_mul(ctx, &x, &read(ctx, &w)?)?;
        let predicted = raw_ops::bias_add(ctx, &product, &read(ctx, &b)?)?;
        let off = raw_ops::sub(ctx, &predicted, &y)?;
        let loss = raw_ops::mean(ctx, &raw_ops::square(ctx, &off)?, &[0i32, 1])?;
        losses.push(loss.resolve::<f32>()?[0]);
        let gradient = raw_ops::mul(ctx, &off, &(2f32 / 8.))?;
        let of_w = raw_ops::MatMul::new().transpose_a(true);
        let of_w = of_w.call(ctx, &x, &gradient)?;
        let of_b = raw_ops::sum(ctx, &gradient, &[0i32])?;
        raw_ops::resource_apply_gradient_descent(ctx, &w, &0.3f32, &of_w)?;
        raw_ops::resource_apply_gradient_descent(ctx, &b, &0.3f32, &of_b)?;
    }
    assert!(losses[0] > 1. && losses[199] < 1e-6, "{losses:?}");
    for (variable, want) in [(&w, 2f32), (&b, -1.)] {
        let got = read(ctx, variable)?.resolve::<f32>()?[0];
        assert!((got - want).abs() < 1e-5, "{got}, want {want}");
    }
    Ok(())
}

#[test]
fn training() {
    train(&context()).expect("trained");
}

#[test]
fn an_asynchronous_context() {
    let mut options = ContextOptions::new();
    options.set_async(true);
    let mut ctx = Context::new(options).expect("a context");
    train(&ctx).expect("trained");
    let a = rows(&ctx);
    // The op may fail when it is called or when its result is asked for.
    let product = raw_ops::mat_mul(&ctx, &a, &a).and_then(|product| product.resolve::<f32>());
    refused(product, Code::InvalidArgument, "[2,3]");
    drop(a);
    ctx.clear_caches();
}
