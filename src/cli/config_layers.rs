//! Option values in order of precedence: the command line, the environment, the configuration file, the default.
//!
//! All names derive from the command line: `--limit-tables 100` of `serve` is `DOD_LIMIT_TABLES=100` in the
//! environment, and `limit-tables = 100` under `[serve]` in the file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{ArgPredicate, FalseyValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Id};

use crate::lines::strip_bom;

/// The option with the path of the configuration file.
const FILE: &str = "config";

const DEFAULT_COMMAND: &str = "serve";

/// Parses the arguments, the first of which is the program name, with the environment and the configuration file.
/// Sections of the file for commands of another program, for which `is_foreign` is true, are ignored.
///
/// # Errors
/// Bad usage, or a request for help or the version.
pub fn parse<Options: FromArgMatches, W: Into<OsString>>(
    mut command: Command,
    words: impl IntoIterator<Item = W>,
    is_foreign: impl Fn(&str) -> bool,
) -> Result<Options, clap::Error> {
    let words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    // The only remaining errors are requests for help or the version.
    let tolerant = command.clone().ignore_errors(true);
    if let Ok(matches) = tolerant.try_get_matches_from(&words) {
        if let Some(problem) = invalid_variable(&command, &matches) {
            return Err(command.error(ErrorKind::ValueValidation, problem));
        }
        if matches.subcommand_name().is_some() {
            // Otherwise clap would also check the variables of the default command.
            command = command.mut_args(|arg| match arg.is_global_set() {
                true => arg,
                false => arg.env(None::<&'static str>),
            });
        }
    }
    if let Some(file) = config_file(&words, |name| std::env::var_os(name)) {
        command = apply_config_file(command, &file, is_foreign)?;
    }
    let matches = command.try_get_matches_from_mut(words);
    let matches = matches.map_err(with_visible_characters)?;
    Options::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Adds an environment variable to every option of the command and its subcommands.
#[must_use]
pub fn add_variables(command: Command) -> Command {
    command
        .mut_args(add_variable)
        .mut_subcommands(|command| command.mut_args(add_variable))
}

fn add_variable(arg: Arg) -> Arg {
    let Some(variable) = arg.get_long().map(variable_name) else {
        return arg;
    };
    if arg.get_env().is_some() {
        return arg;
    }
    // The help states the naming rule once, instead of a variable at each option.
    let arg = arg.env(variable).hide_env(true);
    match arg.get_action() {
        ArgAction::SetTrue => arg.value_parser(FalseyValueParser::new()),
        _ => arg,
    }
}

/// The error message for a variable in use that is blank, has leading or trailing whitespace, or contains a control
/// character, such as the carriage return of a file with Windows line endings.
fn invalid_variable(command: &Command, matches: &ArgMatches) -> Option<String> {
    let (requested, matches) = match matches.subcommand() {
        Some((name, matches)) => (command.find_subcommand(name)?, matches),
        None => (command, matches),
    };
    let global = command.get_arguments().filter(|arg| arg.is_global_set());
    let mut args = requested.get_arguments().chain(global);
    args.find_map(|arg| {
        let name = arg.get_env()?.to_string_lossy();
        let value = std::env::var_os(&*name)?;
        let value = value.to_string_lossy();
        let is_fine =
            value.trim() == value && !value.is_empty() && !value.contains(char::is_control);
        let is_given =
            matches.value_source(arg.get_id().as_str()) == Some(ValueSource::CommandLine);
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

/// Escapes control characters in the user's input that an error quotes.
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

fn variable_name(long: &str) -> String {
    format!("DOD_{}", long.replace('-', "_").to_uppercase())
}

/// The path of the configuration file from the arguments or the environment. It must be known before clap parses the
/// arguments, because the file's values become defaults.
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

/// Makes the values in the configuration file the defaults of the options.
///
/// # Errors
/// The file cannot be read, or names an unknown command or option.
fn apply_config_file(
    mut command: Command,
    path: &Path,
    is_foreign: impl Fn(&str) -> bool,
) -> Result<Command, clap::Error> {
    let with_path = |problem: String| format!("{}: {problem}", path.display());
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    let table = text.and_then(|text| {
        let table: Result<toml::Table, _> = strip_bom(&text).parse();
        table.map_err(|error| error.to_string().trim_end().to_owned())
    });
    let outcome = table.and_then(|table| apply(&mut command, table, is_foreign));
    match outcome {
        Ok(()) => Ok(command),
        Err(problem) => Err(command.error(ErrorKind::ValueValidation, with_path(problem))),
    }
}

fn apply(
    command: &mut Command,
    table: toml::Table,
    is_foreign: impl Fn(&str) -> bool,
) -> Result<(), String> {
    for (name, section) in table {
        let toml::Value::Table(section) = section else {
            return Err(format!(
                "{name} stands outside of any section, such as [{DEFAULT_COMMAND}]"
            ));
        };
        if is_foreign(&name) {
            continue;
        }
        if command.find_subcommand(&name).is_none() {
            return Err(format!("there is no command {name}"));
        }
        for (option, value) in section {
            let values = values(&option, value)?;
            if name == DEFAULT_COMMAND {
                set_default(command, &name, &option, &values)?;
            }
            let subcommand = command.find_subcommand_mut(&name);
            set_default(
                subcommand.expect("the command was found above"),
                &name,
                &option,
                &values,
            )?;
        }
    }
    Ok(())
}

/// The values of an option in the file, each as text for the command line.
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
    // Groups list their options only after the command has been built.
    let mut built = command.clone();
    built.build();
    let arg = built
        .get_arguments()
        .find(|arg| option != FILE && arg.get_long() == Some(option));
    let arg = arg.ok_or_else(|| format!("{name} has no option {option}"))?;
    let values = match (arg.get_value_delimiter(), values) {
        (Some(_), []) => return Ok(()),
        (Some(delimiter), values) => values.join(&delimiter.to_string()),
        (None, [value]) => value.clone(),
        (None, _) => return Err(format!("{option} takes one value and no list")),
    };
    let conflicting = conflicting_args(&built, arg);
    let id = arg.get_id().clone();
    let groups: Vec<Id> = built
        .get_groups()
        .filter(|group| group.get_args().any(|member| *member == id))
        .map(|group| group.get_id().clone())
        .collect();
    let mut changed = std::mem::take(command).mut_arg(id.as_str(), |arg| {
        let no_default = conflicting
            .into_iter()
            .map(|other| (other, ArgPredicate::IsPresent, None::<&'static str>));
        arg.default_value_ifs(no_default).default_value(values)
    });
    for group in groups {
        // Clap does not accept a default as a value for a required group.
        changed = changed.mut_group(group.as_str(), |group| group.required(false));
    }
    *command = changed;
    Ok(())
}

/// The options that conflict with this one. If one of them is given, the file's value for this option is ignored.
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
    let conflicting =
        others.filter(|other| excludes(arg, other) || excludes(other, arg) || in_one_group(other));
    conflicting.map(|other| other.get_id().clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_config_file(line: &str, environment: Option<&str>, expect: Option<&str>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let file = config_file(&words, |name| {
            assert_eq!(name, "DOD_CONFIG");
            environment.map(OsString::from)
        });
        assert_eq!(file.as_deref(), expect.map(Path::new), "{line}");
    }

    #[test]
    fn the_arguments_or_the_environment_name_the_file() {
        check_config_file("dice-of-doom", None, None);
        check_config_file("dice-of-doom --config a.toml", Some("b"), Some("a.toml"));
        check_config_file("dice-of-doom serve --config=a.toml", None, Some("a.toml"));
        check_config_file("dice-of-doom", Some("b.toml"), Some("b.toml"));
        check_config_file("dice-of-doom", Some(""), None);
        check_config_file("dice-of-doom -- --config a.toml", None, None);
        check_config_file("dice-of-doom --configs a.toml", None, None);
    }

    #[test]
    fn environment_variables_derive_from_option_names() {
        assert_eq!(variable_name("limit-tables"), "DOD_LIMIT_TABLES");
    }
}
