//! Rule for Markdown: a link to a file or a heading leads somewhere.

use super::{Complaints, File};

/// Every relative link of every Markdown file resolves.
pub(super) fn resolve(files: &[File]) -> Complaints {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| file.has_extension(&["md"])) {
        for (line, target) in links(&file.text) {
            if let Err(what) = follow(files, file, target) {
                complaints.push(format!("{}:{line}: {target}: {what}", file.path));
            }
        }
    }
    complaints
}

fn follow(files: &[File], from: &File, target: &str) -> Result<(), &'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(());
    }
    let (path, heading) = target.split_once('#').unwrap_or((target, ""));
    let path = if path.is_empty() {
        from.path.clone()
    } else {
        join(&from.path, path)
    };
    let dir = format!("{}/", path.trim_end_matches('/'));
    if files.iter().any(|file| file.path.starts_with(&dir)) {
        return Ok(());
    }
    let Some(file) = files.iter().find(|file| file.path == path) else {
        return Err("no such file");
    };
    if !heading.is_empty() && path.ends_with(".md") && !headings(&file.text).any(|h| h == heading) {
        return Err("no such heading");
    }
    Ok(())
}

/// Line number and target of each `[text](target)` outside code.
fn links(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every other part lies between backticks.
        for part in line.split('`').step_by(2) {
            for (at, _) in part.match_indices("](") {
                if let Some((target, _)) = part[at + 2..].split_once(')') {
                    let target = target.split(' ').next().unwrap_or_default();
                    found.push((number + 1, target.trim_matches(['<', '>'])));
                }
            }
        }
    }
    // A link whose text is code: "[`a`](b)" is split at the backtick, but "](" stays in one part.
    found
}

fn headings(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() != line.len()).then(|| slug(heading.trim()))
    })
}

/// The anchor that GitHub gives a heading.
fn slug(heading: &str) -> String {
    let kept = heading
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase)
        .map(|c| if c == ' ' { '-' } else { c })
        .collect()
}

/// `target` as seen from the file `from`.
fn join(from: &str, target: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(text: &str) -> Vec<String> {
        resolve(&[
            File::new("docs/a.md", text),
            File::new("docs/b.md", "# One `two` three\n"),
            File::new("src/lib.rs", ""),
        ])
    }

    #[test]
    fn good_links_resolve() {
        let good = "# Here\n[b](b.md) [`b`](b.md#one-two-three) [src](../src/lib.rs) [dir](../src/)\n\
                    [self](#here) [web](https://example.com/x.md) `[code](nowhere.md)`\n\
                    ```\n[fenced](nowhere.md)\n```\n";
        assert_eq!(complaints(good), [""; 0]);
    }

    #[test]
    fn bad_links_are_found() {
        for (text, wanted) in [
            ("[x](c.md)\n", "docs/a.md:1: c.md: no such file"),
            (
                "\n[`x`](../lib.rs)\n",
                "docs/a.md:2: ../lib.rs: no such file",
            ),
            (
                "[x](b.md#four)\n",
                "docs/a.md:1: b.md#four: no such heading",
            ),
            ("[x](#four)\n", "docs/a.md:1: #four: no such heading"),
        ] {
            assert_eq!(complaints(text), [wanted]);
        }
    }
}
