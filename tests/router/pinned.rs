//! Names that other programs rely on stay as they are: command-line options and their
//! environment variables, metrics, migrations. `DOD_BLESS=1` writes the files of `tests/golden/interface` again.

use std::fmt::Write as _;
use std::path::Path;

use dice_of_doom::cli::Cli;
use dice_of_doom::games::Registry;
use dice_of_doom::metrics;
use sha2::{Digest, Sha256};

use crate::common::pinned::{check_unchanged, list_options};

#[test]
fn options_and_environment_variables() {
    let options = list_options(&Cli::command(&Registry::builtin()));
    check_unchanged("options.txt", &options);
}

#[test]
fn metrics_and_their_units() {
    let families = metrics::families().into_iter();
    let names = families.map(|family| {
        let kind = format!("{:?}", family.get_field_type()).to_lowercase();
        let unit = family.name().strip_suffix("_seconds").map(|_| " seconds");
        format!("{kind} {}{}", family.name(), unit.unwrap_or_default())
    });
    let mut names: Vec<_> = names.collect();
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
