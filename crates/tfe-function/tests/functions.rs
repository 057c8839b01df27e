//! Functions in text, with calls and what comes of them: `tests/functions/*.pbtxt`.
//!
//! A file is a `FunctionDefLibrary`. Its calls are the comments that start with `#>`; they run one after the other in one
//! world, so that variables keep what was assigned. The form of a call is told in `common/script.rs`. With
//! `TFE_BLESS=1` the outcomes are written as they are now.

mod common;

use std::fs;
use std::path::Path;

use common::World;
use common::script::{outcome, parse_call};
use tfe_proto::tensorflow::FunctionDefLibrary;

#[test]
fn calls_come_to_what_the_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/functions");
    let bless = std::env::var_os("TFE_BLESS").is_some();
    let mut wrong = Vec::new();
    let (mut files, mut calls) = (0, 0);
    for entry in fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let text = fs::read_to_string(&path).expect("a text");
        let world = World::new();
        let library: FunctionDefLibrary =
            tfe_testkit::text::parse(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        for function in library.function {
            world
                .library
                .add(function)
                .expect("a function that can be added");
        }
        let mut now = String::new();
        for (i, line) in text.lines().enumerate() {
            let Some(line) = line.strip_prefix("#>") else {
                now.push_str(line);
                now.push('\n');
                continue;
            };
            let (call, wanted) = parse_call(line);
            let got = outcome(&world.call(&call.function, &call.args));
            if got != wanted {
                wrong.push(format!("{}:{}:{line}\n  now {got}", path.display(), i + 1));
            }
            now.push_str(&format!("#>{} {got}\n", call.text));
            calls += 1;
        }
        files += 1;
        if bless && now != text {
            fs::write(&path, now).expect("written");
        }
    }
    assert!(files >= 7 && calls >= 40, "{files} files, {calls} calls");
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n"));
}
