//! `StringJoin`: scalars at every place, bytes of any kind, shapes that do not fit. `AsString`: the widest fields.

use tfe_core::{Result, TString, Tensor};

use crate::testing::run;

fn join(inputs: &[(&[i64], &[&[u8]])], separator: &str) -> Result<(Vec<i64>, Vec<Vec<u8>>)> {
    let attrs = [
        ("N", (inputs.len() as i64).into()),
        ("separator", separator.into()),
    ];
    let tensor = |&(dims, strings): &(&[i64], &[&[u8]])| {
        Tensor::from_iter(dims, strings.iter().map(|&s| TString::from(s)))
    };
    let inputs = inputs.iter().map(tensor).collect::<Result<_>>()?;
    let out = run("StringJoin", &attrs, inputs)?.swap_remove(0);
    let strings = out
        .as_slice::<TString>()?
        .iter()
        .map(|s| s.as_bytes().to_vec());
    Ok((out.dims().to_vec(), strings.collect()))
}

#[test]
fn strings_are_joined_place_by_place() {
    let long: &[u8] = &[7; 100];
    for (inputs, separator, dims, strings) in [
        (vec![], ",", &[][..], &[&b""[..]][..]),
        (vec![(&[][..], &[&b"a"[..]][..])], ",", &[], &[b"a"]),
        (
            vec![(&[2], &[b"a", b"\0\xff"]), (&[], &[b"b"])],
            "-",
            &[2],
            &[b"a-b", b"\0\xff-b"],
        ),
        (
            vec![(&[], &[b""]), (&[1, 1], &[b""]), (&[], &[b""])],
            ", ",
            &[1, 1],
            &[b", , "],
        ),
        (vec![(&[0, 2], &[]), (&[], &[b"b"])], "", &[0, 2], &[]),
        (vec![(&[1], &[long]), (&[1], &[b""])], "", &[1], &[long]),
    ] {
        let got = join(&inputs, separator).expect("shapes that fit");
        assert_eq!(got.0, dims);
        assert_eq!(got.1, strings);
    }
    let e = join(&[(&[1], &[b"a"]), (&[], &[b"b"]), (&[1, 1], &[b"c"])], "").expect_err("ranks");
    assert_eq!(
        e.to_string(),
        "INVALID_ARGUMENT: Input shapes do not match: [1] vs. [1,1]"
    );
}

#[test]
fn fields_may_be_wide() {
    const WIDE: usize = 1 << 24;
    let text = |attrs: &[(&str, i64)], input: Tensor| {
        let attrs: Vec<_> = attrs.iter().map(|&(name, n)| (name, n.into())).collect();
        let out = run("AsString", &attrs, vec![input]).expect("memory");
        out[0].scalar_value::<TString>().expect("a scalar")
    };
    let n = WIDE as i64;
    let number = text(&[("width", n)], Tensor::scalar(-7i32).expect("memory"));
    assert_eq!(number.len(), WIDE);
    assert!(number.as_bytes().ends_with(b" -7"));
    let string = Tensor::scalar(TString::from("ab")).expect("memory");
    let string = text(&[("width", n)], string);
    assert!(string.len() == WIDE && string.as_bytes().ends_with(b" ab"));
    let precise = text(&[("precision", n)], Tensor::scalar(1.5f32).expect("memory"));
    assert!(precise.len() == WIDE + 2 && precise.as_bytes().starts_with(b"1.500"));
}
