//! A server behind Debian's HAProxy and behind Debian's nginx, with the settings of packaging/containers and a
//! certificate: the server learns the client address and the scheme from a trusted proxy, and from no other.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::common::{HANG, Program, free_port, is_installed, program};
use tempfile::TempDir;

/// A host that no name service knows.
const NAME: &str = "dice.example";

/// A game with an open seat.
const GAME: &str = "rules=v2&seats=human&seats=open&seed=3";

/// A proxy that terminates TLS in front of a server.
pub(crate) struct Proxy {
    /// Its ports without TLS and with it.
    pub(crate) ports: [u16; 2],
    home: TempDir,
    process: Child,
}

impl Proxy {
    fn haproxy(server: &Program) -> Self {
        let settings = include_str!("../../packaging/containers/haproxy.cfg")
            .replace("bind :8080", "bind :80")
            .replace("one:8080", &server.address())
            .replace("two:8080", &server.address());
        Self::haproxy_with(&settings, "/readyz")
    }

    /// HAProxy with these settings, in which it listens at port 80; it is ready when it answers at the path `ready`.
    pub(crate) fn haproxy_with(settings: &str, ready: &str) -> Self {
        Self::start(ready, |home, [plain, tls]| {
            let bind = format!(
                "bind 127.0.0.1:{plain}\n\tbind 127.0.0.1:{tls} ssl crt {}",
                home.join("both.pem").display()
            );
            let settings = settings.replace("bind :80", &bind);
            let file = home.join("haproxy.cfg");
            std::fs::write(&file, settings).unwrap();
            let mut command = Command::new("haproxy");
            command.arg("-f").arg(file);
            command
        })
    }

    fn nginx(server: &Program) -> Self {
        let settings = include_str!("../../packaging/containers/nginx.conf")
            .replace("one:8080", &server.address())
            .replace("two:8080", &server.address());
        Self::nginx_with(&settings, "/readyz")
    }

    /// nginx with these settings, in which it listens at the ports 8080 and 8443; it is ready when it answers at the
    /// path `ready`.
    pub(crate) fn nginx_with(settings: &str, ready: &str) -> Self {
        Self::start(ready, |home, [plain, tls]| {
            let place = |name: &str| home.join(name).display().to_string();
            let mut own = format!("access_log off;\n\terror_log {};\n", place("nginx.log"));
            for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
                own += &format!("\t{kind}_temp_path {};\n", place(kind));
            }
            let settings = settings
                .replace("http {\n", &format!("http {{\n\t{own}"))
                .replace("listen 8080", &format!("listen 127.0.0.1:{plain}"))
                .replace("listen 8443", &format!("listen 127.0.0.1:{tls}"))
                .replace("/etc/nginx/dice.example.crt", &place("cert.pem"))
                .replace("/etc/nginx/dice.example.key", &place("key.pem"));
            let file = home.join("nginx.conf");
            std::fs::write(&file, settings).unwrap();
            let mut command = Command::new("nginx");
            let alone = format!(
                "daemon off; master_process off; pid {};",
                place("nginx.pid")
            );
            command.arg("-e").arg(place("nginx.log"));
            command.arg("-c").arg(file).args(["-g", &alone]);
            command
        })
    }

    fn start(ready: &str, command: impl Fn(&Path, [u16; 2]) -> Command) -> Self {
        let home = tempfile::tempdir().unwrap();
        let ports = [free_port(), free_port()];
        create_certificate(home.path());
        let mut command = command(home.path(), ports);
        let log = std::fs::File::create(home.path().join("said")).unwrap();
        let process = command.stdout(Stdio::null()).stderr(log).spawn().unwrap();
        let proxy = Proxy {
            ports,
            home,
            process,
        };
        let begun = Instant::now();
        while proxy.ask(ready, "127.0.0.1", &[]).status != 200 {
            let log = std::fs::read_to_string(proxy.home.path().join("said")).unwrap();
            assert!(begun.elapsed() < HANG, "{log}");
        }
        proxy
    }

    /// The response over TLS to a client with this address.
    pub(crate) fn ask(&self, path: &str, from: &str, more: &[&str]) -> Answer {
        let port = self.ports[1];
        self.curl(&format!("https://{NAME}:{port}{path}"), port, from, more)
    }

    /// The same without TLS.
    pub(crate) fn ask_plainly(&self, path: &str, from: &str, more: &[&str]) -> Answer {
        let port = self.ports[0];
        self.curl(&format!("http://{NAME}:{port}{path}"), port, from, more)
    }

    fn curl(&self, url: &str, port: u16, from: &str, more: &[&str]) -> Answer {
        let certificate = self.home.path().join("cert.pem");
        let output = Command::new("curl")
            .args("--silent --include --noproxy * --max-time 20".split(' '))
            .args(["--http1.1", "--interface", from, "--cacert"])
            .arg(certificate)
            .args(["--resolve", &format!("{NAME}:{port}:127.0.0.1")])
            .args(more)
            .arg(url)
            .output()
            .unwrap();
        Answer::read(&String::from_utf8_lossy(&output.stdout))
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) struct Answer {
    /// 0 where there was no response.
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    fn read(output: &str) -> Self {
        let (head, body) = output.split_once("\r\n\r\n").unwrap_or_default();
        let status = head.split(' ').nth(1);
        Answer {
            status: status.map_or(0, |status| status.parse().unwrap()),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        let line = self.head.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then_some(value)
        });
        line.unwrap_or_else(|| panic!("no {name} in {}", self.head))
    }
}

/// A self-signed certificate.
fn create_certificate(home: &Path) {
    let place = |name: &str| home.join(name);
    let run = Command::new("openssl")
        .args(["req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"])
        .args(["-pkeyopt", "ec_paramgen_curve:prime256v1"])
        .args(["-subj", &format!("/CN={NAME}")])
        .args(["-addext", &format!("subjectAltName=DNS:{NAME}")])
        .arg("-keyout")
        .arg(place("key.pem"))
        .arg("-out")
        .arg(place("cert.pem"))
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{stderr}");
    let [certificate, key] =
        ["cert.pem", "key.pem"].map(|name| std::fs::read_to_string(place(name)).unwrap());
    std::fs::write(place("both.pem"), certificate + &key).unwrap();
}

/// A server that allows one new game a minute per address, loopback included.
fn server(home: &TempDir, name: &str, more: &[&str]) -> Program {
    let mut command = program();
    command.args([
        "--listen",
        "127.0.0.1:0",
        "--database",
        "memory:",
        "--host",
        NAME,
    ]);
    command.args(["--limit-games-per-minute", "1", "--limit-loopback"]);
    command.args(more);
    Program::run(command, &home.path().join(name))
}

fn check(proxy: impl Fn(&Program) -> Proxy) {
    let home = tempfile::tempdir().unwrap();
    let trusts = server(&home, "trusts", &["--trusted-proxy", "127.0.0.1"]);
    let believed = proxy(&trusts);
    let [_, tls] = believed.ports;

    let created = believed.ask("/games", "127.0.0.2", &["--data", GAME]);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
    let cookie = created.header("set-cookie");
    assert!(cookie.starts_with("__Host-dod="), "{cookie}");
    assert!(cookie.split("; ").any(|part| part == "Secure"), "{cookie}");
    // The link of the open seat has the browser's address, and a guest finds the seat there.
    let game = created.header("location");
    let cookie = format!("cookie: {}", cookie.split(';').next().unwrap());
    let page = believed.ask(game, "127.0.0.2", &["--header", &cookie]).body;
    let begin = format!("https://{NAME}:{tls}/join/");
    let link = page.split('"').find(|text| text.starts_with(&begin));
    let link = link.unwrap_or_else(|| panic!("no {begin}… in {page}"));
    let guest = believed.ask(&link[begin.len() - "/join/".len()..], "127.0.0.3", &[]);
    assert_eq!(guest.status, 200, "{}", guest.head);
    assert!(!page.contains(&format!("http://{NAME}")), "{page}");
    // A stream is passed on without buffering.
    let events = format!("{game}/events");
    let response = believed.ask(&events, "127.0.0.3", &["--max-time", "2"]);
    assert!(
        response.body.contains("event: watchers"),
        "{}{}",
        response.head,
        response.body
    );

    // Each address has its own limit, whatever the client claims in a header.
    let lie = ["--data", GAME, "--header", "X-Forwarded-For: 192.0.2.1"];
    assert_eq!(believed.ask("/games", "127.0.0.2", &lie).status, 429);
    assert_eq!(
        believed
            .ask("/games", "127.0.0.3", &["--data", GAME])
            .status,
        303
    );
    // Without TLS, a client's claim to use it is ignored.
    let lie = ["--data", GAME, "--header", "X-Forwarded-Proto: https"];
    let created = believed.ask_plainly("/games", "127.0.0.4", &lie);
    let cookie = created.header("set-cookie");
    assert!(
        cookie.starts_with("dod=") && !cookie.contains("Secure"),
        "{cookie}"
    );

    // For a server that does not trust the proxy, all clients have one address and none uses TLS.
    let alone = server(&home, "alone", &[]);
    let unknown = proxy(&alone);
    let created = unknown.ask("/games", "127.0.0.2", &["--data", GAME]);
    assert_eq!(created.status, 303, "{}{}", created.head, created.body);
    let cookie = created.header("set-cookie");
    assert!(
        cookie.starts_with("dod=") && !cookie.contains("Secure"),
        "{cookie}"
    );
    assert_eq!(
        unknown.ask("/games", "127.0.0.3", &["--data", GAME]).status,
        429
    );
    let log = alone.log();
    assert!(
        log.contains("--trusted-proxy"),
        "the log tells what is missing: {log}"
    );
}

#[test]
fn haproxy_with_tls_is_believed_only_if_trusted() {
    if is_installed("haproxy") && is_installed("openssl") && is_installed("curl") {
        check(Proxy::haproxy);
    }
}

#[test]
fn nginx_with_tls_is_believed_only_if_trusted() {
    if is_installed("nginx") && is_installed("openssl") && is_installed("curl") {
        check(Proxy::nginx);
    }
}
