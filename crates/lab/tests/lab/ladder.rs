//! The command `ladder`, which measures the strength of the levels.

use std::fs;
use std::path::Path;
use std::process::Output;

use dice_of_doom::level::Level;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{check_failure, run, stderr};

fn ladder(folder: &Path, arguments: &str) -> Output {
    run(folder, &format!("ladder {arguments}"))
}

/// Options for a quick run.
const QUICK: &str = "--without steady,advanced,expert,master,champion --boards 4";

#[test]
fn equal_seeds_give_equal_files_and_other_games_are_retained() {
    let folder = TempDir::new().unwrap();
    let small = format!("dice --rules v4 --side 3 --players 2 {QUICK}");
    for (threads, output) in [(1, "one"), (2, "two")] {
        let arguments = format!("{small} --threads {threads} --output {output}.json --resume kept");
        let done = ladder(folder.path(), &arguments);
        assert!(done.status.success(), "{}", stderr(&done));
        let table = String::from_utf8(done.stdout).unwrap();
        assert!(
            table.starts_with("dice.v4.3.2.5, 4 boards, seed 1\n\n| level | rating |"),
            "{table}"
        );
        assert!(table.contains("| novice | 1000 ± 325 | "), "{table}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("one.json"), read("two.json"));
    assert!(folder.path().join("kept/dice.v4.3.2.5.ladder").exists());
    assert!(
        folder
            .path()
            .join("kept/dice.v4.3.2.5.greedy-book")
            .exists()
    );

    let first: Value = serde_json::from_str(&read("one.json")).unwrap();
    let game = &first["games"][0];
    assert_eq!(
        game["parameters"],
        json!({"game": "dice", "rules": "v4", "size": 3, "players": 2, "max_dice": 5})
    );
    let levels = game["levels"].as_array().unwrap();
    let names: Vec<_> = levels.iter().map(|level| &level["level"]).collect();
    assert_eq!(names, ["novice", "random", "book", "greedy"]);
    assert!(levels[0]["below"].is_null() && levels[2]["book"].is_null());
    assert_eq!(levels[0]["rating"]["mean"], 1000.0);
    for (index, field) in [
        (0, "book"),
        (1, "below"),
        (2, "below"),
        (3, "book"),
        (3, "below"),
    ] {
        let share = &levels[index][field]["mean"];
        assert!((0.0..=1.0).contains(&share.as_f64().unwrap()), "{share}");
    }

    // The ratings of another game are appended, and those of the same game are replaced.
    let other = format!("trilobite --width 3 --height 3 --win 3 {QUICK} --output one.json");
    for arguments in [other, format!("{small} --seed 2 --output one.json")] {
        let done = ladder(folder.path(), &arguments);
        assert!(done.status.success(), "{}", stderr(&done));
    }
    let both: Value = serde_json::from_str(&read("one.json")).unwrap();
    let games = both["games"].as_array().unwrap();
    let measured: Vec<_> = games
        .iter()
        .map(|game| json!([game["parameters"]["game"], game["seed"]]))
        .collect();
    assert_eq!(measured, [json!(["dice", 2]), json!(["trilobite", 1])]);
}

#[test]
fn invalid_arguments_are_reported() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("nonsense.json"), "{}").unwrap();
    let all = Level::names().skip(1).collect::<Vec<_>>().join(",");
    for (arguments, code, message) in [
        ("--boards 1".to_owned(), 2, "--output"),
        ("--boards 0 --output a.json".to_owned(), 2, "--boards"),
        (
            "--without god --output a.json".to_owned(),
            2,
            "called \"god\"",
        ),
        (
            format!("--without {all} --output a.json"),
            2,
            "a ladder has two levels at least",
        ),
        ("chess --output a.json".to_owned(), 2, "chess"),
        (
            format!("--rules v1 {QUICK} --output nonsense.json"),
            1,
            "nonsense.json: missing field `games`",
        ),
    ] {
        check_failure(folder.path(), &format!("ladder {arguments}"), code, message);
    }
}
