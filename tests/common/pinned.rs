//! Golden files of names that other programs rely on.

use std::fmt::Write as _;
use std::path::Path;

/// Compares with a file of `tests/golden/interface`, or writes it where `DOD_BLESS` is set.
///
/// # Panics
/// Where the two differ.
pub(crate) fn check_unchanged(file: &str, found: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The lab's tests, in crates/lab/tests, use this too.
    let folder = root
        .ancestors()
        .map(|folder| folder.join("tests/golden/interface"));
    let path = folder
        .clone()
        .find(|folder| folder.is_dir())
        .unwrap()
        .join(file);
    let found = format!("{}\n", found.trim_end());
    if std::env::var_os("DOD_BLESS").is_some() {
        return std::fs::write(&path, found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let (mut now, mut then) = (found.lines(), expected.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (now.next(), then.next()) {
            (None, None) => return,
            (now, then) => assert_eq!(
                now, then,
                "{file}, line {number} (DOD_BLESS=1 writes the file)"
            ),
        }
    }
}

/// Every option of every command: long and short name, environment variable, default values, possible values.
pub(crate) fn list_options(command: &clap::Command) -> String {
    fn list(command: &clap::Command, path: &str, lines: &mut String) {
        for option in command.get_arguments() {
            let name = match (option.get_long(), option.get_short()) {
                (Some(long), Some(short)) => format!("--{long} -{short}"),
                (Some(long), None) => format!("--{long}"),
                _ => option.get_id().to_string(),
            };
            write!(lines, "{path} {name}").unwrap();
            if let Some(variable) = option.get_env() {
                write!(lines, " [{}]", variable.display()).unwrap();
            }
            let text = |value: &clap::builder::OsStr| value.to_string_lossy().into_owned();
            let defaults: Vec<_> = option.get_default_values().iter().map(text).collect();
            if !defaults.is_empty() {
                write!(lines, " = {}", defaults.join(",")).unwrap();
            }
            let values = option.get_possible_values();
            let values: Vec<_> = values.iter().map(|value| value.get_name()).collect();
            if !values.is_empty() {
                write!(lines, " ({})", values.join("|")).unwrap();
            }
            lines.push('\n');
        }
        for command in command.get_subcommands() {
            let aliases: Vec<_> = command.get_all_aliases().collect();
            let path = format!("{path} {}", command.get_name());
            writeln!(lines, "{path} {}", aliases.join(" ")).unwrap();
            list(command, &path, lines);
        }
    }
    let mut lines = String::new();
    list(command, command.get_name(), &mut lines);
    let lines: Vec<_> = lines.lines().map(str::trim_end).collect();
    lines.join("\n")
}
