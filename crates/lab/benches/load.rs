//! Compares the load test with wrk: the same page of the same server over one connection, alternately.
//!
//! wrk is closed-loop: it sends the next request after the response, and measures from sending. With a rate above the
//! capacity the load test is late for every request and also sends at once, so its latencies since a request was *sent*
//! must agree with wrk's. In addition half of that rate is measured, counted from when each request was due, which is
//! the intended use.
//!
//! `cargo bench --package dice-of-doom-lab --bench load` measures the program that `cargo build --release` has built;
//! without `--bench` (as `cargo test --benches` runs it) each measurement takes one second. It requires wrk.

#![allow(clippy::unwrap_used, reason = "a benchmark may stop at any error")]

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::process::Command;

use common::{Program, program};
use serde_json::Value;

/// A page of about 40 kB that a server renders without its database.
const PAGE: &str = "/levels";

/// The program under test.
const LAB: &str = env!("CARGO_BIN_EXE_dice-of-doom-lab");

/// A rate above the capacity of any server.
const MAX_RATE: f64 = 1_000_000.0;

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let (rounds, seconds) = if full { (5, 10) } else { (1, 1) };
    if Command::new("wrk").arg("-v").output().is_err() {
        println!("skipped: this needs wrk, which is not installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.env("RUST_LOG", "warn");
    command.args(["--listen", "127.0.0.1:0", "--database", "memory:"]);
    let server = Program::run(command, &folder.path().join("log"));
    for round in 1..=rounds {
        println!(
            "round {round}: {:<42}{:>10}{:>10}{:>10}",
            "µs", "p50", "p90", "p99"
        );
        let wrk = wrk(&server, seconds);
        row("wrk, one connection", wrk.per_second, &wrk.percentiles);
        let tool = load(&server, seconds, MAX_RATE);
        let [all_sent, _] = times(&tool);
        let per_second = tool["done_per_second"].as_f64().unwrap();
        row(
            "load, as often as it can, since sent",
            per_second,
            &all_sent,
        );
        let tool = load(&server, seconds, (wrk.per_second / 2.0).max(1.0));
        let [sent, due] = times(&tool);
        let per_second = tool["done_per_second"].as_f64().unwrap();
        row("load, half of wrk's rate, since sent", per_second, &sent);
        row("load, half of wrk's rate, since due", per_second, &due);
        println!(
            "  ratio of the medians, load to wrk: {:.2}",
            all_sent[0] / wrk.percentiles[0]
        );
    }
}

fn row(what: &str, per_second: f64, [p50, p90, p99]: &[f64; 3]) {
    println!("  {what:<40}{per_second:>8.0}/s{p50:>10.0}{p90:>10.0}{p99:>10.0}");
}

/// The results of wrk.
struct Wrk {
    per_second: f64,
    percentiles: [f64; 3],
}

fn wrk(server: &Program, seconds: u32) -> Wrk {
    let run = Command::new("wrk")
        .args(["-t1", "-c1", "--latency", &format!("-d{seconds}s")])
        .arg(format!("{}{PAGE}", server.url))
        .output();
    let output = String::from_utf8(run.unwrap().stdout).unwrap();
    let errors = ["Non-2xx", "Socket errors"];
    assert!(
        errors.iter().all(|error| !output.contains(error)),
        "{output}"
    );
    let after = |what: &str| {
        let (_, rest) = output.split_once(what).unwrap();
        rest.split_whitespace().next().unwrap()
    };
    Wrk {
        per_second: after("Requests/sec:").parse().unwrap(),
        percentiles: [" 50%", " 90%", " 99%"].map(|share| microseconds(after(share))),
    }
}

/// Parses a time of wrk: `150.00us`, `1.23ms` or `1.00s`.
fn microseconds(text: &str) -> f64 {
    let units = [("us", 1.0), ("ms", 1e3), ("s", 1e6)];
    let mut read = units.into_iter().filter_map(|(unit, factor)| {
        let number: f64 = text.strip_suffix(unit)?.parse().ok()?;
        Some(number * factor)
    });
    read.next().unwrap_or_else(|| panic!("{text} is no time"))
}

fn load(server: &Program, seconds: u32, rate: f64) -> Value {
    let mut command = Command::new(LAB);
    command.args(["load", "--page", PAGE, "--json", "--url", &server.url]);
    command.args([
        "--seconds",
        &seconds.to_string(),
        "--rate",
        &rate.to_string(),
    ]);
    let run = command.output().unwrap();
    let report: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["failed"], 0, "{report}");
    report
}

/// The percentiles since pages were sent, and since they were due.
fn times(report: &Value) -> [[f64; 3]; 2] {
    let page = &report["requests"][0];
    ["since_sent", "since_due"].map(|since| {
        ["p50_us", "p90_us", "p99_us"].map(|share| page[since][share].as_f64().unwrap())
    })
}
