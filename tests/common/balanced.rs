//! Two servers on one PostgreSQL database behind Debian's HAProxy, with the settings of packaging/containers.

#![allow(dead_code, reason = "each test uses what it needs")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reqwest::Client;
use tempfile::TempDir;

use crate::common::{HANG, Program, free_port, is_installed, program};
use crate::server::{is_left_out, shared};

/// Whether the tests with a load balancer are skipped; prints it if so.
pub(crate) fn is_without_balancer() -> bool {
    if is_left_out() {
        return true;
    }
    !is_installed("haproxy")
}

/// Two servers behind a load balancer.
pub(crate) struct BalancedServers {
    database: String,
    ports: [u16; 2],
    pub(crate) servers: Vec<Program>,
    pub(crate) url: String,
    /// The URL of the balancer's server statistics.
    statistics_url: String,
    balancer: Child,
    home: TempDir,
    started: u32,
}

impl BalancedServers {
    pub(crate) async fn new() -> Self {
        Self::on_database(shared().database().await).await
    }

    /// Two servers on this database.
    pub(crate) async fn on_database(database: String) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (ports, port, statistics_port) = ([free_port(), free_port()], free_port(), free_port());
        let settings = include_str!("../../packaging/containers/haproxy.cfg")
            .replace("bind :8080", &format!("bind 127.0.0.1:{port}"))
            .replace("one:8080", &format!("127.0.0.1:{}", ports[0]))
            .replace("two:8080", &format!("127.0.0.1:{}", ports[1]))
            + &format!(
                "\nfrontend statistics\n\tbind 127.0.0.1:{statistics_port}\n\tstats enable\n\tstats uri /statistics\n"
            );
        let file = home.path().join("haproxy.cfg");
        std::fs::write(&file, settings).unwrap();
        let mut servers = BalancedServers {
            database,
            ports,
            servers: Vec::new(),
            url: format!("http://127.0.0.1:{port}"),
            statistics_url: format!("http://127.0.0.1:{statistics_port}/statistics;csv"),
            balancer: Command::new("haproxy")
                .arg("-f")
                .arg(&file)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap(),
            home,
            started: 0,
        };
        for at in 0..2 {
            let server = servers.start(at);
            servers.servers.push(server);
        }
        for at in 0..2 {
            servers.ready(at).await;
        }
        servers
    }

    fn start(&mut self, at: usize) -> Program {
        self.started += 1;
        let log = self.home.path().join(format!("log-{}", self.started));
        let address = format!("127.0.0.1:{}", self.ports[at]);
        let mut command = program();
        command.args(["--listen", &address, "--database", &self.database]);
        command.args(["--trusted-proxy", "127.0.0.1", "--drain-seconds", "2"]);
        Program::run(command, &log)
    }

    pub(crate) async fn answers(url: &str) -> bool {
        let response = Client::new().get(format!("{url}/readyz")).send().await;
        response.is_ok_and(|answer| answer.status() == 200)
    }

    /// Waits until a server is ready and the balancer has marked it as up; before that, only the other one serves.
    async fn ready(&self, at: usize) {
        until(async || Self::answers(&self.servers[at].url).await).await;
        until(async || self.is_known(at).await).await;
    }

    /// Whether the balancer routes requests to this server.
    async fn is_known(&self, at: usize) -> bool {
        let Ok(answer) = Client::new().get(&self.statistics_url).send().await else {
            return false;
        };
        let table = answer.text().await.unwrap_or_default();
        let server = format!("dice,{},", ["one", "two"][at]);
        table
            .lines()
            .any(|line| line.starts_with(&server) && line.split(',').any(|field| field == "UP"))
    }

    /// Drains a server with the command for it and starts a replacement.
    pub(crate) async fn restart(&mut self, at: usize) {
        let leaving = self.servers.remove(at);
        let pid = leaving.pid().to_string();
        let drain = program().args(["drain", &pid]).spawn().unwrap();
        let url = leaving.url.clone();
        until(async || !Self::answers(&url).await).await;
        let (status, _) = tokio::task::spawn_blocking(move || leaving.wait_for_exit())
            .await
            .unwrap();
        assert!(status.success(), "{status}");
        let drained = drain.wait_with_output().unwrap();
        assert!(drained.status.success());
        let server = self.start(at);
        self.servers.insert(at, server);
        self.ready(at).await;
    }

    /// Kills a server and starts a replacement.
    pub(crate) async fn kill(&mut self, at: usize) {
        self.servers.remove(at).kill();
        let server = self.start(at);
        self.servers.insert(at, server);
        self.ready(at).await;
    }
}

impl Drop for BalancedServers {
    fn drop(&mut self) {
        let _ = self.balancer.kill();
        let _ = self.balancer.wait();
    }
}

/// Polls until the condition holds.
pub(crate) async fn until(is_so: impl AsyncFn() -> bool) {
    let begun = Instant::now();
    while !is_so().await {
        assert!(begun.elapsed() < HANG);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
