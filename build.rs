//! Tells the program which commit it was built from, so that a report of a fault can name it.

use std::process::Command;

fn main() {
    let release = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    // A build for development would be made anew with each commit, for a word that nobody asks for.
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = is_release.then(commit).flatten();
    let version = match commit {
        Some(commit) => format!("{release} ({commit})"),
        None => release,
    };
    println!("cargo::rustc-env=DOD_VERSION={version}");
    println!("cargo::rerun-if-changed=build.rs");
    if is_release && let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo::rerun-if-changed={log}");
    }
}

/// The commit of this source, where it is in a repository of its own.
fn commit() -> Option<String> {
    let top = git(&["rev-parse", "--show-toplevel"])?;
    let is_own = std::env::var("CARGO_MANIFEST_DIR").is_ok_and(|here| here == top);
    is_own
        .then(|| git(&["rev-parse", "--short", "HEAD"]))
        .flatten()
}

fn git(arguments: &[&str]) -> Option<String> {
    let told = Command::new("git").args(arguments).output().ok()?;
    let line = String::from_utf8(told.stdout).ok()?;
    let line = line.trim();
    (told.status.success() && !line.is_empty()).then(|| line.to_owned())
}
