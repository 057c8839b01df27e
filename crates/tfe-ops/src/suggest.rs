//! What somebody may have meant who wrote a name that there is not.

/// How alike two names must be, from 0 to 1.
const ALIKE: f64 = 0.75;
const MOST: usize = 3;

/// `; did you mean 'MatMul'?` with the names that come closest, or nothing.
///
/// ```
/// use tfe_ops::did_you_mean;
///
/// assert_eq!(did_you_mean("matmull", ["MatMul", "Relu"]), "; did you mean 'MatMul'?");
/// assert_eq!(did_you_mean("Frobnicate", ["MatMul", "Relu"]), "");
/// ```
pub fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    close_names(name, names).map_or_else(String::new, |close| format!("; did you mean {close}?"))
}

/// [`did_you_mean`] as a sentence of its own, to follow another.
pub fn did_you_mean_sentence<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    close_names(name, names).map_or_else(String::new, |close| format!(" Did you mean {close}?"))
}

/// `'Relu' or 'Elu'`.
fn close_names<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let lower = name.to_lowercase();
    // Each letter that one name has more is one that differs: most names need no closer look.
    let len = lower.chars().count();
    let near = |n: &str| {
        let n = n.chars().count();
        len.min(n) as f64 >= ALIKE * len.max(n) as f64
    };
    let mut close: Vec<(f64, &str)> = names
        .into_iter()
        .filter(|n| near(n))
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
    (!close.is_empty()).then(|| close.join(" or "))
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
