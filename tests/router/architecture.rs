//! Dependency rules that the compiler does not enforce: which module may use which other within a package, where a
//! game is named, which modules must not use the clock, randomness or I/O.
//!
//! Unit tests may use more than the code they test: everything from a file's `#[cfg(test)]` on is ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// A source file: its path in the repository, and its lines without comments.
struct Source {
    name: String,
    lines: Vec<(usize, String)>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The sources of all packages.
fn all_sources() -> impl Iterator<Item = Source> {
    let packages = ["core", "games", "formats", "arena", "lab"];
    let folders = packages.map(|name| format!("crates/{name}/src"));
    let folders = folders
        .into_iter()
        .chain(["src", "templates"].map(str::to_owned));
    folders.flat_map(|folder| sources(&folder))
}

fn sources(folder: &str) -> Vec<Source> {
    let mut pending = vec![root().join(folder)];
    let mut sources = Vec::new();
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            sources.push(source(&path));
        }
    }
    assert!(!sources.is_empty(), "{folder} has no sources");
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    sources
}

fn source(file: &Path) -> Source {
    let name = file.strip_prefix(root()).unwrap().to_str().unwrap();
    let text = fs::read_to_string(file).unwrap();
    let lines = (1..).zip(text.lines());
    let lines = lines
        .take_while(|(_, line)| !line.trim_start().starts_with("#[cfg(test)]"))
        .filter(|(_, line)| !line.trim_start().starts_with("//"));
    Source {
        name: name.to_owned(),
        lines: lines.map(|(at, line)| (at, line.to_owned())).collect(),
    }
}

impl Source {
    /// From the root of the package, for example `["site", "api"]`.
    fn module(&self) -> Vec<&str> {
        let (_, path) = self.name.split_once("src/").unwrap();
        let path = path.trim_end_matches(".rs").trim_end_matches("/mod");
        path.split('/').collect()
    }

    /// Whether it is in one of these places, separated by spaces.
    fn is_in(&self, places: &str) -> bool {
        places.split(' ').any(|place| self.name.starts_with(place))
    }

    /// The modules at the root of the package that this file names by `crate::` or `super::`, with their lines.
    fn named(&self) -> Vec<(usize, String)> {
        let lines: Vec<_> = self.lines.iter().map(|(_, line)| line.as_str()).collect();
        let mut named = Vec::new();
        for (index, (line, text)) in self.lines.iter().enumerate() {
            for root in ["crate::", &"super::".repeat(self.module().len())] {
                for (at, _) in text.match_indices(root) {
                    let before = text[..at].chars().next_back();
                    if before.is_none_or(|c| !c.is_alphanumeric() && !"_:$".contains(c)) {
                        // A group may span several lines.
                        let rest = lines[index..].join("\n");
                        let names = first_names(&rest[at + root.len()..]);
                        named.extend(names.into_iter().map(|name| (*line, name)));
                    }
                }
            }
        }
        named
    }
}

/// The first name of each path at the beginning of a text, which may be a group: `a::b`, `{a::b, c::{d, e}}`.
fn first_names(text: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        let name = text.trim_start().chars();
        name.take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    let Some(group) = text.strip_prefix('{') else {
        return vec![name(text)];
    };
    let (mut depth, mut names) = (0, vec![name(group)]);
    for (at, c) in group.char_indices() {
        match c {
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            '{' => depth += 1,
            ',' if depth == 0 => names.push(name(&group[at + 1..])),
            _ => {}
        }
    }
    // A comma at the end is followed by no name.
    names.retain(|name| !name.is_empty());
    names
}

/// Panics with all offending lines, if there are any.
#[track_caller]
fn assert_no_offenders(offenders: &[String], rule: &str) {
    assert!(offenders.is_empty(), "{rule}:\n{}", offenders.join("\n"));
}

/// The modules of a package, one a line, with the modules that each may use. An unused permission is an error.
///
/// The core: `game ← tree ← search`, `game, tree ← record ← session`.
const CORE: &str = "\
provably_fair: game rng
game:
serialization: game
level: game search rng move_analysis
record: game
review: game level record search move_analysis
search: game tree
session: game record tree
rng:
tree: game
move_analysis: game search rng";

/// The root package. Modules of the libraries are listed as if they were part of it.
const SERVER: &str = "\
store: day metrics provably_fair game record seats secret rng
check: formats store games
maintenance: store
metrics:
chi_squared:
client_network:
clock:
day:
drain:
engine: formats games level lines search templates
games: formats arena provably_fair game serialization level record review search seats session rng templates tree move_analysis
cli: formats client_network http arena engine games level lines seats tables templates terminal site
http: client_network
raster:
process: games cli
seats: client_network game level secret
secret: provably_fair rng
tables: formats client_network store clock day games metrics provably_fair game level record search seats secret
terminal: formats clock games provably_fair game level lines record search seats rng templates
verify: formats games lines
site: formats client_network http store chi_squared day engine games metrics provably_fair game level lines raster record review rng search seats secret tables templates";

#[test]
fn modules_name_what_they_may_and_nothing_else_is_allowed() {
    check("crates/core/src", CORE);
    check("src", SERVER);
    // The lab. The compiler checks its use of the root package.
    check("crates/lab/src", "load_test:\ncli: load_test");
}

#[track_caller]
fn check(folder: &str, permissions: &'static str) {
    let permissions = permissions
        .lines()
        .map(|line| line.split_once(':').expect(line));
    let permissions: BTreeMap<_, _> = permissions.collect();
    let mut offenders = Vec::new();
    let mut used = BTreeSet::new();
    for source in sources(folder) {
        let own = source.module()[0];
        if ["lib", "main"].contains(&own) {
            continue;
        }
        let (module, allowed) = permissions
            .get_key_value(own)
            .unwrap_or_else(|| panic!("{}: architecture.rs does not list it", source.name));
        for (line, named) in source.named() {
            if let Some(named) = allowed.split(' ').find(|allowed| *allowed == named) {
                used.insert((*module, named));
            } else if named != own {
                offenders.push(format!("{}:{line}: names {named}", source.name));
            }
        }
    }
    assert_no_offenders(&offenders, "a module must not use this one");
    for (module, allowed) in permissions {
        for named in allowed.split_whitespace() {
            let is_used = used.contains(&(module, named));
            assert!(is_used, "{module} may use {named} and does not");
        }
    }
}

#[test]
fn a_game_is_named_in_its_own_places_and_in_the_registry() {
    // A page defines the symbols of all boards once.
    const OWN: &str = "src/games/dice_of_doom src/games/trilobite \
        src/games/registry.rs templates/dice_of_doom templates/trilobite templates/svg_symbols.rs";
    let mut offenders = Vec::new();
    for source in sources("src").into_iter().chain(sources("templates")) {
        if source.is_in(OWN) {
            continue;
        }
        for (line, text) in &source.lines {
            // An example in a help text or of a request names the game that it shows.
            if text.trim_start().starts_with("dice-of-doom ")
                || text.contains(r#"{"id":"#)
                || text.contains("curl -d ")
            {
                continue;
            }
            // The packages are called after the first game; so is the product.
            const PRODUCT: [&str; 5] = [
                "dice_of_doom_",
                "use dice_of_doom::",
                "dice_of_doom::site::server::run",
                "pub mod dice_of_doom;",
                "pub mod trilobite;",
            ];
            let text = PRODUCT
                .iter()
                .fold(text.clone(), |text, name| text.replace(name, ""));
            let names = ["dice_of_doom", "DiceOfDoom", "trilobite", "Trilobite"];
            if names.iter().any(|name| text.contains(name)) {
                offenders.push(format!("{}:{line}: {}", source.name, text.trim()));
            }
        }
    }
    assert_no_offenders(&offenders, "a game is named in its own places");
}

#[test]
fn the_program_needs_no_lab_and_the_libraries_no_server() {
    let manifest = |folder: &str| fs::read_to_string(root().join(folder).join("Cargo.toml"));
    let program: toml::Table = manifest(".").unwrap().parse().unwrap();
    let built = program["workspace"]["default-members"].as_array().unwrap();
    assert!(!built.contains(&"crates/lab".into()), "{built:?}");
    let libraries = ["core", "games", "formats", "arena"].map(|name| format!("crates/{name}"));
    for library in libraries.iter().map(String::as_str).chain(["templates"]) {
        let manifest = manifest(library).unwrap();
        for server in ["tokio", "axum", "sqlx", "tower", "hyper"] {
            assert!(!manifest.contains(server), "{library} needs {server}");
        }
    }
}

/// Lines of all packages that contain one of the words, except in exempt files.
fn with_words(words: &[&str], is_exempt: impl Fn(&Source) -> bool) -> Vec<String> {
    let mut offenders = Vec::new();
    for source in all_sources().filter(|source| !is_exempt(source)) {
        for (line, text) in &source.lines {
            if words.iter().any(|word| text.contains(word)) {
                offenders.push(format!("{}:{line}: {}", source.name, text.trim()));
            }
        }
    }
    offenders
}

/// What is a pure function of its arguments: rules, searches, records, sentences, adapters.
const PURE: &str = "crates/core/ crates/games/ crates/formats/ templates/ src/games src/seats.rs";

#[test]
fn the_core_takes_time_files_and_randomness_as_parameters() {
    const FOREIGN: &str = "tokio sqlx axum Instant:: SystemTime std::time std::fs std::net std::env std::process \
        std::thread::sleep rand::rng() thread_rng ThreadRng from_os_rng SysRng OsRng getrandom from_entropy random_bytes";
    let words: Vec<_> = FOREIGN.split_whitespace().collect();
    let offenders = with_words(&words, |source| !source.is_in(PURE));
    assert_no_offenders(&offenders, "the core is pure");
    let may = |source: &Source| !source.is_in(PURE) || source.is_in("src/games crates/formats/");
    let offenders = with_words(&["serde_json"], may);
    assert_no_offenders(&offenders, "JSON belongs to formats and adapters");
}

#[test]
fn secrets_are_compared_in_one_place_and_the_books_numbers_stay_with_its_player() {
    let offenders = with_words(&["ct_eq", "subtle::"], |source| {
        source.is_in("src/secret.rs")
    });
    assert_no_offenders(&offenders, "secrets are compared in src/secret.rs");
    // A program that asks the engine for the book's ratings gets them.
    const BOOK: &str =
        "crates/games/ src/games/dice_of_doom/engine.rs src/games/trilobite/engine.rs";
    let offenders = with_words(&["land_of_lisp"], |source| source.is_in(BOOK));
    assert_no_offenders(&offenders, "the book's odds are for its agent only");
    let offenders = with_words(&["#[path"], |_| false);
    assert_no_offenders(&offenders, "a module is not in the place of its name");
}

/// The functions of each table below "Where a request goes", with their files.
fn request_paths(page: &str) -> BTreeMap<String, Vec<(String, String)>> {
    let (_, rest) = page.split_once("## Where a request goes\n").unwrap();
    let section = rest.split("\n## ").next().unwrap();
    let mut paths = BTreeMap::new();
    for table in section.split("### ").skip(1) {
        let title = table.lines().next().unwrap().to_owned();
        let rows = table.lines().filter(|line| line.starts_with("| "));
        let cells = rows.filter_map(|row| row.split(" | ").nth(1));
        let functions = cells.flat_map(|cell| cell.split(", "));
        let functions = functions.filter_map(|function| {
            let (name, file) = function.trim_end_matches(" |").split_once(" in ")?;
            let unquoted = |text: &str| text.trim_matches('`').to_owned();
            Some((unquoted(name), unquoted(file)))
        });
        paths.insert(title, functions.collect());
    }
    paths
}

#[test]
fn the_functions_that_a_request_passes_exist() {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let paths = request_paths(&page);
    assert_eq!(paths.len(), 6, "{paths:?}");
    for (name, file) in paths.values().flatten() {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let is_defined = ["(", "<"].map(|next| text.contains(&format!("fn {name}{next}")));
        assert!(is_defined.contains(&true), "{file} has no function {name}");
    }
    for (path, most) in [
        ("A posted move", 12),
        ("A page of a game", 9),
        ("A result of the board of the day", 4),
        ("An answer to a puzzle", 4),
    ] {
        let files = paths[path].iter().map(|(_, file)| file);
        let files: BTreeSet<&String> = files.collect();
        assert!(files.len() <= most, "{path}: {files:?}");
    }
}

/// The name of the type that a line defines; an associated type, which is indented, is not one.
fn defined_type(line: &str) -> Option<&str> {
    let mut words = line
        .split_whitespace()
        .skip_while(|word| word.starts_with("pub") || word.ends_with(')'));
    let word = words.next()?;
    let is_type = ["struct", "enum", "trait", "union"].contains(&word)
        || word == "type" && !line.starts_with(char::is_whitespace);
    let name = words.next().filter(|_| is_type)?;
    // A macro's parameter is no name.
    let name = name
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .next()?;
    Some(name).filter(|name| !name.is_empty())
}

/// A name in a compiler error says what it is without its module.
#[test]
fn every_type_name_is_defined_once() {
    // The types that fill an associated type of this name, one in each game.
    const PER_GAME: &str =
        "Action IllegalActionError Outcome Parameters Position Roll RollJson Setup SetupError";
    let mut places = BTreeMap::<String, Vec<String>>::new();
    for source in all_sources() {
        let mut before = "";
        for (line, text) in &source.lines {
            // One system's own definition takes the place of another's.
            if let Some(name) = defined_type(text).filter(|_| !before.contains("#[cfg(")) {
                let places = places.entry(name.to_owned()).or_default();
                places.push(format!("{}:{line}", source.name));
            }
            before = text;
        }
    }
    let is_per_game = |name: &String| PER_GAME.split(' ').any(|per_game| per_game == name);
    places.retain(|name, places| places.len() > 1 && !is_per_game(name));
    assert!(places.is_empty(), "defined more than once: {places:#?}");
}

#[test]
fn paths_in_groups_are_read() {
    assert_eq!(first_names("{a::{b, c::{d, e as f}}, g,};"), ["a", "g"]);
    assert_eq!(first_names("game::Game>"), ["game"]);
}
