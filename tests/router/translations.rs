//! The files of `templates/text` agree: every language says everything that English says, with the same
//! values and the same marks, and nothing is written that nobody says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use dice_of_doom::game_adapters::Registry;
use dice_of_doom::level::Level;
use dice_of_doom::templates::Language;
use dice_of_doom::templates::view::UserPreferences;
use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::{
    CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement,
};

/// What is not yet translated: files by their part, and keys in other files by how they begin.
const UNTRANSLATED: [&str; 0] = [];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The parts that a language is written in: `""` for the platform, `dice` for a game.
fn parts(language: Language) -> BTreeMap<String, FluentResource> {
    let files = fs::read_dir(root().join("templates/text")).unwrap();
    let ending = format!("{}.ftl", language.tag());
    let files = files.filter_map(|file| {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        let part = name.strip_suffix(&ending)?;
        let part = part.strip_suffix('.').unwrap_or(part).to_owned();
        let source = fs::read_to_string(file.path()).unwrap();
        let read = FluentResource::try_new(source);
        Some((
            part,
            read.unwrap_or_else(|(_, errors)| panic!("{name}: {errors:?}")),
        ))
    });
    let parts: BTreeMap<_, _> = files.collect();
    assert!(parts.len() > 3, "{parts:?}", parts = parts.keys());
    parts
}

/// The variables of a sentence: all of them, and those that are shown and not only chosen by.
#[derive(Default)]
struct Variables {
    all: BTreeSet<String>,
    shown: BTreeSet<String>,
}

impl Variables {
    fn add(&mut self, pattern: &Pattern<&str>) {
        for element in &pattern.elements {
            if let PatternElement::Placeable { expression } = element {
                self.add_expression(expression);
            }
        }
    }

    fn add_expression(&mut self, expression: &Expression<&str>) {
        match expression {
            Expression::Inline(inline) => self.add_inline(inline, true),
            Expression::Select { selector, variants } => {
                self.add_inline(selector, false);
                variants.iter().for_each(|variant| self.add(&variant.value));
            }
        }
    }

    fn add_inline(&mut self, inline: &InlineExpression<&str>, shown: bool) {
        match inline {
            InlineExpression::VariableReference { id } => {
                self.all.insert(id.name.to_owned());
                if shown {
                    self.shown.insert(id.name.to_owned());
                }
            }
            InlineExpression::FunctionReference { arguments, .. } => {
                let CallArguments { positional, .. } = arguments;
                positional
                    .iter()
                    .for_each(|inline| self.add_inline(inline, shown));
            }
            InlineExpression::Placeable { expression } => self.add_expression(expression),
            _ => {}
        }
    }
}

/// The sentences of a part, each with what its values are called; attributes count as its own words.
fn sentences(part: &FluentResource) -> BTreeMap<String, Variables> {
    let mut sentences = BTreeMap::new();
    for entry in part.entries() {
        match entry {
            Entry::Message(message) => {
                let mut variables = Variables::default();
                message.value.iter().for_each(|value| variables.add(value));
                let attributes = message.attributes.iter();
                attributes.for_each(|attribute| variables.add(&attribute.value));
                let known = sentences.insert(message.id.name.to_owned(), variables);
                assert!(known.is_none(), "{} is said twice", message.id.name);
            }
            Entry::Junk { content } => panic!("cannot be read: {content}"),
            Entry::Term(_)
            | Entry::Comment(_)
            | Entry::GroupComment(_)
            | Entry::ResourceComment(_) => {}
        }
    }
    sentences
}

fn translations() -> impl Iterator<Item = Language> {
    Language::ALL
        .into_iter()
        .filter(|language| *language != Language::English)
}

#[test]
fn every_language_says_what_english_says() {
    let english = parts(Language::English);
    for language in translations() {
        let tag = language.tag();
        let mut written = parts(language);
        for (part, english) in &english {
            let Some(own) = written.remove(part) else {
                assert!(
                    UNTRANSLATED.contains(&part.as_str()),
                    "{part} is not in {tag}"
                );
                continue;
            };
            let waits = |key: &str| UNTRANSLATED.iter().any(|begin| key.starts_with(begin));
            let (english, own) = (sentences(english), sentences(&own));
            let missing: Vec<_> = english
                .keys()
                .filter(|key| !own.contains_key(*key) && !waits(key))
                .collect();
            let extra: Vec<_> = own
                .keys()
                .filter(|key| !english.contains_key(*key))
                .collect();
            assert!(missing.is_empty(), "{part}.{tag} lacks {missing:?}");
            assert!(extra.is_empty(), "{part}.{tag} has {extra:?}");
        }
        assert!(written.is_empty(), "only in {tag}: {:?}", written.keys());
    }
}

/// Whatever English shows, a translation shows too; by what it chooses its words is its own business, but
/// it knows no other values.
#[test]
fn every_language_shows_the_same_values() {
    let english = whole(Language::English);
    for language in translations() {
        for (key, own) in whole(language) {
            let english = &english[&key];
            let unknown: Vec<_> = own.all.difference(&english.all).collect();
            assert!(
                unknown.is_empty(),
                "{key} in {}: {unknown:?}",
                language.tag()
            );
            let lost: Vec<_> = english.shown.difference(&own.all).collect();
            assert!(
                lost.is_empty(),
                "{key} in {} lacks {lost:?}",
                language.tag()
            );
        }
    }
}

/// All sentences of a language, with those of attributes that several sentences share.
fn whole(language: Language) -> BTreeMap<String, Variables> {
    let parts = parts(language);
    parts.values().flat_map(sentences).collect()
}

/// Values that choose every form: numbers, and the words by which sentences choose.
fn samples() -> Vec<FluentArgs<'static>> {
    let numbers = [0, 1, 2, 3, 4, 5, 8, 11, 12, 21, 22, 100];
    let words = ["you", "other", "captured", "held"];
    let all: BTreeSet<String> = Language::ALL
        .into_iter()
        .flat_map(whole)
        .flat_map(|(_, variables)| variables.all)
        .collect();
    let with = |value: &FluentValue<'static>| {
        let mut values = FluentArgs::new();
        for name in &all {
            values.set(name.clone(), value.clone());
        }
        values
    };
    let numbers = numbers.map(FluentValue::from).into_iter();
    let samples = numbers
        .chain(words.map(FluentValue::from))
        .map(|value| with(&value));
    // Counts are numbers where people are words.
    let mixed = ["you", "other"].map(|person| {
        let mut values = with(&FluentValue::from(3));
        for name in ["who", "person", "theirs", "defender", "outcome"] {
            values.set(name, person);
        }
        values
    });
    samples.chain(mixed).collect()
}

#[test]
fn every_sentence_is_whole_and_has_the_same_marks() {
    let samples = samples();
    // Once for names that have no cases, once for those that have.
    let forms = ["none", "Зелёного"];
    let spoken = forms
        .into_iter()
        .flat_map(|form| Language::ALL.map(|language| (form, language)));
    let bundles = spoken.map(|(form, language)| {
        let mut bundle = FluentBundle::new_concurrent(vec![language.tag().parse().unwrap()]);
        bundle.set_use_isolating(false);
        for resource in parts(language).into_values() {
            bundle.add_resource(resource).unwrap();
        }
        let said = bundle.add_function("FORM", move |_, _| FluentValue::from(form));
        said.unwrap();
        bundle
    });
    let bundles: Vec<_> = bundles.collect();
    for key in whole(Language::English).keys() {
        for values in &samples {
            let told = bundles.iter().filter_map(|bundle| {
                let pattern = bundle.get_message(key)?.value()?;
                let mut errors = Vec::new();
                let told = bundle.format_pattern(pattern, Some(values), &mut errors);
                assert!(errors.is_empty(), "{key}: {errors:?}");
                Some(told.into_owned())
            });
            let told: Vec<_> = told.collect();
            let bars = |told: &String| told.matches('|').count();
            for other in &told {
                assert!(
                    !other.contains('{') && !other.trim().is_empty(),
                    "{key}: {told:?}"
                );
                assert_eq!(bars(other), bars(&told[0]), "{key}: {told:?}");
            }
        }
    }
}

/// The program's files, without white space, which may stand between a call and its first argument.
fn program() -> Vec<String> {
    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let source = fs::read_to_string(path).unwrap();
                found.push(source.split_whitespace().collect());
            }
        }
    }
    let mut found = Vec::new();
    sources(&root().join("src"), &mut found);
    sources(&root().join("templates"), &mut found);
    found
}

/// Keys that the program puts together.
fn composed() -> BTreeSet<String> {
    let games = Registry::builtin().names();
    let empty = games.iter().map(|game| format!("log-empty-{game}"));
    let registry = Registry::builtin();
    let ways: Vec<&str> = registry
        .game_types()
        .flat_map(|kind| kind.level_variants())
        .copied()
        .collect();
    let places = ways.iter().map(|way| format!("levels-at-{way}"));
    let levels = Level::ALL.into_iter().flat_map(|level| {
        let about = format!("level-{}-about", level.name());
        let own = ways
            .iter()
            .map(|way| format!("{about}-{way}"))
            .collect::<Vec<_>>();
        own.into_iter()
            .chain([format!("level-{}", level.name()), about])
    });
    let settings = UserPreferences::default()
        .choices()
        .into_iter()
        .flat_map(|choice| {
            let name = format!("set-{}", choice.name);
            let words = choice
                .values
                .iter()
                .map(|word| format!("{name}-{word}"))
                .collect::<Vec<_>>();
            words
                .into_iter()
                .chain([format!("switch-{}", choice.name), name])
        });
    empty.chain(places).chain(levels).chain(settings).collect()
}

#[test]
fn nothing_is_written_that_nobody_says_and_nothing_said_that_is_not_written() {
    let program = program();
    let literals: BTreeSet<&str> = program
        .iter()
        .flat_map(|source| source.split('"'))
        .collect();
    let (composed, written) = (composed(), whole(Language::English));
    let unsaid: Vec<_> = written
        .keys()
        .filter(|key| !literals.contains(key.as_str()) && !composed.contains(*key))
        .collect();
    assert!(unsaid.is_empty(), "nobody says {unsaid:?}");
    for call in ["say(\"", "say_with(\"", "Said::new(\""] {
        for source in &program {
            let said = source
                .split(call)
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            let unwritten: Vec<_> = said.filter(|key| !written.contains_key(*key)).collect();
            assert!(unwritten.is_empty(), "nowhere written: {unwritten:?}");
        }
    }
}
