//! The session with curl in README.md does what it says.

#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod common;

use std::process::Command;

use common::Program;
use serde_json::Value;

/// The first shell block below the heading.
fn session() -> String {
    let readme = include_str!("../README.md");
    let (_, section) = readme
        .split_once("\n## Play with curl\n")
        .expect("the section");
    let (section, _) = section.split_once("\n## ").unwrap_or((section, ""));
    let (_, block) = section.split_once("```sh\n").expect("a shell block");
    let (block, _) = block.split_once("```").expect("its end");
    block.to_owned()
}

#[test]
fn the_session_with_curl_works() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::start("memory:", &folder.path().join("log"));
    let script = session().replace("localhost:8080", &program.address());
    assert!(script.contains("curl"), "{script}");

    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let out = String::from_utf8(run.stdout).unwrap();
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}\n{out}\n{complaints}", run.status);
    assert_eq!(complaints, "", "{out}");

    let answers: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let has = |what: &str, wanted: &dyn Fn(&Value) -> bool| {
        assert!(answers.iter().any(wanted), "no {what} in\n{out}");
    };
    has("id", &|answer| answer["id"].is_string());
    has("roll", &|answer| {
        answer["roll"]["attack"].is_array() && answer["repeated"] == false
    });
    assert!(!out.contains("about:blank"), "a refusal in\n{out}");

    let record = answers.last().unwrap();
    assert_eq!(record["format"], 1, "{record}");
    let plies = record["plies"].as_array().unwrap();
    assert!(plies.len() > 2, "the computers moved: {record}");
    assert!(
        plies[0]["path"].is_array() && plies[1]["path"].is_null(),
        "{record}"
    );
    assert!(plies.iter().any(|ply| ply["player"] != 0), "{record}");
}
