//! What somebody may have meant who wrote a name that there is not.

/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.75;
const MOST: usize = 3;

/// `; did you mean 'MatMul'?` with the names that come closest, or nothing.
pub(crate) fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let lower = name.to_lowercase();
    let mut close: Vec<(f64, &str)> = names
        .into_iter()
        .map(|n| {
            let alike = strsim::normalized_damerau_levenshtein(&lower, &n.to_lowercase());
            (alike, n)
        })
        .filter(|&(alike, _)| alike >= ALIKE)
        .collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    // Where one is the same but for capitals, nothing else was meant.
    let few = match close.first() {
        Some((1.0, _)) => 1,
        _ => MOST,
    };
    let close: Vec<String> = close
        .iter()
        .take(few)
        .map(|(_, n)| format!("'{n}'"))
        .collect();
    match &close[..] {
        [] => String::new(),
        close => format!("; did you mean {}?", close.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_suggested() {
        let names = ["MatMul", "BatchMatMul", "Relu", "Relu6"];
        let check = |name| did_you_mean(name, names);
        assert_eq!(check("matmul"), "; did you mean 'MatMul'?");
        assert_eq!(check("MatMull"), "; did you mean 'MatMul'?");
        assert_eq!(check("Relu5"), "; did you mean 'Relu' or 'Relu6'?");
        assert_eq!(check("Frobnicate"), "");
    }
}
