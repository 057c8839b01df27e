//! What cannot be compared bit by bit with recorded results: JPEG, whose transform may be rounded in several ways, and
//! files that are written.

use tfe_core::{Code, DataType, Shape, TString, Tensor};

use crate::testing::run;

/// 10 by 6 pixels at quality 100, written by TensorFlow from the colours below.
const GRADIENT: &[u8] = include_bytes!("gradient.jpg");

fn gradient() -> impl Iterator<Item = u8> {
    (0..6).flat_map(|y| (0..10).flat_map(move |x| [x * 20, y * 40, (x + y) * 15]))
}

fn contents(bytes: &[u8]) -> Vec<Tensor> {
    vec![Tensor::scalar(TString::from(bytes)).expect("memory")]
}

#[test]
fn jpeg_is_close_to_what_was_compressed() {
    let got = run("DecodeJpeg", &[], contents(GRADIENT)).expect("a valid file");
    assert_eq!(got[0].dims(), [6, 10, 3]);
    for (got, want) in got[0]
        .as_slice::<u8>()
        .expect("bytes")
        .iter()
        .zip(gradient())
    {
        assert!(got.abs_diff(want) <= 3, "{got} for {want}");
    }
    // Each pixel of a smaller one is the mean of those that it covers.
    let got = run("DecodeJpeg", &[("ratio", 4.into())], contents(GRADIENT)).expect("valid");
    assert_eq!(got[0].dims(), [2, 3, 3]);
    let got = got[0].as_slice::<u8>().expect("bytes");
    for (got, want) in got
        .iter()
        .zip([30, 60, 45, 110, 60, 105, 170, 60, 150, 30, 180, 90])
    {
        assert!(got.abs_diff(want) <= 3, "{got} for {want}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let data: Vec<u16> = (0..2 * 3 * 4 * 4).map(|i| i * 523).collect();
    for (dtype, most) in [(DataType::Uint8, 255), (DataType::Uint16, 65535)] {
        for channels in 1..=4 {
            for level in [-1, 0, 9] {
                let dims = [2, 3, 4, channels];
                let n = dims.iter().product::<i64>() as usize;
                let words = data[..n].iter().map(|&x| x & most);
                let images = match dtype {
                    DataType::Uint8 => Tensor::from_iter(&dims, words.map(|x| x as u8)),
                    _ => Tensor::from_iter(&dims, words),
                }
                .expect("a tensor");
                let attrs = [("compression", level.into())];
                let files = run("EncodePng", &attrs, vec![images.clone()]).expect("images");
                assert_eq!(files[0].dims(), [2]);
                let files = files[0].as_slice::<TString>().expect("strings");
                for (i, file) in files.iter().enumerate() {
                    let attrs = [("dtype", dtype.into())];
                    let back = run("DecodePng", &attrs, contents(file.as_bytes()));
                    let back = back.expect("a valid file").remove(0);
                    let image = images.rows(i, i + 1).expect("an image");
                    assert_eq!(back.dims(), &image.dims()[1..]);
                    assert_eq!(
                        back.as_bytes().expect("plain"),
                        image.as_bytes().expect("plain")
                    );
                }
            }
        }
    }
}

#[test]
fn images_that_no_file_can_hold() {
    let encode = |dims: &[i64]| {
        let shape = Shape::new(dims).expect("a shape");
        let images = Tensor::zeros(DataType::Uint8, shape).expect("memory");
        run("EncodePng", &[], vec![images]).map_err(|e| e.code())
    };
    for dims in [
        &[2, 2][..],
        &[],
        &[2, 2, 0],
        &[2, 2, 5],
        &[0, 2, 1],
        &[2, 0, 1],
    ] {
        assert_eq!(encode(dims).err(), Some(Code::InvalidArgument), "{dims:?}");
    }
    let none = encode(&[0, 2, 2, 3]).expect("no image");
    assert_eq!(none[0].dims(), [0]);
}
