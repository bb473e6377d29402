//! `docs/land-of-lisp.md` names every function of the book's sources, its links point to the right lines, and it
//! shows the output of the exercises.
//!
//! `DOD_BLESS=1 cargo test --test router land_of_lisp::` updates line numbers that have changed.

#[path = "../../crates/arena/examples/exercises.rs"]
#[allow(dead_code, reason = "the example's main is not called")]
mod exercises;

use std::collections::BTreeSet;
use std::path::Path;

use dice_of_doom::games::Registry;
use dice_of_doom::games::terminal::ColourMode;

const GUIDE: &str = "docs/land-of-lisp.md";

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A link of the guide: [`name`](../file#L12).
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Debug)]
struct Link {
    name: String,
    file: String,
    line: usize,
}

impl Link {
    fn text(&self) -> String {
        format!("[`{}`](../{}#L{})", self.name, self.file, self.line)
    }

    /// The numbers of the lines in the file that define an item of this name.
    fn definitions(&self) -> Vec<usize> {
        let words = ["fn", "struct", "enum", "trait", "const", "static"];
        let ends = |c: char| !(c.is_alphanumeric() || c == '_');
        let defines = |line: &str| {
            let is_code = !line.trim_start().starts_with("//");
            let mut after = words.iter().filter_map(|word| {
                let (_, after) = line.split_once(&format!("{word} {}", self.name))?;
                Some(after)
            });
            is_code && after.any(|after| after.starts_with(ends))
        };
        let text = read(&self.file);
        let lines = (1..).zip(text.lines());
        let found = lines.filter(|(_, line)| defines(line));
        found.map(|(number, _)| number).collect()
    }
}

fn links(guide: &str) -> BTreeSet<Link> {
    let parts = guide.split("[`").skip(1);
    let links = parts.filter_map(|part| {
        let (name, rest) = part.split_once("`](../")?;
        let (file, rest) = rest.split_once("#L")?;
        let (line, _) = rest.split_once(')')?;
        Some(Link {
            name: name.to_owned(),
            file: file.to_owned(),
            line: line.parse().unwrap(),
        })
    });
    links.collect()
}

#[test]
fn every_link_points_to_the_item_it_names() {
    let mut guide = read(GUIDE);
    let links = links(&guide);
    assert!(links.len() > 60, "{}", links.len());
    let mut moved = Vec::new();
    for link in links {
        let definitions = link.definitions();
        assert!(
            !definitions.is_empty(),
            "{}: nothing of this name",
            link.text()
        );
        if !definitions.contains(&link.line) {
            // The nearest definition: a name may be defined for several types.
            let nearest = definitions.iter().min_by_key(|at| at.abs_diff(link.line));
            let right = Link {
                line: *nearest.unwrap(),
                ..link.clone()
            };
            guide = guide.replace(&link.text(), &right.text());
            moved.push(right.text());
        }
    }
    if std::env::var_os("DOD_BLESS").is_some() {
        std::fs::write(Path::new(env!("CARGO_MANIFEST_DIR")).join(GUIDE), guide).unwrap();
    } else {
        assert!(
            moved.is_empty(),
            "these lines have moved (DOD_BLESS=1 writes them): {moved:#?}"
        );
    }
}

#[test]
fn every_function_of_the_sources_is_listed() {
    let guide = read(GUIDE);
    let names = read("tests/golden/land-of-lisp.txt");
    assert!(names.lines().count() > 60);
    for name in names.lines() {
        // The first column names the book's functions.
        let is_listed = guide.lines().any(|line| {
            let first = line
                .strip_prefix("| ")
                .and_then(|row| row.split(" | ").next());
            first.is_some_and(|first| first.contains(&format!("`{name}`")))
        });
        assert!(is_listed, "`{name}` is not listed");
    }
}

#[test]
fn the_exercises_print_what_the_guide_shows() {
    let guide = read(GUIDE);
    let shown = guide.split("```text\n").skip(1);
    let shown: Vec<&str> = shown
        .map(|part| part.split("\n```").next().unwrap())
        .collect();
    let printed: Vec<String> = exercises::EXERCISES
        .iter()
        .map(|exercise| exercise())
        .collect();
    assert_eq!(shown.len(), printed.len());
    for (shown, printed) in shown.into_iter().zip(printed) {
        assert_eq!(shown, printed.trim_end());
    }
}

#[test]
fn the_addresses_of_the_exercises_are_positions() {
    let guide = read(GUIDE);
    let addresses = guide.split_whitespace();
    let positions = addresses.filter_map(|word| word.strip_prefix("/analysis?pos="));
    let positions: Vec<&str> = positions.collect();
    assert!(positions.len() >= 4, "{positions:?}");
    for text in positions {
        let live = Registry::builtin().game_at_position(text);
        let live = live.unwrap_or_else(|| panic!("{text} is not a position"));
        let rows = live.position().text_board(ColourMode::Plain);
        assert!(guide.contains(&rows), "{text} is another board");
    }
}

#[test]
fn the_code_in_the_guide_matches_the_source() {
    let guide = read(GUIDE);
    let shown = guide.split("```rust\n").nth(1).unwrap();
    let shown = shown.split("\n```").next().unwrap();
    let lines =
        |text: &str| -> Vec<String> { text.lines().map(|line| line.trim().to_owned()).collect() };
    let (shown, rules) = (
        lines(shown),
        lines(&read("crates/games/src/dice_of_doom/rules.rs")),
    );
    assert!(rules.windows(shown.len()).any(|part| part == shown));
}
