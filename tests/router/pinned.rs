//! Names that other programs rely on stay as they are: command-line options and their
//! environment variables, metrics, migrations. `DOD_BLESS=1` writes the files of `tests/golden/interface` again.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;

use ::metrics::{Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit};
use dice_of_doom::cli::Cli;
use dice_of_doom::games::Registry;
use dice_of_doom::site::shared::metrics;
use sha2::{Digest, Sha256};

use crate::common::pinned::{check_unchanged, list_options};

#[test]
fn options_and_environment_variables() {
    let options = list_options(&Cli::command(&Registry::builtin()));
    check_unchanged("options.txt", &options);
}

#[derive(Default)]
struct Names(Mutex<Vec<String>>);

impl Names {
    fn add(&self, kind: &str, name: &KeyName, unit: Option<Unit>) {
        let unit = unit.map_or("", |unit| unit.as_str());
        let line = format!("{kind} {} {unit}", name.as_str());
        self.0.lock().unwrap().push(line.trim_end().to_owned());
    }
}

impl Recorder for Names {
    fn describe_counter(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        self.add("counter", &name, unit);
    }
    fn describe_gauge(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        self.add("gauge", &name, unit);
    }
    fn describe_histogram(&self, name: KeyName, unit: Option<Unit>, _: SharedString) {
        self.add("histogram", &name, unit);
    }
    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        Counter::noop()
    }
    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::noop()
    }
    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[test]
fn metrics_and_their_units() {
    let names = Names::default();
    ::metrics::with_local_recorder(&names, metrics::describe);
    let mut names = names.0.into_inner().unwrap();
    names.sort();
    check_unchanged("metrics.txt", &names.join("\n"));
}

/// A database that has run a migration refuses to open when the migration has changed by a byte.
#[test]
fn migrations() {
    let mut sums = String::new();
    for database in ["postgres", "sqlite"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("migrations")
            .join(database);
        let mut files: Vec<_> = folder
            .read_dir()
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        for file in files {
            let sum = Sha256::digest(std::fs::read(&file).unwrap());
            let name = file.file_name().unwrap().to_str().unwrap();
            let sum = sum
                .iter()
                .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            writeln!(sums, "{sum} {database}/{name}").unwrap();
        }
    }
    check_unchanged("migrations.txt", &sums);
}
