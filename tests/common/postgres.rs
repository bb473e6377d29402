//! A PostgreSQL cluster for the tests: fresh, in a temporary folder, reached over a Unix socket there and not over a
//! network. It ends with the process that started it, however that ends, and its files are removed.

#![allow(dead_code, reason = "each test uses what it needs")]
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Executor as _, PgConnection};

/// Runs the cluster and reads commands from its input: `kill` kills all its processes at once, `start` starts it
/// again. The end of the input ends the cluster.
const KEEPER: &str = r#"
set -u
bin=$1 fsync=$2
home=$(mktemp -d "${TMPDIR:-/tmp}/dice-of-doom-postgres.XXXXXX") || exit 1
"$bin/initdb" -D "$home/data" -U dice -A trust -E UTF8 --locale=C --no-sync >"$home/initdb.log" 2>&1 || {
    cat "$home/initdb.log" >&2; rm -rf "$home"; exit 1; }
start() {
    until "$bin/pg_isready" -q -h "$home"; do
        if [ -z "${pid:-}" ] || ! kill -0 "$pid" 2>/dev/null; then
            "$bin/postgres" -D "$home/data" -k "$home" -c listen_addresses= -c "fsync=$fsync" \
                -c max_connections=800 -c shared_buffers=32MB >>"$home/log" 2>&1 </dev/null &
            pid=$!
        fi
        sleep 0.05
    done
    echo "$home"
}
end() {
    kill -KILL "$pid" $(cat "/proc/$pid/task/$pid/children" 2>/dev/null) 2>/dev/null
    wait "$pid" 2>/dev/null
    pid=
}
start
while read -r word; do
    case $word in
        kill) end; echo killed ;;
        start) start ;;
    esac
done
end
rm -rf "$home"
"#;

pub(crate) struct Postgres {
    home: PathBuf,
    _keeper: Child,
    input: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// Whether tests with PostgreSQL are skipped; `tests/run` reports it where PostgreSQL cannot be installed.
pub(crate) fn is_left_out() -> bool {
    std::env::var_os("DOD_NO_POSTGRES").is_some()
}

/// Whether this machine has PostgreSQL.
pub(crate) fn is_installed() -> bool {
    newest().is_some()
}

/// The folder of the newest PostgreSQL on this machine.
fn programs() -> PathBuf {
    newest().expect(
        "PostgreSQL is not installed: apt-get install postgresql, name its folder in DOD_POSTGRES, or set \
         DOD_NO_POSTGRES=1 to leave these tests out",
    )
}

fn newest() -> Option<PathBuf> {
    if let Some(folder) = std::env::var_os("DOD_POSTGRES") {
        return Some(folder.into());
    }
    let versions = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten();
    let mut versions: Vec<(u32, PathBuf)> = versions
        .filter_map(|found| {
            let path = found.ok()?.path();
            Some((path.file_name()?.to_str()?.parse().ok()?, path.join("bin")))
        })
        .filter(|(_, programs)| programs.join("postgres").exists())
        .collect();
    versions.sort();
    versions.pop().map(|(_, programs)| programs)
}

impl Postgres {
    pub(crate) fn start(fsync: bool) -> Self {
        // PostgreSQL refuses to run as root.
        let is_root = Path::new("/proc/self")
            .metadata()
            .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let mut command = if is_root {
            let mut command = Command::new("runuser");
            command.args(["-u", "postgres", "--", "sh"]);
            command
        } else {
            Command::new("sh")
        };
        let mut keeper = command
            .args(["-c", KEEPER, "keeper"])
            .arg(programs())
            .arg(if fsync { "on" } else { "off" })
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("sh and runuser");
        let input = keeper.stdin.take().unwrap();
        let answers = BufReader::new(keeper.stdout.take().unwrap());
        let mut postgres = Postgres {
            home: PathBuf::new(),
            _keeper: keeper,
            input,
            answers,
        };
        postgres.home = postgres.read_answer().into();
        postgres
    }

    fn read_answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the cluster did not start");
        line.trim().to_owned()
    }

    /// Kills every process at once, as a power cut to the database alone would.
    pub(crate) fn kill(&mut self) {
        writeln!(self.input, "kill").unwrap();
        self.read_answer();
    }

    pub(crate) fn start_again(&mut self) {
        writeln!(self.input, "start").unwrap();
        self.read_answer();
    }

    /// The process id of the postmaster, whose children do the work.
    pub(crate) fn process(&self) -> u32 {
        let file = self.home.join("data/postmaster.pid");
        let text = std::fs::read_to_string(file).unwrap();
        text.lines().next().unwrap().parse().unwrap()
    }

    pub(crate) fn url(&self, database: &str) -> String {
        let home = self.home.display();
        format!("postgres://dice@localhost/{database}?host={home}")
    }

    /// Creates an empty database; returns its URL.
    pub(crate) async fn database(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("games_{}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let mut connection = connect(&self.url("postgres")).await;
        let create = || sqlx::AssertSqlSafe(format!("CREATE DATABASE {name}"));
        // The template may be in use by another creation; retries.
        while let Err(error) = connection.execute(create()).await {
            let code = error.as_database_error().and_then(|error| error.code());
            assert_eq!(code.as_deref(), Some("55006"), "{error}");
        }
        connection.close().await.unwrap();
        self.url(&name)
    }
}

/// The cluster that the tests of a binary share, each with its own databases. It does not sync, so a power cut would
/// lose everything.
pub(crate) fn shared() -> &'static Postgres {
    static SHARED: OnceLock<Postgres> = OnceLock::new();
    SHARED.get_or_init(|| Postgres::start(false))
}

pub(crate) async fn connect(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().unwrap();
    options.disable_statement_logging().connect().await.unwrap()
}
