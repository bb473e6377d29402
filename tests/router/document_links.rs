//! Links between the documents lead to files and headings that exist.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that contain documents, besides the repository's own.
const FOLDERS: [&str; 8] = [
    "docs",
    "python",
    "packaging",
    "examples/bots",
    "crates/core",
    "crates/formats",
    "crates/games",
    "crates/arena",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn documents() -> Vec<PathBuf> {
    let folders = FOLDERS.map(|folder| root().join(folder));
    let folders = std::iter::once(root().to_owned()).chain(folders);
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok());
    let files = files.flatten().map(|file| file.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect()
}

/// The lines outside of code blocks.
fn text_lines(document: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    document.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchors of a document's headings.
fn anchors(document: &str) -> HashSet<String> {
    let headings = text_lines(document).filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| -> String {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            _ if letter.is_alphanumeric() || "-_".contains(letter) => Some(letter),
            _ => None,
        });
        kept.collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_lead_to_files_and_headings() {
    let documents = documents();
    assert!(documents.len() > 25, "{documents:?}");
    let mut links = 0;
    for path in &documents {
        let document = fs::read_to_string(path).unwrap();
        for link in text_lines(&document).flat_map(|line| line.split("](").skip(1)) {
            let (link, _) = link.split_once(')').expect("a link ends");
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => path.clone(),
                file => path.parent().unwrap().join(file),
            };
            assert!(target.exists(), "{}: {link}", path.display());
            let is_document = target
                .extension()
                .is_some_and(|extension| extension == "md");
            if is_document && !anchor.is_empty() {
                let there = anchors(&fs::read_to_string(&target).unwrap());
                assert!(there.contains(anchor), "{}: {link}", path.display());
            }
            links += 1;
        }
    }
    assert!(links > 100, "{links}");
}

#[test]
fn every_file_that_a_document_names_exists() {
    let folders = [
        "src/",
        "crates/",
        "templates/",
        "static/",
        "tests/",
        "docs/",
        "benches/",
    ];
    let is_placeholder = |name: &str| {
        name.contains(['*', ' ', '…']) || name.contains("NAME") || name.contains("LANGUAGE")
    };
    let mut named = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = folders.iter().any(|folder| name.starts_with(folder));
            let is_file = is_path && Path::new(name).extension().is_some();
            if is_file && !is_placeholder(name) {
                assert!(root().join(name).exists(), "{document:?} names {name}");
                named += 1;
            }
        }
    }
    assert!(named > 100, "{named}");
}
