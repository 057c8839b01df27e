//! The list of what a device or runtime does not do yet, each with a reason.

use tfe_core::{Result, ensure, err};

/// Samples that are known to fail.
///
/// A line is the id of a sample (op, data types, name), a colon and the reason: `Sum/T=half,Tidx=int32/long: adds in
/// half`. Each part of an id may be `*`, which means all. Lines that start with `#` are comments.
#[derive(Clone, Debug, Default)]
pub struct Unsupported(Vec<String>);

impl Unsupported {
    /// Nothing is.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Reads a list.
    ///
    /// # Errors
    /// `InvalidArgument` for a line without a reason, or an entry that is there twice.
    pub fn parse(text: &str) -> Result<Self> {
        let mut entries: Vec<String> = Vec::new();
        for line in text
            .lines()
            .map(str::trim)
            .filter(|l| !l.is_empty() && !l.starts_with('#'))
        {
            let (entry, reason) = line
                .split_once(": ")
                .ok_or_else(|| err!(InvalidArgument, "'{line}' gives no reason"))?;
            ensure!(
                !reason.trim().is_empty(),
                InvalidArgument,
                "'{line}' gives no reason"
            );
            ensure!(
                !entries.iter().any(|e| e == entry),
                InvalidArgument,
                "'{entry}' is there twice"
            );
            entries.push(entry.to_owned());
        }
        Ok(Self(entries))
    }

    /// To look samples up and see which entries are never met.
    pub(super) fn checks(&self) -> Checks<'_> {
        Checks {
            entries: self.0.iter().map(|e| (e.as_str(), false)).collect(),
        }
    }
}

pub(super) struct Checks<'a> {
    entries: Vec<(&'a str, bool)>,
}

impl<'a> Checks<'a> {
    /// Whether an entry covers the sample of that id.
    pub(super) fn covers(&mut self, id: &str) -> bool {
        let covers = |entry: &str| {
            let (entry, id) = (entry.split('/'), id.split('/'));
            entry.clone().count() == id.clone().count()
                && entry.zip(id).all(|(e, i)| e == "*" || e == i)
        };
        let mut found = false;
        for (_, met) in self.entries.iter_mut().filter(|(entry, _)| covers(entry)) {
            *met = true;
            found = true;
        }
        found
    }

    /// Entries that covered nothing.
    pub(super) fn idle(self) -> impl Iterator<Item = &'a str> {
        self.entries
            .into_iter()
            .filter(|(_, met)| !met)
            .map(|(entry, _)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_cover_samples_and_need_reasons() {
        let list = Unsupported::parse("# none\n\nSum/*/odd: no\nCast/SrcT=int4/*: not yet\n");
        let list = list.expect("valid");
        let mut checks = list.checks();
        assert!(checks.covers("Sum/T=half/odd") && !checks.covers("Sum/T=half/odd2"));
        assert!(!checks.covers("Cast/SrcT=int42/a"));
        assert_eq!(checks.idle().collect::<Vec<_>>(), ["Cast/SrcT=int4/*"]);
        for text in ["Sum/T=half/odd", "Sum/a: ", "A/a: x\nA/a: y"] {
            assert!(Unsupported::parse(text).is_err(), "{text}");
        }
    }
}
