//! Consistency of the files in `templates/text`: every language has all messages of English with the same variables
//! and separators, and every message is used.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use dice_of_doom::games::Registry;
use dice_of_doom::level::Level;
use dice_of_doom::seats::Phrase;
use dice_of_doom::templates::Language;
use dice_of_doom::templates::preferences::UserPreferences;
use fluent::concurrent::FluentBundle;
use fluent::{FluentArgs, FluentResource, FluentValue};
use fluent_syntax::ast::{
    CallArguments, Entry, Expression, InlineExpression, Pattern, PatternElement,
};

/// What is not translated yet: names of parts, and prefixes of keys.
const UNTRANSLATED: [&str; 0] = [];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The resources of a language by part: `""` for the platform, `dice` for a game.
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

/// The variables of a message: all of them, and those that are shown and not only used as selectors.
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

/// The messages of a part with their variables; those of attributes are included.
fn messages(part: &FluentResource) -> BTreeMap<String, Variables> {
    let mut sentences = BTreeMap::new();
    for entry in part.entries() {
        match entry {
            Entry::Message(message) => {
                let mut variables = Variables::default();
                message.value.iter().for_each(|value| variables.add(value));
                let attributes = message.attributes.iter();
                attributes.for_each(|attribute| variables.add(&attribute.value));
                let known = sentences.insert(message.id.name.to_owned(), variables);
                assert!(known.is_none(), "{} is defined twice", message.id.name);
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

fn translated_languages() -> impl Iterator<Item = Language> {
    Language::ALL
        .into_iter()
        .filter(|language| *language != Language::English)
}

#[test]
fn every_language_has_the_messages_of_english() {
    let english = parts(Language::English);
    for language in translated_languages() {
        let tag = language.tag();
        let mut remaining = parts(language);
        for (part, english) in &english {
            let Some(own) = remaining.remove(part) else {
                assert!(
                    UNTRANSLATED.contains(&part.as_str()),
                    "{part} is not in {tag}"
                );
                continue;
            };
            let is_pending = |key: &str| UNTRANSLATED.iter().any(|begin| key.starts_with(begin));
            let (english, own) = (messages(english), messages(&own));
            let missing: Vec<_> = english
                .keys()
                .filter(|key| !own.contains_key(*key) && !is_pending(key))
                .collect();
            let extra: Vec<_> = own
                .keys()
                .filter(|key| !english.contains_key(*key))
                .collect();
            assert!(missing.is_empty(), "{part}.{tag} lacks {missing:?}");
            assert!(extra.is_empty(), "{part}.{tag} has {extra:?}");
        }
        assert!(
            remaining.is_empty(),
            "only in {tag}: {:?}",
            remaining.keys()
        );
    }
}

/// A translation shows every value that English shows, and uses no other variables. Its selectors may differ.
#[test]
fn every_language_shows_the_same_variables() {
    let english = all_messages(Language::English);
    for language in translated_languages() {
        for (key, own) in all_messages(language) {
            let english = &english[&key];
            let unknown: Vec<_> = own.all.difference(&english.all).collect();
            assert!(
                unknown.is_empty(),
                "{key} in {}: {unknown:?}",
                language.tag()
            );
            let missing: Vec<_> = english.shown.difference(&own.all).collect();
            assert!(
                missing.is_empty(),
                "{key} in {} lacks {missing:?}",
                language.tag()
            );
        }
    }
}

/// All messages of a language.
fn all_messages(language: Language) -> BTreeMap<String, Variables> {
    let parts = parts(language);
    parts.values().flat_map(messages).collect()
}

/// Values that select every variant: numbers, and the keywords of selectors.
fn samples() -> Vec<FluentArgs<'static>> {
    let numbers = [0, 1, 2, 3, 4, 5, 8, 11, 12, 21, 22, 100];
    let keywords = ["you", "other", "captured", "held"];
    let all: BTreeSet<String> = Language::ALL
        .into_iter()
        .flat_map(all_messages)
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
        .chain(keywords.map(FluentValue::from))
        .map(|value| with(&value));
    // Counts are numbers while person variables are keywords.
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
fn every_message_is_complete_and_has_the_same_separators() {
    let samples = samples();
    // Once with names without grammatical cases, once with names that have them.
    let forms = ["none", "Зелёного"];
    let bundled = forms
        .into_iter()
        .flat_map(|form| Language::ALL.map(|language| (form, language)));
    let bundles = bundled.map(|(form, language)| {
        let mut bundle = FluentBundle::new_concurrent(vec![language.tag().parse().unwrap()]);
        bundle.set_use_isolating(false);
        for resource in parts(language).into_values() {
            bundle.add_resource(resource).unwrap();
        }
        let added = bundle.add_function("FORM", move |_, _| FluentValue::from(form));
        added.unwrap();
        bundle
    });
    let bundles: Vec<_> = bundles.collect();
    for key in all_messages(Language::English).keys() {
        for values in &samples {
            let texts = bundles.iter().filter_map(|bundle| {
                let pattern = bundle.get_message(key)?.value()?;
                let mut errors = Vec::new();
                let text = bundle.format_pattern(pattern, Some(values), &mut errors);
                assert!(errors.is_empty(), "{key}: {errors:?}");
                Some(text.into_owned())
            });
            let texts: Vec<_> = texts.collect();
            let bars = |text: &String| text.matches('|').count();
            for other in &texts {
                assert!(
                    !other.contains('{') && (!other.trim().is_empty() || key == "sentence-gap"),
                    "{key}: {texts:?}"
                );
                assert_eq!(bars(other), bars(&texts[0]), "{key}: {texts:?}");
            }
        }
    }
}

/// The source files without white space, because white space may separate a call from its first argument.
fn source_files() -> Vec<String> {
    fn collect_sources(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect_sources(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let source = fs::read_to_string(path).unwrap();
                found.push(source.split_whitespace().collect());
            }
        }
    }
    let mut found = Vec::new();
    collect_sources(&root().join("src"), &mut found);
    collect_sources(&root().join("templates"), &mut found);
    found
}

/// Keys that are composed at run time.
fn composed_keys() -> BTreeSet<String> {
    let games = Registry::builtin().names();
    let empty = games.iter().map(|game| format!("log-empty-{game}"));
    let registry = Registry::builtin();
    let variants: Vec<&str> = registry
        .game_types()
        .flat_map(|kind| kind.level_variants())
        .copied()
        .collect();
    let places = variants
        .iter()
        .map(|variant| format!("levels-at-{variant}"));
    let levels = Level::ALL.iter().flat_map(|level| {
        let about = format!("level-{}-about", level.name());
        let own = variants
            .iter()
            .map(|variant| format!("{about}-{variant}"))
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
    let phrases = Phrase::ALL.map(|phrase| format!("phrase-{}", phrase.name()));
    let exercises = crate::learn::text_keys(&Registry::builtin());
    let puzzles = crate::puzzles::text_keys(&Registry::builtin());
    empty
        .chain(places)
        .chain(levels)
        .chain(settings)
        .chain(phrases)
        .chain(exercises)
        .chain(puzzles)
        .collect()
}

#[test]
fn every_message_is_used_and_every_used_message_exists() {
    let sources = source_files();
    let literals: BTreeSet<&str> = sources
        .iter()
        .flat_map(|source| source.split('"'))
        .collect();
    let (composed, messages) = (composed_keys(), all_messages(Language::English));
    let unused: Vec<_> = messages
        .keys()
        .filter(|key| !literals.contains(key.as_str()) && !composed.contains(*key))
        .collect();
    assert!(unused.is_empty(), "unused messages: {unused:?}");
    for call in [
        "text.get(\"",
        "get_with(\"",
        "say(\"",
        "LocalizedMessage::new(\"",
    ] {
        for source in &sources {
            let used = source
                .split(call)
                .skip(1)
                .filter_map(|rest| rest.split('"').next());
            let undefined: Vec<_> = used.filter(|key| !messages.contains_key(*key)).collect();
            assert!(undefined.is_empty(), "undefined messages: {undefined:?}");
        }
    }
}
