//! Command lines: a command, switches, options with a value, and words.

use anyhow::{Result, bail};

/// What is left of a command line; each method takes out what it understands.
pub(crate) struct Flags {
    rest: Vec<String>,
}

impl Flags {
    pub(crate) fn new(args: Vec<String>) -> Flags {
        Flags { rest: args }
    }

    /// Takes the first word.
    pub(crate) fn command(&mut self) -> Option<String> {
        if self.rest.is_empty() {
            None
        } else {
            Some(self.rest.remove(0))
        }
    }

    /// Takes `--name` and says whether it was there.
    pub(crate) fn switch(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|arg| arg != name);
        self.rest.len() != before
    }

    /// Takes `--name VALUE` or `--name=VALUE`.
    pub(crate) fn option(&mut self, name: &str) -> Result<Option<String>> {
        let Some(at) = self.rest.iter().position(|arg| {
            arg.strip_prefix(name)
                .is_some_and(|tail| tail.is_empty() || tail.starts_with('='))
        }) else {
            return Ok(None);
        };
        let arg = self.rest.remove(at);
        if let Some((_, value)) = arg.split_once('=') {
            return Ok(Some(value.to_owned()));
        }
        if at < self.rest.len() && !self.rest[at].starts_with("--") {
            return Ok(Some(self.rest.remove(at)));
        }
        bail!("{name} wants a value")
    }

    /// Takes the words that are left; an unknown flag among them is an error.
    pub(crate) fn words(self) -> Result<Vec<String>> {
        match self.rest.iter().find(|arg| arg.starts_with('-')) {
            Some(flag) => bail!("unknown flag '{flag}'"),
            None => Ok(self.rest),
        }
    }

    /// Fails if anything is left.
    pub(crate) fn finish(self) -> Result<()> {
        match self.words()?.first() {
            Some(word) => bail!("unexpected argument '{word}'"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(line: &str) -> Flags {
        Flags::new(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn takes_switches_options_and_words() {
        let mut f = flags("ci --strict fmt --profile ci tidy --vs=a=b");
        assert_eq!(f.command().as_deref(), Some("ci"));
        assert!(f.switch("--strict"));
        assert!(!f.switch("--strict"));
        assert_eq!(f.option("--profile").unwrap().as_deref(), Some("ci"));
        assert_eq!(f.option("--vs").unwrap().as_deref(), Some("a=b"));
        assert_eq!(f.option("--vs").unwrap(), None);
        assert_eq!(f.words().unwrap(), ["fmt", "tidy"]);
    }

    #[test]
    fn refuses_what_it_does_not_know() {
        assert!(flags("--what").words().is_err());
        assert!(flags("word").finish().is_err());
        assert!(flags("--profile").option("--profile").is_err());
        assert!(flags("--profile --check").option("--profile").is_err());
        // A longer name is another flag.
        assert_eq!(flags("--profiles x").option("--profile").unwrap(), None);
    }
}
