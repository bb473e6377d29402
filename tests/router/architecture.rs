//! Dependency rules that the compiler does not enforce: which module may use which other within a package, where a
//! game is named, which modules must not use the clock, randomness or I/O.
//!
//! Unit tests may use more than the code they test: everything from a file's `#[cfg(test)]` on is ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A source file: its path in the repository, its module, its lines without comments.
struct Source {
    name: String,
    /// From the crate's root, for example `["site", "api"]`.
    module: Vec<String>,
    lines: Vec<(usize, String)>,
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let mut files = Vec::new();
    rust_files(&root().join(folder), &mut files);
    files.sort();
    assert!(!files.is_empty(), "{folder} has no sources");
    files.iter().map(|file| source(file)).collect()
}

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

fn source(file: &Path) -> Source {
    let name = file
        .strip_prefix(root())
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let mut module: Vec<String> = name
        .trim_start_matches("crates/core/")
        .trim_start_matches("crates/games/")
        .trim_start_matches("crates/formats/")
        .trim_start_matches("crates/arena/")
        .trim_start_matches("crates/lab/")
        .trim_start_matches("src/")
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if module.last().is_some_and(|last| last == "mod") {
        module.pop();
    }
    let text = fs::read_to_string(file).unwrap();
    let lines = text
        .lines()
        .enumerate()
        .take_while(|(_, line)| !line.trim_start().starts_with("#[cfg(test)]"))
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(at, line)| (at + 1, line.to_owned()))
        .collect();
    Source {
        name,
        module,
        lines,
    }
}

impl Source {
    fn is_in(&self, module: &str) -> bool {
        self.module
            .iter()
            .map(String::as_str)
            .take(module.split("::").count())
            .eq(module.split("::"))
    }

    /// Every path in the file relative to the crate's root, with its line: `crate::…`, and `super::…` resolved. Groups
    /// (`crate::{a, b::c}`) are expanded.
    fn named(&self) -> Vec<(usize, String)> {
        let mut found = Vec::new();
        for (index, (line, text)) in self.lines.iter().enumerate() {
            // A group may span several lines.
            let rest: String = self.lines[index..]
                .iter()
                .take(30)
                .map(|(_, text)| format!("{text}\n"))
                .collect();
            for start in ["crate::", "super::"] {
                for (at, _) in text.match_indices(start) {
                    let before = text[..at].chars().next_back();
                    if before
                        .is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$')
                    {
                        continue;
                    }
                    for path in expand_groups(&rest[at..]) {
                        found.push((*line, self.resolved(&path)));
                    }
                }
            }
        }
        found
    }

    fn resolved(&self, path: &str) -> String {
        let mut base = self.module.clone();
        let mut rest = path;
        if let Some(after) = rest.strip_prefix("crate::") {
            return after.to_owned();
        }
        while let Some(after) = rest.strip_prefix("super::") {
            base.pop();
            rest = after;
        }
        base.push(rest.to_owned());
        base.join("::")
    }
}

/// Expands the path at the beginning of a text: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn expand_groups(text: &str) -> Vec<String> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(text.len());
    let (head, tail) = text.split_at(end);
    let Some(group) = tail.strip_prefix('{').filter(|_| head.ends_with("::")) else {
        return vec![head.trim_end_matches(':').to_owned()];
    };
    let (mut depth, mut paths, mut from) = (0_u32, Vec::new(), 0);
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            ',' | '}' if depth == 0 => {
                let item = group[from..at].trim();
                if !item.is_empty() {
                    paths.extend(
                        expand_groups(item)
                            .into_iter()
                            .map(|path| format!("{head}{path}")),
                    );
                }
                from = at + 1;
                if c == '}' {
                    break;
                }
            }
            '}' => depth -= 1,
            _ => {}
        }
    }
    paths
}

fn begins(path: &str, module: &str) -> bool {
    path.strip_prefix(module)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Panics with all offending lines, if there are any.
#[track_caller]
fn assert_no_offenders(offenders: &[String], rule: &str) {
    assert!(offenders.is_empty(), "{rule}:\n{}", offenders.join("\n"));
}

/// The modules of a package with the modules that each may use. An unused permission is an error.
type Permissions = &'static [(&'static str, &'static [&'static str])];

/// The core: `game ← tree ← search`, `game, tree ← record ← session`.
const CORE: Permissions = &[
    ("provably_fair", &["game", "rng"]),
    ("game", &[]),
    ("serialization", &["game"]),
    ("level", &["game", "search", "rng", "move_analysis"]),
    ("record", &["game"]),
    (
        "review",
        &["game", "level", "record", "search", "move_analysis"],
    ),
    ("search", &["game", "tree"]),
    ("session", &["game", "record", "tree"]),
    ("rng", &["provably_fair"]),
    ("tree", &["game"]),
    ("move_analysis", &["game", "search", "rng"]),
];

/// The root package. Modules of the libraries are listed as if they were part of it.
const SERVER: Permissions = &[
    (
        "store",
        &[
            "day",
            "provably_fair",
            "game",
            "record",
            "seats",
            "secret",
            "rng",
        ],
    ),
    ("check", &["formats", "store", "game_adapters"]),
    ("maintenance", &["store"]),
    ("chi_squared", &[]),
    ("cached_value", &[]),
    ("client_network", &[]),
    ("clock", &[]),
    ("day", &[]),
    ("drain", &[]),
    (
        "engine",
        &[
            "formats",
            "game_adapters",
            "level",
            "lines",
            "search",
            "templates",
        ],
    ),
    (
        "game_adapters",
        &[
            "formats",
            "arena",
            "provably_fair",
            "game",
            "games",
            "serialization",
            "level",
            "record",
            "review",
            "search",
            "seats",
            "session",
            "rng",
            "templates",
            "tree",
            "move_analysis",
        ],
    ),
    (
        "cli",
        &[
            "formats",
            "client_network",
            "http",
            "arena",
            "engine",
            "game_adapters",
            "level",
            "lines",
            "seats",
            "service",
            "templates",
            "terminal",
            "site",
        ],
    ),
    ("http", &["client_network"]),
    ("raster", &[]),
    ("process", &["game_adapters", "cli"]),
    ("seats", &["game", "level", "secret"]),
    ("secret", &["provably_fair", "rng"]),
    (
        "service",
        &[
            "formats",
            "client_network",
            "cached_value",
            "store",
            "clock",
            "day",
            "game_adapters",
            "provably_fair",
            "game",
            "level",
            "raster",
            "record",
            "review",
            "search",
            "seats",
            "secret",
        ],
    ),
    (
        "terminal",
        &[
            "formats",
            "clock",
            "game_adapters",
            "provably_fair",
            "game",
            "level",
            "lines",
            "record",
            "search",
            "seats",
            "rng",
            "templates",
        ],
    ),
    ("verify", &["formats", "game_adapters", "lines"]),
    (
        "site",
        &[
            "formats",
            "client_network",
            "http",
            "cached_value",
            "store",
            "chi_squared",
            "clock",
            "day",
            "engine",
            "game_adapters",
            "provably_fair",
            "game",
            "level",
            "lines",
            "raster",
            "record",
            "seats",
            "secret",
            "service",
            "templates",
        ],
    ),
];

/// The lab. The compiler checks its use of the root package.
const LAB: Permissions = &[("load_test", &[]), ("cli", &["load_test"])];

#[test]
fn modules_name_what_they_may_and_nothing_else_is_allowed() {
    check(&sources("crates/core/src"), CORE);
    check(&sources("src"), SERVER);
    check(&sources("crates/lab/src"), LAB);
}

#[track_caller]
fn check(sources: &[Source], permissions: Permissions) {
    let mut offenders = Vec::new();
    let mut used = BTreeSet::new();
    for source in sources {
        if ["src/lib.rs", "src/main.rs"]
            .iter()
            .any(|root| source.name.ends_with(root))
        {
            continue;
        }
        let own = source.module[0].clone();
        let Some((module, allowed)) = permissions.iter().find(|(module, _)| *module == own) else {
            panic!(
                "{}: this module is not listed in tests/router/architecture.rs",
                source.name
            );
        };
        for (line, path) in source.named() {
            let named = path.split("::").next().unwrap();
            if let Some(named) = allowed.iter().find(|allowed| **allowed == named) {
                used.insert((*module, *named));
            } else if named != own {
                offenders.push(format!("{}:{line}: names {path}", source.name));
            }
        }
    }
    assert_no_offenders(&offenders, "a module must not use this one");
    for (module, allowed) in permissions {
        for named in *allowed {
            assert!(
                used.contains(&(*module, *named)),
                "{module} may use {named} and does not"
            );
        }
    }
}

#[test]
fn a_game_is_named_in_its_own_places_and_in_the_registry() {
    let own = |source: &Source| {
        source.is_in("game_adapters::dice_of_doom")
            || source.is_in("game_adapters::trilobite")
            || source.is_in("game_adapters::registry")
            || source.name.starts_with("templates/dice_of_doom")
            || source.name.starts_with("templates/trilobite")
            // A page defines the symbols of all boards once.
            || source.name == "templates/svg_symbols.rs"
    };
    let mut offenders = Vec::new();
    for source in sources("src").into_iter().chain(sources("templates")) {
        if own(&source) {
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
            let text = text
                .replace("dice_of_doom_", "")
                .replace("use dice_of_doom::", "")
                .replace("dice_of_doom::site::server::run", "")
                .replace("pub mod dice_of_doom;", "")
                .replace("pub mod trilobite;", "");
            let names = ["dice_of_doom", "DiceOfDoom", "trilobite", "Trilobite"];
            if names.iter().any(|name| text.contains(name)) {
                offenders.push(format!("{}:{line}: {}", source.name, text.trim()));
            }
        }
    }
    assert_no_offenders(&offenders, "a game is named in its own places");
}

#[test]
fn the_program_is_built_without_the_lab() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let built = manifest["workspace"]["default-members"].as_array().unwrap();
    let built: Vec<_> = built.iter().filter_map(toml::Value::as_str).collect();
    assert_eq!(
        built,
        [
            ".",
            "crates/arena",
            "crates/core",
            "crates/formats",
            "crates/games",
            "templates"
        ]
    );
}

#[test]
fn the_libraries_need_no_server() {
    for library in [
        "crates/core",
        "crates/games",
        "crates/formats",
        "crates/arena",
        "templates",
    ] {
        let manifest = root().join(library).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        for server in ["tokio", "axum", "sqlx", "tower", "hyper"] {
            assert!(!manifest.contains(server), "{library} needs {server}");
        }
    }
}

/// Lines of all packages that contain one of the words, except in exempt files.
fn with_words(words: &[&str], is_exempt: impl Fn(&Source) -> bool) -> Vec<String> {
    let folders = [
        "src",
        "templates",
        "crates/core/src",
        "crates/games/src",
        "crates/formats/src",
        "crates/arena/src",
        "crates/lab/src",
    ];
    let mut offenders = Vec::new();
    for source in folders.into_iter().flat_map(sources) {
        if is_exempt(&source) {
            continue;
        }
        for (line, text) in &source.lines {
            if words.iter().any(|word| text.contains(word)) {
                offenders.push(format!("{}:{line}: {}", source.name, text.trim()));
            }
        }
    }
    offenders
}

/// Whether a source is a pure function of its arguments: rules, searches, records, sentences, adapters.
fn is_pure(source: &Source) -> bool {
    let pure = [
        "crates/core/",
        "crates/games/",
        "crates/formats/",
        "templates/",
        "src/game_adapters",
        "src/seats.rs",
    ];
    pure.iter().any(|place| source.name.starts_with(place))
}

#[test]
fn the_core_neither_waits_nor_looks_at_the_clock_nor_at_files() {
    let words = [
        "tokio",
        "sqlx",
        "axum",
        "Instant::",
        "SystemTime",
        "std::time",
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "std::thread::sleep",
    ];
    let offenders = with_words(&words, |source| !is_pure(source));
    assert_no_offenders(&offenders, "the core is pure");
    let may = |source: &Source| {
        let json = ["crates/formats/", "src/game_adapters"];
        !is_pure(source) || json.iter().any(|place| source.name.starts_with(place))
    };
    let offenders = with_words(&["serde_json"], may);
    assert_no_offenders(&offenders, "JSON belongs to formats and adapters");
}

#[test]
fn randomness_comes_in_as_a_parameter() {
    let words = [
        "rand::rng()",
        "thread_rng",
        "ThreadRng",
        "from_os_rng",
        "SysRng",
        "OsRng",
        "getrandom",
        "from_entropy",
        "random_bytes",
    ];
    let offenders = with_words(&words, |source| !is_pure(source));
    assert_no_offenders(&offenders, "the core makes no randomness");
}

#[test]
fn secrets_are_compared_in_one_place() {
    let files: BTreeSet<String> = with_words(&["ct_eq", "subtle::"], |_| false)
        .iter()
        .map(|line| line.split(':').next().unwrap().to_owned())
        .collect();
    assert_eq!(files, BTreeSet::from(["src/secret.rs".to_owned()]));
}

#[test]
fn the_books_numbers_stay_with_the_books_player() {
    let mut offenders = Vec::new();
    for source in sources("src") {
        // A program that asks the engine for the book's ratings gets them.
        if source.is_in("game_adapters::dice_of_doom::engine") {
            continue;
        }
        for (line, path) in source.named() {
            if begins(&path, "games::dice_of_doom::land_of_lisp") {
                offenders.push(format!("{}:{line}: names {path}", source.name));
            }
        }
    }
    assert_no_offenders(
        &offenders,
        "the book's rounded odds are for the book's agent only",
    );
}

#[test]
fn modules_are_where_their_names_say() {
    let offenders = with_words(&["#[path"], |_| false);
    assert_no_offenders(&offenders, "a module is not in the place of its name");
}

/// The names that a line of source defines as a type; an associated type, which is indented, is not one.
fn defined_type(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let mut word = words.next()?;
    if word == "pub" || word.starts_with("pub(") {
        // `pub(in path)` is two words.
        word = words.find(|word| !word.ends_with(')'))?;
    }
    let is_type = matches!(word, "struct" | "enum" | "trait" | "union")
        || word == "type" && !line.starts_with(char::is_whitespace);
    let name = words.next().filter(|_| is_type)?;
    let mut words = name.split(|c: char| !c.is_alphanumeric() && c != '_');
    // A macro's parameter is no name.
    words.next().filter(|name| !name.is_empty())
}

/// A name in a compiler error says what it is without its module.
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
    assert_eq!(paths.len(), 4, "{paths:?}");
    for (name, file) in paths.values().flatten() {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let is_defined = ["(", "<"].map(|next| text.contains(&format!("fn {name}{next}")));
        assert!(is_defined.contains(&true), "{file} has no function {name}");
    }
    let files: BTreeSet<&String> = paths["A posted move"]
        .iter()
        .map(|(_, file)| file)
        .collect();
    assert!(files.len() <= 12, "{files:?}");
}

#[test]
fn every_file_that_a_document_names_exists() {
    let mut documents = vec![
        root().join("ARCHITECTURE.md"),
        root().join("CONTRIBUTING.md"),
    ];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        documents.push(entry.unwrap().path());
    }
    let folders = [
        "src/",
        "crates/",
        "templates/",
        "static/",
        "tests/",
        "docs/",
        "benches/",
    ];
    for document in documents {
        let text = fs::read_to_string(&document).unwrap();
        for name in text.split('`').skip(1).step_by(2) {
            let is_path = folders.iter().any(|folder| name.starts_with(folder));
            let is_file = is_path && Path::new(name).extension().is_some();
            if is_file
                && !name.contains(['*', ' ', '…'])
                && !name.contains("NAME")
                && !name.contains("LANGUAGE")
            {
                assert!(root().join(name).exists(), "{document:?} names {name}");
            }
        }
    }
}

#[test]
fn every_type_name_is_defined_once() {
    // The types that fill an associated type of this name, one in each game.
    const PER_GAME: [&str; 9] = [
        "Action",
        "IllegalActionError",
        "Outcome",
        "Parameters",
        "Position",
        "Roll",
        "RollJson",
        "Setup",
        "SetupError",
    ];
    let folders = [
        "src",
        "templates",
        "crates/core/src",
        "crates/games/src",
        "crates/formats/src",
        "crates/arena/src",
        "crates/lab/src",
    ];
    let sources = folders.into_iter().flat_map(sources);
    let mut defined = BTreeMap::<String, Vec<String>>::new();
    for source in sources.filter(|source| !source.name.ends_with("/tests.rs")) {
        for (index, (line, text)) in source.lines.iter().enumerate() {
            // One system's own definition takes the place of another's.
            let is_of_one_system = index > 0 && source.lines[index - 1].1.contains("#[cfg(");
            if let Some(name) = defined_type(text).filter(|_| !is_of_one_system) {
                let places = defined.entry(name.to_owned()).or_default();
                places.push(format!("{}:{line}", source.name));
            }
        }
    }
    let twice = defined
        .iter()
        .filter(|(name, places)| places.len() > 1 && !PER_GAME.contains(&name.as_str()));
    let twice: Vec<_> = twice
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert_no_offenders(&twice, "a type name that is defined more than once");
}

#[test]
fn the_test_reads_paths_as_the_compiler_does() {
    assert_eq!(
        expand_groups("crate::a::{b, c::{d, e as f}, g};"),
        [
            "crate::a::b",
            "crate::a::c::d",
            "crate::a::c::e",
            "crate::a::g"
        ]
    );
    assert_eq!(expand_groups("crate::game::Game>"), ["crate::game::Game"]);
    let here = Source {
        name: String::new(),
        module: vec!["site".into(), "api".into()],
        lines: Vec::new(),
    };
    assert_eq!(
        here.resolved("super::error::Failure"),
        "site::error::Failure"
    );
    assert_eq!(here.resolved("super::super::level"), "level");
    assert!(begins(
        "games::dice_of_doom::land_of_lisp::choose",
        "games::dice_of_doom::land_of_lisp"
    ));
    assert!(!begins(
        "games::dice_of_doom::land_of_lisps",
        "games::dice_of_doom::land_of_lisp"
    ));
}
