//! Each encoding of a tensor in a proto, and what malformed protos give.

use tfe_core::{Code, Complex, DTypeSet};

use super::*;

fn shape(dims: &[i64]) -> Option<pb::TensorShapeProto> {
    let dim = |&size: &i64| pb::tensor_shape_proto::Dim {
        size,
        name: String::new(),
    };
    Some(pb::TensorShapeProto {
        dim: dims.iter().map(dim).collect(),
        unknown_rank: false,
    })
}

fn proto(dtype: DataType, dims: &[i64]) -> pb::TensorProto {
    pb::TensorProto {
        dtype: dtype.number(),
        tensor_shape: shape(dims),
        ..pb::TensorProto::default()
    }
}

fn values<T: Element>(proto: &pb::TensorProto) -> Vec<T> {
    let tensor = tensor_from_proto(proto).expect("well formed");
    assert_eq!(tensor.dtype(), T::DTYPE);
    tensor.as_slice::<T>().expect("its type").to_vec()
}

fn raw(proto: &pb::TensorProto) -> Vec<u8> {
    let tensor = tensor_from_proto(proto).expect("well formed");
    tensor.as_bytes().expect("plain").to_vec()
}

fn code(proto: &pb::TensorProto) -> Code {
    tensor_from_proto(proto).expect_err("malformed").code()
}

#[test]
fn lists_repeat_their_last_value_and_are_cut() {
    let mut p = proto(DataType::Int32, &[4]);
    assert_eq!(values::<i32>(&p), [0; 4]);
    p.int_val = vec![7, -8];
    assert_eq!(values::<i32>(&p), [7, -8, -8, -8]);
    p.int_val = vec![1, 2, 3, 4, 5];
    assert_eq!(values::<i32>(&p), [1, 2, 3, 4]);
    p.tensor_shape = shape(&[0]);
    assert_eq!(values::<i32>(&p), []);
    p.tensor_shape = None;
    assert_eq!(values::<i32>(&p), [1]);
}

#[test]
fn every_list_is_read() {
    let p = pb::TensorProto {
        float_val: vec![1.5],
        double_val: vec![2.5],
        int_val: vec![-3],
        string_val: vec![b"s".to_vec()],
        scomplex_val: vec![1.0, 2.0, 3.0],
        int64_val: vec![1 << 40],
        bool_val: vec![true],
        dcomplex_val: vec![3.0, 4.0],
        half_val: vec![0x3c00],
        uint32_val: vec![u32::MAX],
        uint64_val: vec![u64::MAX],
        float8_val: vec![0x38],
        ..proto(DataType::Float, &[2])
    };
    let of = |dtype: DataType| pb::TensorProto {
        dtype: dtype.number(),
        ..p.clone()
    };
    use DataType as D;
    assert_eq!(values::<f32>(&of(D::Float)), [1.5; 2]);
    assert_eq!(values::<f64>(&of(D::Double)), [2.5; 2]);
    assert_eq!(values::<i32>(&of(D::Int32)), [-3; 2]);
    assert_eq!(values::<i16>(&of(D::Int16)), [-3; 2]);
    assert_eq!(values::<i8>(&of(D::Int8)), [-3; 2]);
    assert_eq!(values::<u8>(&of(D::Uint8)), [253; 2]);
    assert_eq!(values::<u16>(&of(D::Uint16)), [65533; 2]);
    assert_eq!(values::<u32>(&of(D::Uint32)), [u32::MAX; 2]);
    assert_eq!(values::<u64>(&of(D::Uint64)), [u64::MAX; 2]);
    assert_eq!(values::<i64>(&of(D::Int64)), [1 << 40; 2]);
    assert_eq!(values::<bool>(&of(D::Bool)), [true; 2]);
    assert_eq!(values::<f16>(&of(D::Half)), [f16::ONE; 2]);
    assert_eq!(
        values::<bf16>(&of(D::Bfloat16)),
        [bf16::from_bits(0x3c00); 2]
    );
    assert_eq!(
        values::<Complex<f32>>(&of(D::Complex64)),
        [Complex::new(1.0, 2.0); 2]
    );
    assert_eq!(
        values::<Complex<f64>>(&of(D::Complex128)),
        [Complex::new(3.0, 4.0); 2]
    );
    assert_eq!(
        values::<TString>(&of(D::String)),
        [TString::from("s"), TString::from("s")]
    );
    assert_eq!(raw(&of(D::Qint8)), [253; 2]);
    assert_eq!(raw(&of(D::Quint16)), [253, 255, 253, 255]);
    assert_eq!(
        raw(&of(D::Qint32)),
        [253, 255, 255, 255, 253, 255, 255, 255]
    );
    assert_eq!(raw(&of(D::Int4)), [253; 2]);
    assert_eq!(raw(&of(D::Uint4)), [13; 2]);
    assert_eq!(raw(&of(D::Int2)), [1; 2]);
    assert_eq!(raw(&of(D::Float8E4m3fn)), [0x38; 2]);
    // A variable's handle and a variant cannot be had from a proto, unless they are null.
    assert_eq!(
        tensor_from_proto(&of(D::Resource))
            .expect("null")
            .num_elements(),
        2
    );
    let held = pb::TensorProto {
        variant_val: vec![pb::VariantTensorDataProto::default()],
        ..of(D::Variant)
    };
    assert_eq!(code(&held), Code::Unimplemented);
}

#[test]
fn content_wins_and_has_to_fit() {
    let mut p = pb::TensorProto {
        tensor_content: [1.0f32, -0.0]
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect(),
        float_val: vec![9.0],
        ..proto(DataType::Float, &[2])
    };
    assert_eq!(values::<f32>(&p), [1.0, -0.0]);
    p.tensor_content.pop();
    assert_eq!(code(&p), Code::InvalidArgument);
    p.tensor_content = vec![0; 8];
    p.tensor_shape = shape(&[3]);
    assert_eq!(code(&p), Code::InvalidArgument);

    let bools = pb::TensorProto {
        tensor_content: vec![0, 1, 7],
        ..proto(DataType::Bool, &[3])
    };
    assert_eq!(values::<bool>(&bools), [false, true, true]);
}

#[test]
fn string_content_is_lengths_then_bytes() {
    let mut p = pb::TensorProto {
        tensor_content: b"\x02\x00\x01abc".to_vec(),
        ..proto(DataType::String, &[3])
    };
    assert_eq!(values::<TString>(&p), ["ab", "", "c"].map(TString::from));
    let malformed = [
        b"\x02\x00\x01ab".as_slice(),
        b"\x02\x00\x01abcd",
        b"\x02\x00",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f\0\0",
    ];
    for content in malformed {
        p.tensor_content = content.to_vec();
        assert_eq!(code(&p), Code::InvalidArgument, "{content:?}");
    }
}

#[test]
fn hostile_protos_are_refused_without_the_memory() {
    let mut p = proto(DataType::Float, &[1 << 40]);
    assert_eq!(code(&p), Code::InvalidArgument);
    p.tensor_shape = shape(&[1 << 40, 1 << 40]);
    assert_eq!(code(&p), Code::InvalidArgument);
    for dims in [[-1].as_slice(), &[-2], &[1; 255]] {
        p.tensor_shape = shape(dims);
        assert_eq!(code(&p), Code::InvalidArgument, "{dims:?}");
    }
    for dtype in [-1, 0, 34, 101] {
        p = pb::TensorProto {
            dtype,
            ..pb::TensorProto::default()
        };
        assert_eq!(code(&p), Code::InvalidArgument, "dtype {dtype}");
    }
    p = pb::TensorProto {
        tensor_content: vec![0],
        ..proto(DataType::String, &[1 << 40])
    };
    assert_eq!(code(&p), Code::InvalidArgument);

    // Many tensors that are each small enough are not, together.
    let some = |elements| proto(DataType::Double, &[elements]);
    let list = pb::attr_value::ListValue {
        tensor: vec![some(1 << 16), some((1 << 28) - (1 << 15))],
        ..Default::default()
    };
    let list = pb::AttrValue {
        value: Some(pb::attr_value::Value::List(list)),
    };
    assert_eq!(
        crate::attr_value_from_proto(&list)
            .expect_err("too large")
            .code(),
        Code::InvalidArgument
    );
}

#[test]
fn an_unknown_rank_is_passed_over() {
    let read = |dims: &[i64]| {
        let p = pb::TensorProto {
            tensor_shape: Some(pb::TensorShapeProto {
                unknown_rank: true,
                ..shape(dims).expect("a shape")
            }),
            float_val: vec![7.0],
            ..proto(DataType::Float, &[])
        };
        tensor_from_proto(&p).expect("a tensor")
    };
    assert_eq!(read(&[]).dims(), []);
    assert_eq!(read(&[3]).as_slice::<f32>().expect("floats"), [7.0; 3]);
}

#[test]
fn tensors_of_every_plain_type_round_trip() {
    let plain = DTypeSet::PLAIN.iter();
    for dtype in plain {
        for dims in [[].as_slice(), &[1], &[3], &[0, 2], &[2, 2]] {
            let shape = Shape::new(dims).expect("a shape");
            let len = shape.num_elements() * dtype.size();
            // Sub-byte types hold small numbers, bools 0 and 1.
            let bytes: Vec<u8> = (0..len).map(|i| (i as u8 + 1) & 1).collect();
            let tensor = Tensor::from_plain_bytes(dtype, shape, &bytes).expect("fits");
            let again =
                tensor_from_proto(&tensor_to_proto(&tensor).expect("writes")).expect("reads");
            assert_eq!(again.dtype(), dtype);
            assert_eq!(again.dims(), dims);
            assert_eq!(again.as_bytes().expect("plain"), bytes, "{dtype}");
        }
    }
    let strings = Tensor::vector(&["", "a\0b"].map(TString::from)).expect("memory");
    let again = tensor_from_proto(&tensor_to_proto(&strings).expect("writes")).expect("reads");
    assert_eq!(
        again.as_slice::<TString>().expect("strings"),
        strings.as_slice::<TString>().expect("strings")
    );
    let null = Tensor::zeros(DataType::Resource, Shape::vector(2)).expect("memory");
    let again = tensor_from_proto(&tensor_to_proto(&null).expect("writes")).expect("reads");
    assert_eq!(
        (again.dtype(), again.num_elements()),
        (DataType::Resource, 2)
    );
    let handle = ResourceHandle::new(tfe_core::ResourceRef {
        device: String::new(),
        container: String::new(),
        name: String::new(),
        type_name: "",
        slot: std::sync::Arc::new(()),
    });
    let held = Tensor::scalar(handle).expect("memory");
    assert_eq!(
        tensor_to_proto(&held).expect_err("no values").code(),
        Code::Unimplemented
    );
}
