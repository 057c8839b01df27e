//! Files that are read, refused, and written.

use super::*;

fn file(descr: &str, fortran: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let header =
        format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}     \n");
    let mut file = [MAGIC, &[1, 0], &(header.len() as u16).to_le_bytes()].concat();
    file.extend_from_slice(header.as_bytes());
    file.extend_from_slice(data);
    file
}

#[track_caller]
fn check(file: &[u8], wanted: &str) {
    let t = read(file).expect("a tensor");
    assert_eq!(format!("{t:?}"), wanted);
}

#[test]
fn elements_of_each_order_are_read() {
    let halves = [0x3c00u16, 0xc000];
    let bytes: Vec<u8> = halves.iter().flat_map(|h| h.to_le_bytes()).collect();
    check(
        &file("<f2", "False", "(2,)", &bytes),
        "Tensor(half[2] [1.0, -2.0])",
    );
    let bytes: Vec<u8> = halves.iter().flat_map(|h| h.to_be_bytes()).collect();
    check(
        &file(">f2", "False", "(1, 2)", &bytes),
        "Tensor(half[1,2] [1.0, -2.0])",
    );
    let bytes = [1.5f32.to_be_bytes(), (-1.0f32).to_be_bytes()].concat();
    check(
        &file(">c8", "False", "()", &bytes),
        "Tensor(complex64[] [Complex { re: 1.5, im: -1.0 }])",
    );
    // By columns: 1 3 5, then 2 4 6.
    check(
        &file("|u1", "True", "(3L, 2L)", &[1, 3, 5, 2, 4, 6]),
        "Tensor(uint8[3,2] [1, 2, 3, 4, 5, 6])",
    );
    check(&file("|b1", "False", "(0, 3)", &[]), "Tensor(bool[0,3] [])");
}

#[test]
fn what_is_written_is_read_back() {
    let tensors = [
        Tensor::from_slice(&[2, 2], &[1.5f32, -0.0, f32::INFINITY, 1e-40]),
        Tensor::scalar(true),
        Tensor::vector(&[1u8, 2, 255]),
        Tensor::vector(&[i64::MIN, 7]),
        Tensor::from_slice::<f64>(&[0, 3], &[]),
        Tensor::scalar(tfe_eager::Complex128::new(1.0, -2.0)),
        Tensor::vector(&[tfe_eager::f16::ONE]),
        Tensor::vector(&[TString::from("é"), TString::from(&b"\xff\0a"[..])]),
        Tensor::vector(&[TString::from("")]),
    ];
    for tensor in tensors {
        let tensor = tensor.expect("a tensor");
        let file = write(&tensor).expect("a file");
        assert!(is_npy(&file));
        let start = file.iter().position(|&b| b == b'\n').expect("a header") + 1;
        assert_eq!(start % 64, 0);
        let read = read(&file).expect("a tensor");
        assert_eq!(format!("{read:?}"), format!("{tensor:?}"));
    }
    let header = write(&Tensor::vector(&[1i32, 2, 3]).expect("a tensor")).expect("a file");
    let wanted = b"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), } ";
    assert!(cfg!(target_endian = "big") || header[10..].starts_with(wanted));
    for tensor in [
        Tensor::scalar(tfe_eager::bf16::ONE),
        Tensor::scalar(TString::from("a\0")),
    ] {
        assert!(write(&tensor.expect("a tensor")).is_err());
    }
}

#[test]
fn strings_are_read() {
    check(
        &file("|S3", "False", "(2,)", b"ab\0\xff\0c"),
        "Tensor(string[2] [\"ab\", \"\\xff\\x00c\"])",
    );
    let text: Vec<u8> = "é\0b\0"
        .chars()
        .flat_map(|c| u32::from(c).to_le_bytes())
        .collect();
    let t = read(&file("<U2", "False", "(2,)", &text)).expect("strings");
    let strings = t.as_slice::<TString>().expect("strings");
    assert_eq!(strings[0].as_bytes(), "é".as_bytes());
    assert_eq!(strings[1].as_bytes(), b"b");
}

#[test]
fn what_is_no_tensor_is_refused() {
    let good = file("<i4", "False", "(1,)", &[1, 0, 0, 0]);
    assert!(read(&good).is_ok());
    for end in 0..good.len() {
        assert!(read(&good[..end]).is_err(), "{end}");
    }
    for file in [
        file("|O", "False", "(1,)", &[]),
        file("<f16", "False", "(1,)", &[0; 16]),
        file("<M8[ns]", "False", "(1,)", &[0; 8]),
        file("<i4", "Maybe", "(1,)", &[0; 4]),
        file("<i4", "False", "(-1,)", &[0; 4]),
        file("<i4", "False", "(99999999999999, 99999999999999)", &[]),
        file("|b1", "False", "(1,)", &[2]),
        file("<U1", "False", "(1,)", &[0, 0xd8, 0, 0]),
        file("é", "False", "(1,)", &[0, 0xd8, 0, 0]),
    ] {
        assert!(read(&file).is_err());
    }
}
