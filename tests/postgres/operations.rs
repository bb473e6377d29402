//! Validates what operators use: the systemd units, the alerts, the dashboard and the page that documents the
//! metrics, with systemd-analyze, promtool and Prometheus. `packaging/try` runs the commands of
//! docs/operations.md.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{HANG, Program, free_port, is_installed, plain_client, program};
use crate::server::{is_left_out, shared};
use serde_json::{Value, json};
use tempfile::TempDir;

const PAGE: &str = include_str!("../../docs/operations.md");
const DASHBOARD: &str = include_str!("../../packaging/monitoring/dashboard.json");
const ALERTS: &str = include_str!("../../packaging/monitoring/alerts.yml");

/// The highest acceptable exposure level of `systemd-analyze security`.
const MOST_EXPOSED: f64 = 2.0;

#[track_caller]
fn run_successfully(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(output.status.success(), "{command:?}: {text}");
    text
}

#[test]
fn the_service_is_sandboxed() {
    if !is_installed("systemd-analyze") {
        return;
    }
    let folder = TempDir::new().unwrap();
    for unit in ["dice-of-doom.service", "dice-of-doom@.service"] {
        let text = std::fs::read_to_string(Path::new("packaging/debian").join(unit)).unwrap();
        // Use the binary that the tests have built.
        let text = text.replace("/usr/bin/dice-of-doom", env!("CARGO_BIN_EXE_dice-of-doom"));
        let file = folder.path().join(unit.replace("@.", "@a."));
        std::fs::write(&file, text).unwrap();
        let verify = run_successfully(
            Command::new("systemd-analyze")
                .args(["verify", "--man=no"])
                .arg(&file),
        );
        assert_eq!(verify, "", "{unit}");
        let report = run_successfully(
            Command::new("systemd-analyze")
                .args(["security", "--offline=true", "--no-pager"])
                .arg(&file),
        );
        let last = report.lines().last().unwrap();
        let level = last.split("service: ").nth(1).unwrap();
        let level: f64 = level.split(' ').next().unwrap().parse().unwrap();
        println!("{last}");
        assert!(level <= MOST_EXPOSED, "{last}");
    }
}

#[test]
fn the_alerts_are_well_formed() {
    if is_installed("promtool") {
        let output = run_successfully(Command::new("promtool").args([
            "check",
            "rules",
            "packaging/monitoring/alerts.yml",
        ]));
        assert!(output.contains("8 rules found"), "{output}");
        run_successfully(Command::new("promtool").args([
            "check",
            "config",
            "packaging/monitoring/prometheus.yml",
        ]));
    }
}

/// A child process that is killed on drop.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Two servers on one database, with metrics endpoints.
struct MonitoredServers {
    servers: Vec<Program>,
    metrics_addresses: Vec<String>,
    folder: TempDir,
}

impl MonitoredServers {
    async fn start(database: &str) -> Self {
        let folder = TempDir::new().unwrap();
        let (mut servers, mut metrics_addresses) = (Vec::new(), Vec::new());
        for number in 0..2 {
            let metrics = format!("127.0.0.1:{}", free_port());
            let mut command = program();
            command.args(["--listen", "127.0.0.1:0", "--database", database]);
            command.args(["--metrics", &metrics]);
            let log = folder.path().join(format!("log-{number}"));
            servers.push(Program::run(command, &log));
            metrics_addresses.push(metrics);
        }
        MonitoredServers {
            servers,
            metrics_addresses,
            folder,
        }
    }

    /// Plays computer games, so that metrics are recorded.
    async fn play(&self) {
        for server in &self.servers {
            let seats = vec!["book"; 3];
            let new = json!({"game": "dice", "players": 3, "seats": seats, "seed": 5});
            let made = plain_client()
                .post(format!("{}/api/v1/games", server.url))
                .json(&new)
                .send();
            let made: Value = made.await.unwrap().json().await.unwrap();
            let id = made["id"].as_str().unwrap();
            let until = format!("{}/api/v1/games/{id}?wait=3", server.url);
            let answer = plain_client().get(until).send().await.unwrap();
            assert!(answer.status().is_success());
        }
    }

    /// The metric names that the servers export.
    async fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for address in &self.metrics_addresses {
            let url = format!("http://{address}/metrics");
            let text = plain_client().get(url).send().await.unwrap();
            let text = text.text().await.unwrap();
            let typed = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
            names.extend(typed.map(|line| line.split(' ').next().unwrap().to_owned()));
        }
        names
    }
}

/// The metrics that the page documents, one per table row.
fn documented_metrics() -> BTreeSet<String> {
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter_map(|row| row.split('`').next());
    let names = names.filter(|name| name.contains('_') && !name.contains(['/', '.']));
    names.map(str::to_owned).collect()
}

/// The PromQL queries of the dashboard and the alerts.
fn queries() -> Vec<String> {
    let dashboard: Value = serde_json::from_str(DASHBOARD).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let queries = targets.map(|target| target["expr"].as_str().unwrap().to_owned());
    let alerts = ALERTS.lines().filter_map(|line| {
        let expr = line.trim().strip_prefix("expr: ")?;
        // Only the left side of the comparison: whether the alert fires does not matter here.
        Some(
            expr.rsplit_once([' '])
                .unwrap()
                .0
                .trim_end_matches([' ', '<', '>', '='])
                .to_owned(),
        )
    });
    queries.chain(alerts).collect()
}

/// Waits until Prometheus is ready; it answers 503 in plain text while it starts.
async fn is_ready(port: u16) {
    let url = format!("http://127.0.0.1:{port}/-/ready");
    let begun = Instant::now();
    loop {
        let answer = plain_client().get(&url).send().await;
        if answer.is_ok_and(|answer| answer.status().is_success()) {
            return;
        }
        assert!(begun.elapsed() < HANG, "Prometheus does not start");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Runs a query. Prometheus rejects an invalid query with 400 and a reason.
async fn run_query(port: u16, query: &str) -> Value {
    let url = format!("http://127.0.0.1:{port}/api/v1/query");
    let request = plain_client().post(url).form(&[("query", query)]);
    let answer = request.send().await.unwrap();
    match answer.status().as_u16() {
        200 | 400 => answer.json().await.unwrap(),
        _ => json!({"data": {"result": []}}),
    }
}

#[tokio::test]
async fn every_metric_is_documented_and_every_query_has_a_result() {
    if is_left_out() {
        return;
    }
    let database = shared().database().await;
    let instances = MonitoredServers::start(&database).await;
    let begun = Instant::now();
    let documented = documented_metrics();
    assert!(documented.len() > 12, "{documented:?}");
    // Metrics that only failures increment.
    let rare = BTreeSet::from(["plies_fenced_total".to_owned()]);
    loop {
        instances.play().await;
        let names = instances.names().await;
        let unknown: Vec<_> = names.difference(&documented).collect();
        assert!(unknown.is_empty(), "not documented: {unknown:?}");
        let missing: Vec<_> = documented
            .difference(&names)
            .filter(|name| !rare.contains(*name))
            .collect();
        if missing.is_empty() {
            break;
        }
        assert!(begun.elapsed() < HANG, "not exported: {missing:?}");
    }
    if !is_installed("prometheus") {
        return;
    }
    let port = free_port();
    let home = instances.folder.path();
    let targets = json!(instances.metrics_addresses);
    let settings = include_str!("../../packaging/monitoring/prometheus.yml")
        .replace(r#"["127.0.0.1:9100"]"#, &targets.to_string())
        .replace("scrape_interval: 5s", "scrape_interval: 1s");
    std::fs::write(home.join("prometheus.yml"), settings).unwrap();
    std::fs::write(home.join("alerts.yml"), ALERTS).unwrap();
    let _prometheus = Running(
        Command::new("prometheus")
            .arg(format!(
                "--config.file={}",
                home.join("prometheus.yml").display()
            ))
            .arg(format!(
                "--storage.tsdb.path={}",
                home.join("figures").display()
            ))
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    let mut unanswered: Vec<String> = queries();
    assert!(unanswered.len() > 25, "{unanswered:?}");
    // A counter is not exported before its first increment.
    unanswered.retain(|query| !rare.iter().any(|name| query.contains(name.as_str())));
    unanswered.retain(|query| !query.contains("status=~"));
    is_ready(port).await;
    let begun = Instant::now();
    while !unanswered.is_empty() {
        instances.play().await;
        let mut remaining = Vec::new();
        for query in unanswered {
            let answer = run_query(port, &query).await;
            assert_ne!(answer["status"], "error", "{query}: {answer}");
            let results = answer["data"]["result"].as_array().unwrap();
            let numbers = results.iter().any(|one| one["value"][1] != "NaN");
            if !numbers {
                remaining.push(query);
            }
        }
        unanswered = remaining;
        assert!(begun.elapsed() < HANG * 2, "no answer: {unanswered:#?}");
    }
}
