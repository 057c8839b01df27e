//! Files that are written: what cannot be compared bit by bit with recorded results.

use tfe_core::{Code, DataType, Shape, TString, Tensor};

use crate::testing::run;

fn contents(bytes: &[u8]) -> Vec<Tensor> {
    vec![Tensor::scalar(TString::from(bytes)).expect("memory")]
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
