//! The style sheets in `static`: their form, and classes of different features.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The style sheets that adapt what the others style: to colours, languages, window sizes and motion.
const ADAPTING: [&str; 5] = [
    "colours.css",
    "languages.css",
    "layout.css",
    "motion.css",
    "print.css",
];

/// The sheet with what all features share. A class that it styles everywhere is a shared one, which features may adapt.
const SHARED: &str = "style.css";

/// The names and texts of all style sheets.
fn style_sheets() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("static");
    let mut sheets = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        let name = file.file_name().unwrap().to_str().unwrap().to_owned();
        if name.ends_with(".css") {
            sheets.push((name, fs::read_to_string(&file).unwrap()));
        }
    }
    sheets
}

#[test]
fn no_line_is_longer_than_120_characters() {
    for (name, css) in style_sheets() {
        for (number, line) in (1..).zip(css.lines()) {
            assert!(line.chars().count() <= 120, "{name}:{number} is too long");
        }
    }
}

/// The classes that the rules of a sheet apply to.
#[derive(Default)]
struct StyledClasses {
    /// Those of all rules.
    all: BTreeSet<String>,
    /// Those that a rule applies to wherever they are: `.table`, but not `.form .table` or `.tok.free`.
    everywhere: BTreeSet<String>,
}

fn styled_classes(css: &str) -> StyledClasses {
    let mut styled = StyledClasses::default();
    let css: String = css
        .split("/*")
        .map(|part| part.split_once("*/").map_or(part, |(_, after)| after))
        .collect();
    let mut blocks: Vec<_> = css.split('{').collect();
    blocks.pop();
    for before in blocks {
        let selectors = before.rsplit(['}', ';']).next().unwrap_or_default().trim();
        if selectors.starts_with('@') {
            continue;
        }
        for selector in split_outside_brackets(selectors, |sign| sign == ',') {
            let combinator = |sign: char| sign.is_whitespace() || ">+~".contains(sign);
            let compounds = split_outside_brackets(selector.trim(), combinator);
            let subject = compounds.last().copied().unwrap_or_default();
            let mut classes = subject.split('.');
            let element = classes.next().unwrap_or_default();
            let classes: Vec<_> = classes.map(class_name).collect();
            if let [class] = classes[..]
                && compounds.len() == 1
                && element.is_empty()
            {
                styled.everywhere.insert(class.to_owned());
            }
            styled.all.extend(classes.into_iter().map(str::to_owned));
        }
    }
    styled
}

/// The name at the start of a selector.
fn class_name(selector: &str) -> &str {
    let end = selector.find(|sign: char| !sign.is_alphanumeric() && sign != '-' && sign != '_');
    &selector[..end.unwrap_or(selector.len())]
}

fn split_outside_brackets(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(|sign| {
        match sign {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        depth == 0 && is_separator(sign)
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// A feature's rule for a class applies on every page that loads its sheet, also to other features' elements with a
/// class of this name. So a class that a feature styles everywhere is styled by no other feature.
#[test]
fn no_class_is_styled_by_two_features() {
    let features = style_sheets().into_iter();
    let sheets: BTreeMap<_, _> = features
        .filter(|(name, _)| !ADAPTING.contains(&&**name))
        .map(|(name, css)| (name, styled_classes(&css)))
        .collect();
    let shared = &sheets[SHARED].everywhere;
    assert!(shared.contains("btn") && sheets["tables.css"].everywhere.contains("tables"));
    let mut found = Vec::new();
    for (sheet, styled) in sheets.iter().filter(|(sheet, _)| *sheet != SHARED) {
        for class in styled.everywhere.difference(shared) {
            let others = sheets.iter().filter(|(other, _)| *other != sheet);
            for (other, _) in others.filter(|(_, styled)| styled.all.contains(class)) {
                found.push(format!(".{class} of {sheet} is also styled by {other}"));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
