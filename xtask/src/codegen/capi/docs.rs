//! The part of `docs/c-api.md` that says which functions are real.

use std::fmt::Write as _;

use super::Header;
use super::prototype::Prototype;

/// Counts, then the names header by header.
pub(super) fn list(headers: &[Header]) -> String {
    let count = |list: fn(&Header) -> &[Prototype]| -> usize {
        headers.iter().map(|header| list(header).len()).sum()
    };
    let (real, stubs) = (count(|h| &h.real), count(|h| &h.stubs));
    let mut out = format!(
        "\nOf the {} functions in these headers, {real} are real and {stubs} are stubs.\n",
        real + stubs
    );
    for header in headers {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "\n### `{}`", header.path);
        for (what, prototypes) in [("Real", &header.real), ("Stubs", &header.stubs)] {
            if !prototypes.is_empty() {
                let names: Vec<_> = prototypes.iter().map(|p| format!("`{}`", p.name)).collect();
                let _ = writeln!(out, "\n{what} ({}): {}.", names.len(), names.join(", "));
            }
        }
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_counted_and_named() {
        let parse = |text| Prototype::parse(text).unwrap();
        let header = Header {
            path: "a.h".to_owned(),
            real: vec![parse("void TF_A (void);")],
            stubs: vec![parse("void TF_B (void);"), parse("int TF_C (int);")],
        };
        let text = list(&[header]);
        assert!(text.contains("Of the 3 functions in these headers, 1 are real"));
        assert!(text.contains("### `a.h`\n\nReal (1): `TF_A`.\n\nStubs (2): `TF_B`, `TF_C`.\n"));
    }
}
