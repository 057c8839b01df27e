//! The commands that the README shows print what it says.

use std::process::Command;

use crate::root;

#[test]
fn the_commands_of_the_readme_print_what_it_says() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("there is a README");
    let blocks: Vec<&str> = readme
        .split("```console\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(!blocks.is_empty(), "the README shows no commands");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_tfe"));
    let mut path = program
        .parent()
        .expect("a directory")
        .as_os_str()
        .to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let mut commands = 0;
    for block in blocks {
        // A command begins with `$ `, and what follows up to the next is what it prints.
        for shown in format!("\n{block}").split("\n$ ").skip(1) {
            let (command, wanted) = shown.split_once('\n').unwrap_or((shown, ""));
            let ran = Command::new("sh")
                .args(["-c", command])
                .current_dir(root())
                .env("PATH", &path)
                .output()
                .expect("there is a shell");
            let printed =
                String::from_utf8_lossy(&ran.stdout) + String::from_utf8_lossy(&ran.stderr);
            assert_eq!(printed.trim_end(), wanted.trim_end(), "$ {command}");
            commands += 1;
        }
    }
    assert!(commands >= 5, "{commands} commands");
}
