//! `ConcatV2` and `StridedSlice` against plain references, on random calls and on big ones; what shares memory.

use proptest::prelude::*;
use tfe_attrs::AttrValue;
use tfe_core::{Code, Complex128, DataType, Element, Result, TString, Tensor, dispatch};

use crate::testing::run;

/// One index of a strided slice as a NumPy user would write it.
#[derive(Clone, Debug)]
enum Entry {
    /// `begin:end:stride`
    Range(Option<i64>, Option<i64>, i64),
    /// `index`
    Index(i64),
    NewAxis,
    Ellipsis,
}

/// Shapes, each with entries that fit it. The ellipsis is there or not, and stands for any number of dimensions.
fn shape_and_entries() -> impl Strategy<Value = (Vec<i64>, Vec<Entry>)> {
    let number = || prop_oneof![9 => -9i64..10, 1 => prop_oneof![Just(i64::MIN), Just(i64::MAX), any::<i64>()]];
    let stride = number().prop_filter("a stride of 0 is an error", |&s| s != 0);
    let range = (
        prop::option::of(number()),
        prop::option::of(number()),
        stride,
    )
        .prop_map(|(begin, end, stride)| Entry::Range(begin, end, stride));
    let dim = (0i64..6).prop_flat_map(move |size| {
        let entry = if size == 0 {
            range.clone().boxed()
        } else {
            prop_oneof![3 => range.clone(), 1 => (-size..size).prop_map(Entry::Index)].boxed()
        };
        // An axis of size 1 may be put before any entry.
        (Just(size), entry, prop::bool::weighted(0.2))
    });
    let unnamed = prop::option::of(prop::collection::vec(0i64..4, 0..3));
    (
        prop::collection::vec(dim, 0..5),
        unnamed,
        any::<prop::sample::Index>(),
    )
        .prop_map(|(dims, unnamed, place)| {
            let place = place.index(dims.len() + 1);
            let (mut shape, mut entries) = (Vec::new(), Vec::new());
            for i in 0..=dims.len() {
                if let Some(sizes) = unnamed.as_ref().filter(|_| i == place) {
                    shape.extend(sizes);
                    entries.push(Entry::Ellipsis);
                }
                if let Some((size, entry, new_axis)) = dims.get(i) {
                    entries.extend(new_axis.then_some(Entry::NewAxis));
                    entries.push(entry.clone());
                    shape.push(*size);
                }
            }
            (shape, entries)
        })
}

/// The indices that `begin:end:stride` takes of a dimension, by walking.
fn walked(size: i64, begin: Option<i64>, end: Option<i64>, stride: i64) -> Vec<i64> {
    let (size, stride) = (i128::from(size), i128::from(stride));
    let (low, high) = if stride > 0 {
        (0, size)
    } else {
        (-1, size - 1)
    };
    let place = |given: Option<i64>, default| {
        let given = given.map(i128::from);
        given.map_or(default, |i| {
            if i < 0 { i + size } else { i }.clamp(low, high)
        })
    };
    let (first, last) = if stride > 0 { (low, high) } else { (high, low) };
    let (mut at, end) = (place(begin, first), place(end, last));
    let mut indices = Vec::new();
    while (stride > 0 && at < end) || (stride < 0 && at > end) {
        indices.push(at as i64);
        at += stride;
    }
    indices
}

/// Shape of the slice, and for each of its elements the position in the input.
fn naive_slice(shape: &[i64], entries: &[Entry]) -> (Vec<i64>, Vec<usize>) {
    let named = |e: &&Entry| matches!(e, Entry::Range(..) | Entry::Index(_));
    let unnamed = shape.len() - entries.iter().filter(named).count();
    let mut sizes = shape.iter().copied();
    let (mut dims, mut positions) = (Vec::new(), vec![0usize]);
    let mut take = |size: i64, indices: Vec<i64>, dims: &mut Vec<i64>, kept: bool| {
        dims.extend(kept.then_some(indices.len() as i64));
        let step = |&at: &usize| {
            let of = |&i: &i64| at * size as usize + i as usize;
            indices.iter().map(of).collect::<Vec<_>>()
        };
        positions = positions.iter().flat_map(step).collect();
    };
    // What no entry names is at the end when there is no ellipsis.
    let implied = [Entry::Ellipsis];
    let has_ellipsis = entries.iter().any(|e| matches!(e, Entry::Ellipsis));
    for entry in entries
        .iter()
        .chain(implied.iter().filter(|_| !has_ellipsis))
    {
        match *entry {
            Entry::NewAxis => dims.push(1),
            Entry::Ellipsis => {
                for size in sizes.by_ref().take(unnamed) {
                    take(size, (0..size).collect(), &mut dims, true);
                }
            }
            Entry::Index(i) => {
                let size = sizes.next().expect("a dimension for each entry");
                take(size, vec![i.rem_euclid(size)], &mut dims, false);
            }
            Entry::Range(begin, end, stride) => {
                let size = sizes.next().expect("a dimension for each entry");
                take(size, walked(size, begin, end, stride), &mut dims, true);
            }
        }
    }
    (dims, positions)
}

fn slice(input: Tensor, entries: &[Entry]) -> Result<Tensor> {
    let (mut begin, mut end, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    let mut masks = [0i64; 5];
    for (i, entry) in entries.iter().enumerate() {
        let (b, e, s, mask) = match *entry {
            // What a mask replaces may be anything.
            Entry::Range(b, e, s) => (b.unwrap_or(77), e.unwrap_or(-77), s, None),
            Entry::Index(i) => (i, 77, 1, Some(4)),
            Entry::NewAxis => (77, 77, 0, Some(3)),
            Entry::Ellipsis => (77, 77, 0, Some(2)),
        };
        begin.push(b);
        end.push(e);
        strides.push(s);
        if let Entry::Range(b, e, _) = entry {
            masks[0] |= i64::from(b.is_none()) << i;
            masks[1] |= i64::from(e.is_none()) << i;
        }
        if let Some(mask) = mask {
            masks[mask] |= 1 << i;
        }
    }
    let names = [
        "begin_mask",
        "end_mask",
        "ellipsis_mask",
        "new_axis_mask",
        "shrink_axis_mask",
    ];
    let attrs: Vec<_> = names.into_iter().zip(masks.map(AttrValue::from)).collect();
    let indices = [begin, end, strides].map(|v| Tensor::vector(&v).expect("memory"));
    let mut out = run(
        "StridedSlice",
        &attrs,
        [input].into_iter().chain(indices).collect(),
    )?;
    Ok(out.swap_remove(0))
}

/// A tensor of that shape whose elements are all different, as far as the type has so many values.
fn numbered(dtype: DataType, dims: &[i64], first: usize) -> Tensor {
    let n = dims.iter().product::<i64>() as usize;
    let numbers = first..first + n;
    match dtype {
        DataType::String => {
            let text = |i| TString::from(format!("element number {i}"));
            Tensor::from_iter(dims, numbers.map(text).collect::<Vec<_>>())
        }
        DataType::Complex128 => {
            Tensor::from_iter(dims, numbers.map(|i| Complex128::new(i as f64, 1.0)))
        }
        DataType::Int8 => Tensor::from_iter(dims, numbers.map(|i| i as i8)),
        DataType::Uint16 => Tensor::from_iter(dims, numbers.map(|i| i as u16)),
        DataType::Float => Tensor::from_iter(dims, numbers.map(|i| i as f32)),
        _ => Tensor::from_iter(dims, numbers.map(|i| i as i64)),
    }
    .expect("a small tensor")
}

/// A type of each width, and one that owns memory.
fn dtype() -> impl Strategy<Value = DataType> {
    use DataType as D;
    prop::sample::select(
        &[
            D::Int8,
            D::Uint16,
            D::Float,
            D::Int64,
            D::Complex128,
            D::String,
        ][..],
    )
}

/// Whether `got` has that shape, and as elements those of `all` at `positions`.
fn holds(got: &Tensor, dims: &[i64], all: &Tensor, positions: &[usize]) -> bool {
    fn same<T: Element + PartialEq>(got: &Tensor, all: &Tensor, at: &[usize]) -> Result<bool> {
        let (got, all) = (got.as_slice::<T>()?, all.as_slice::<T>()?);
        Ok(got.len() == at.len() && got.iter().zip(at).all(|(v, &i)| *v == all[i]))
    }
    use DataType as D;
    let elements = match all.dtype() {
        D::String => same::<TString>(got, all, positions),
        dtype => dispatch!(dtype, Number, |T| same::<T>(got, all, positions)),
    };
    got.dims() == dims && elements.expect("types of `numbered`")
}

proptest! {
    #[test]
    fn slices_are_those_of_the_reference((shape, entries) in shape_and_entries(), dtype in dtype()) {
        let input = numbered(dtype, &shape, 0);
        let (dims, positions) = naive_slice(&shape, &entries);
        let got = slice(input.clone(), &entries).expect("valid");
        prop_assert!(holds(&got, &dims, &input, &positions), "{got:?}, wanted {dims:?} {positions:?}");
    }

    #[test]
    fn any_numbers_give_a_result_or_a_status(
        shape in prop::collection::vec(0i64..3, 0..4),
        numbers in prop::collection::vec(prop_oneof![-3i64..4, any::<i64>()], 0..120),
        masks in prop::array::uniform5(prop_oneof![any::<i32>(), 0i32..8]),
    ) {
        let third = numbers.len() / 3;
        let indices = numbers.chunks_exact(third.max(1)).take(3).map(|v| Tensor::vector(v).unwrap());
        let inputs: Vec<_> = [numbered(DataType::Float, &shape, 0)].into_iter().chain(indices).collect();
        prop_assume!(inputs.len() == 4);
        let names = ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"];
        let attrs: Vec<_> = names.into_iter().zip(masks.map(AttrValue::from)).collect();
        if let Err(e) = run("StridedSlice", &attrs, inputs) {
            prop_assert_eq!(e.code(), Code::InvalidArgument);
        }
    }

    #[test]
    fn joined_tensors_are_those_of_the_reference(
        before in prop::collection::vec(0i64..4, 0..3),
        sizes in prop::collection::vec(0i64..5, 2..6),
        after in prop::collection::vec(0i64..4, 0..3),
        from_end in any::<bool>(),
        dtype in dtype(),
    ) {
        let shape = |size: i64| [&before[..], &[size], &after[..]].concat();
        let axis = before.len() as i64 - if from_end { (before.len() + after.len() + 1) as i64 } else { 0 };
        let row = after.iter().product::<i64>() as usize;
        let rows = before.iter().product::<i64>() as usize;
        let total = sizes.iter().sum::<i64>();
        // All elements, one input after the other; and where each of the result's is among them.
        let all = numbered(dtype, &[rows as i64 * total * row as i64], 0);
        let (mut inputs, mut starts) = (Vec::new(), vec![0]);
        for &size in &sizes {
            let start = starts[inputs.len()];
            inputs.push(numbered(dtype, &shape(size), start));
            starts.push(start + rows * size as usize * row);
        }
        let mut positions = Vec::new();
        for r in 0..rows {
            for (&size, &start) in sizes.iter().zip(&starts) {
                let n = size as usize * row;
                positions.extend((0..n).map(|i| start + r * n + i));
            }
        }
        let got = concat(inputs, axis).expect("valid");
        prop_assert!(holds(&got, &shape(total), &all, &positions), "{got:?}");
    }
}

fn concat(mut inputs: Vec<Tensor>, axis: i64) -> Result<Tensor> {
    let attrs = [
        ("N", (inputs.len() as i64).into()),
        ("T", inputs[0].dtype().into()),
        ("Tidx", DataType::Int64.into()),
    ];
    inputs.push(Tensor::scalar(axis)?);
    Ok(run("ConcatV2", &attrs, inputs)?.swap_remove(0))
}

#[test]
fn big_tensors_are_cut_into_pieces() {
    let (rows, cols) = (700, 900);
    let input = numbered(DataType::Int64, &[rows, cols], 0);
    for entries in [
        vec![Entry::Range(None, None, -1), Entry::Range(Some(1), None, 1)],
        vec![Entry::Range(None, None, 1), Entry::Range(None, None, -1)],
        vec![
            Entry::Range(Some(3), None, 1),
            Entry::Range(Some(3), Some(-1), 1),
        ],
        vec![
            Entry::Index(-1),
            Entry::NewAxis,
            Entry::Range(None, None, 7),
        ],
    ] {
        let (dims, positions) = naive_slice(&[rows, cols], &entries);
        let got = slice(input.clone(), &entries).expect("valid");
        assert!(holds(&got, &dims, &input, &positions), "{entries:?}");
    }
    for axis in [0, 1] {
        let parts = [0, 500_000].map(|first| numbered(DataType::Int64, &[600, 600], first));
        let got = concat(parts.to_vec(), axis).expect("valid");
        let position = |i: i64| {
            let (row, col) = if axis == 0 {
                (i / 600, i % 600)
            } else {
                (i / 1200, i % 1200)
            };
            let (part, row, col) = if axis == 0 {
                (row / 600, row % 600, col)
            } else {
                (col / 600, row, col % 600)
            };
            part * 500_000 + row * 600 + col
        };
        let values = got.as_slice::<i64>().expect("int64");
        assert!(
            values.iter().copied().eq((0..720_000).map(position)),
            "axis {axis}"
        );
    }
}

#[test]
fn only_whole_tensors_and_aligned_rows_share_memory() {
    let range = |begin, end, stride| Entry::Range(Some(begin), Some(end), stride);
    for (shape, entries, shared) in [
        (&[8, 16][..], vec![], true),
        (
            &[8, 16],
            vec![Entry::NewAxis, range(0, 8, 1), Entry::Ellipsis],
            true,
        ),
        (&[8, 16], vec![range(2, 5, 1)], true),
        (&[8, 16], vec![Entry::Index(3)], true),
        (&[8, 16], vec![range(2, 5, 1), range(0, 16, 1)], true),
        (&[8, 16], vec![range(2, 5, 2)], false),
        (&[8, 16], vec![range(0, 8, 1), range(0, 15, 1)], false),
        (&[8, 16], vec![range(5, 2, 1)], false),
        (&[8, 15], vec![range(0, 2, 1)], false),
        (&[8, 1, 32], vec![range(1, 2, 1)], true),
        (&[64], vec![range(16, 48, 1)], true),
        (&[64], vec![range(16, 47, 1)], false),
        (&[64], vec![range(15, 48, 1)], false),
        (&[], vec![Entry::NewAxis], true),
        (&[1, 3], vec![range(0, 1, 2)], true),
    ] {
        let input = numbered(DataType::Float, shape, 0);
        let got = slice(input.clone(), &entries).expect("valid");
        assert_eq!(
            got.buffer().same(input.buffer()),
            shared,
            "{shape:?} {entries:?}"
        );
    }
    // Rows of a view that is not aligned itself.
    let odd = numbered(DataType::Float, &[65], 0)
        .rows(1, 65)
        .expect("rows");
    let got = slice(odd.clone(), &[range(16, 48, 1)]).expect("valid");
    assert!(!got.buffer().same(odd.buffer()) && got.as_slice::<f32>().expect("float")[0] == 17.0);
}

#[test]
fn faults_are_named() {
    let tensor = |dims: &[i64]| numbered(DataType::Float, dims, 0);
    for (inputs, axis, message) in [
        (
            vec![tensor(&[2]), tensor(&[2])],
            i64::MIN,
            "dimensions in the range [-1, 1), but got -92",
        ),
        (
            vec![tensor(&[2]), tensor(&[2])],
            1 << 40,
            "dimensions in the range [-1, 1), but got 1099",
        ),
        (
            vec![tensor(&[]), tensor(&[])],
            1,
            "dimensions in the range [0, 0), but got 1",
        ),
        (
            vec![tensor(&[]), tensor(&[])],
            0,
            "Can't concatenate scalars (use tf.stack instead)",
        ),
        (
            vec![tensor(&[2]), tensor(&[])],
            0,
            "Can't concatenate scalars (use tf.stack instead)",
        ),
        (
            vec![tensor(&[0, 1 << 62]), tensor(&[0, 1 << 62])],
            1,
            "2**63",
        ),
        (
            vec![tensor(&[0, 1 << 62]), tensor(&[1 << 62, 0])],
            1,
            "shape[0] = [0,46",
        ),
    ] {
        let e = concat(inputs, axis).expect_err(message);
        assert_eq!(e.code(), Code::InvalidArgument);
        assert!(e.message().contains(message), "{e}");
    }
    let wide = ("begin_mask", AttrValue::from(1i64 << 32));
    let index = Tensor::vector(&[0i16]).expect("memory");
    let inputs = vec![tensor(&[2]), index.clone(), index.clone(), index];
    let e = run("StridedSlice", &[wide], inputs).expect_err("no int32");
    assert_eq!(
        e.message(),
        "Attr begin_mask has value 4294967296 out of range for an int32"
    );
    let value = AttrValue::from(tensor(&[]));
    let e = run(
        "Const",
        &[("value", value), ("dtype", DataType::Int32.into())],
        vec![],
    );
    let e = e.expect_err("another type");
    assert_eq!(
        e.message(),
        "Type mismatch between value (float) and dtype (int32)"
    );
}
