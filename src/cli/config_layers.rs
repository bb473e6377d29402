//! What an option is when the command line does not say it: what the environment says, then what a file
//! of settings says, then its default.
//!
//! `--limit-tables 100` of `serve` is `DOD_LIMIT_TABLES=100`, and `limit-tables = 100` under `[serve]` in
//! the file. So there is one list of names: that of the command line.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{ArgPredicate, FalseyValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Id};

use crate::lines::strip_bom;

/// The option that names the file.
const FILE: &str = "config";

/// The command that is meant where none is named.
const USUAL: &str = "serve";

/// What these words ask of a command line, the program's name among them. The file of settings may have sections for
/// commands that are `elsewhere`, in another program: nobody reads those here.
///
/// # Errors
/// Bad usage, and the wish for help.
pub fn parse<Options: FromArgMatches, W: Into<OsString>>(
    mut command: Command,
    words: impl IntoIterator<Item = W>,
    elsewhere: impl Fn(&str) -> bool,
) -> Result<Options, clap::Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    // The errors that are left are wishes for help.
    let tolerant = command.clone().ignore_errors(true);
    if let Ok(asked) = tolerant.try_get_matches_from(&words) {
        if let Some(problem) = invalid_variable(&command, &asked) {
            return Err(command.error(ErrorKind::ValueValidation, problem));
        }
        if asked.subcommand_name().is_some() {
            // Clap would read those of the usual command, too.
            command = command.mut_args(|arg| match arg.is_global_set() {
                true => arg,
                false => arg.env(None::<&'static str>),
            });
        }
    }
    if let Some(file) = config_file(&words, |name| std::env::var_os(name)) {
        command = apply_config_file(command, &file, elsewhere)?;
    }
    let matches = command.try_get_matches_from_mut(words);
    let matches = matches.map_err(with_visible_characters)?;
    Options::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Lets the environment say what the command line does not.
#[must_use]
pub fn add_variables(command: Command) -> Command {
    command.mut_args(add_variable).mut_subcommands(|command| {
        // A shell is named by hand.
        command.mut_args(add_variable)
    })
}

fn add_variable(arg: Arg) -> Arg {
    let Some(variable) = arg.get_long().map(variable_name) else {
        return arg;
    };
    if arg.get_env().is_some() {
        return arg;
    }
    // The manual names the rule once instead of a variable at each option.
    let arg = arg.env(variable).hide_env(true);
    match arg.get_action() {
        ArgAction::SetTrue => arg.value_parser(FalseyValueParser::new()),
        _ => arg,
    }
}

/// What is wrong with a variable to which the command line leaves an option: it is blank, or has a character that nobody
/// sees, such as the carriage return of a file with the line ends of Windows.
fn invalid_variable(command: &Command, matches: &ArgMatches) -> Option<String> {
    let (asked, given) = match matches.subcommand() {
        Some((name, given)) => (command.find_subcommand(name)?, given),
        None => (command, matches),
    };
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    let mut args = asked.get_arguments().chain(global);
    args.find_map(|arg| {
        let name = arg.get_env()?.to_string_lossy();
        let value = std::env::var_os(&*name)?;
        let value = value.to_string_lossy();
        let is_fine =
            value.trim() == value && !value.is_empty() && !value.contains(char::is_control);
        let is_given = given.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
        if is_fine || is_given {
            return None;
        }
        let shown = match value.trim() {
            _ if !arg.is_hide_env_values_set() => format!("{value:?}"),
            "" => "empty".to_owned(),
            _ => "written with blanks or control characters, such as a carriage return".to_owned(),
        };
        Some(format!(
            "{name} is {shown} in the environment: write the value alone, or unset the variable"
        ))
    })
}

/// An error that shows the control characters of what was written.
fn with_visible_characters(mut error: clap::Error) -> clap::Error {
    for kind in [
        ContextKind::InvalidArg,
        ContextKind::InvalidValue,
        ContextKind::InvalidSubcommand,
    ] {
        if let Some(ContextValue::String(text)) = error.get(kind)
            && text.contains(char::is_control)
        {
            let visible = text.escape_debug().to_string();
            error.insert(kind, ContextValue::String(visible));
        }
    }
    error
}

/// The name of an option in the environment.
fn variable_name(long: &str) -> String {
    format!("DOD_{}", long.replace('-', "_").to_uppercase())
}

/// The file of settings that these words or the environment name. It must be known before the words are
/// read, because what it says stands in for what they do not.
fn config_file(
    words: &[OsString],
    environment: impl FnOnce(&str) -> Option<OsString>,
) -> Option<PathBuf> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        if text == "--" {
            break;
        }
        let Some(rest) = text
            .strip_prefix("--")
            .and_then(|long| long.strip_prefix(FILE))
        else {
            continue;
        };
        match rest.strip_prefix('=') {
            Some(path) => return Some(path.into()),
            None if rest.is_empty() => return words.next().map(PathBuf::from),
            None => {}
        }
    }
    environment(&variable_name(FILE))
        .filter(|path| !path.is_empty())
        .map(PathBuf::from)
}

/// Lets a file of settings say what neither the command line nor the environment does.
///
/// # Errors
/// One clear sentence when the file cannot be read or names what there is not.
fn apply_config_file(
    mut command: Command,
    path: &Path,
    elsewhere: impl Fn(&str) -> bool,
) -> Result<Command, clap::Error> {
    let told = |problem: String| format!("{}: {problem}", path.display());
    let read = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let table = read.and_then(|text| {
        let table: Result<toml::Table, _> = strip_bom(&text).parse();
        table.map_err(|error| error.to_string().trim_end().to_owned())
    });
    let outcome = table.and_then(|table| apply(&mut command, table, elsewhere));
    match outcome {
        Ok(()) => Ok(command),
        Err(problem) => Err(command.error(ErrorKind::ValueValidation, told(problem))),
    }
}

fn apply(
    command: &mut Command,
    table: toml::Table,
    elsewhere: impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (name, section) in table {
        let toml::Value::Table(section) = section else {
            return Err(format!(
                "{name} stands outside of any section, such as [{USUAL}]"
            ));
        };
        if elsewhere(&name) {
            continue;
        }
        if command.find_subcommand(&name).is_none() {
            return Err(format!("there is no command {name}"));
        }
        for (option, value) in section {
            let values = values(&option, value)?;
            if name == USUAL {
                set_default(command, &name, &option, &values)?;
            }
            let found = command.find_subcommand_mut(&name);
            set_default(found.expect("it was just there"), &name, &option, &values)?;
        }
    }
    Ok(())
}

/// What an option is by the file, each in the words of the command line.
fn values(option: &str, value: toml::Value) -> Result<Vec<String>, String> {
    match value {
        toml::Value::String(word) => Ok(vec![word]),
        toml::Value::Integer(number) => Ok(vec![number.to_string()]),
        toml::Value::Float(number) => Ok(vec![number.to_string()]),
        toml::Value::Boolean(switch) => Ok(vec![switch.to_string()]),
        toml::Value::Array(values) => {
            let values = values.into_iter().map(|value| self::values(option, value));
            Ok(values.collect::<Result<Vec<_>, _>>()?.concat())
        }
        toml::Value::Table(_) | toml::Value::Datetime(_) => Err(format!(
            "{option} is a word, a number, true or false, or a list of them"
        )),
    }
}

fn set_default(
    command: &mut Command,
    name: &str,
    option: &str,
    values: &[String],
) -> Result<(), String> {
    // Only then groups know their options.
    let mut built = command.clone();
    built.build();
    let found = built
        .get_arguments()
        .find(|arg| option != FILE && arg.get_long() == Some(option));
    let arg = found.ok_or_else(|| format!("{name} has no option {option}"))?;
    let values = match (arg.get_value_delimiter(), values) {
        (Some(_), []) => return Ok(()),
        // As it is written on the command line.
        (Some(delimiter), values) => values.join(&delimiter.to_string()),
        (None, [value]) => value.clone(),
        (None, _) => return Err(format!("{option} takes one value and no list")),
    };
    let rivals = conflicting_args(&built, arg);
    let id = arg.get_id().clone();
    let groups: Vec<Id> = built
        .get_groups()
        .filter(|group| group.get_args().any(|member| *member == id))
        .map(|group| group.get_id().clone())
        .collect();
    let mut taken = std::mem::take(command).mut_arg(id.as_str(), |arg| {
        let given = rivals.into_iter();
        let none = given.map(|rival| (rival, ArgPredicate::IsPresent, None::<&'static str>));
        arg.default_value_ifs(none).default_value(values)
    });
    for group in groups {
        // Clap does not count a default as an answer.
        taken = taken.mut_group(group.as_str(), |group| group.required(false));
    }
    *command = taken;
    Ok(())
}

/// The options that cannot stand beside this one. What the file says of it does not count where one of them is given.
fn conflicting_args(command: &Command, arg: &Arg) -> Vec<Id> {
    let excludes = |one: &Arg, other: &Arg| {
        let conflicts = command.get_arg_conflicts_with(one);
        conflicts
            .iter()
            .any(|conflict| conflict.get_id() == other.get_id())
    };
    let in_one_group = |other: &Arg| {
        let mut groups = command
            .get_groups()
            .filter(|group| !(*group).clone().is_multiple());
        groups.any(|group| {
            let has = |arg: &Arg| group.get_args().any(|member| member == arg.get_id());
            has(arg) && has(other)
        })
    };
    let others = command.get_arguments();
    let others = others.filter(|other| other.get_id() != arg.get_id());
    let rivals =
        others.filter(|other| excludes(arg, other) || excludes(other, arg) || in_one_group(other));
    rivals.map(|rival| rival.get_id().clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_named(line: &str, environment: Option<&str>, expect: Option<&str>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let named = config_file(&words, |name| {
            assert_eq!(name, "DOD_CONFIG");
            environment.map(OsString::from)
        });
        assert_eq!(named.as_deref(), expect.map(Path::new), "{line}");
    }

    #[test]
    fn the_file_is_named_by_the_words_or_the_environment() {
        check_named("dice-of-doom", None, None);
        check_named("dice-of-doom --config a.toml", Some("b"), Some("a.toml"));
        check_named("dice-of-doom serve --config=a.toml", None, Some("a.toml"));
        check_named("dice-of-doom", Some("b.toml"), Some("b.toml"));
        check_named("dice-of-doom", Some(""), None);
        check_named("dice-of-doom -- --config a.toml", None, None);
        check_named("dice-of-doom --configs a.toml", None, None);
    }

    #[test]
    fn options_have_names_in_the_environment() {
        assert_eq!(variable_name("limit-tables"), "DOD_LIMIT_TABLES");
    }
}
