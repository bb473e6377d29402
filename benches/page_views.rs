//! Compares game pages with a static file of about their size: wrk requests the pages of 100 games with five display
//! options each and the cookie of a seated player, while each game plays a ply a second; then it requests a static
//! file from the same server without other load. Both are sent uncompressed.
//!
//! Then it requests pages that many readers see, without a cookie, and those of a reader with 25 games, all compressed and
//! without other load, each after the file.
//!
//! `cargo bench --bench page_views` repeats the first part five times and prints the ratios; without `--bench` (as `cargo
//! test --benches` runs it) it tries a few games for a second. `DOD_BEFORE=PROGRAM` measures another build of the program
//! alternately with this one. It needs wrk.

#![allow(
    clippy::unwrap_used,
    reason = "a benchmark may panic on anything unexpected"
)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "background_load/processor.rs"]
mod processor;

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::{Api, Program, likely, number, program};
use processor::processor_time;
use reqwest::{Client, header, redirect};
use tokio::task::JoinSet;
use tokio::time::Instant;

/// The size of the measurement.
#[derive(Clone, Copy)]
struct Scale {
    games: u32,
    rounds: usize,
    seconds: u32,
}

const FULL: Scale = Scale {
    games: 100,
    rounds: 5,
    seconds: 6,
};

const QUICK: Scale = Scale {
    games: 3,
    rounds: 1,
    seconds: 1,
};

/// The display options with which each game is requested, as cookie values.
const LOOKS: [&str; 5] = [
    "",
    "theme-dark",
    "board-flat",
    "colours-okabe.board-flat",
    "colours-contrast.theme-light",
];

/// Static files to compare with; the one nearest in size is used.
const FILES: [&str; 5] = [
    "style.css",
    "motion.js",
    "live.js",
    "layout.css",
    "board.js",
];

/// Pages that look the same to all readers without a cookie.
const SHARED_PAGES: [&str; 7] = [
    "/", "/rules", "/daily", "/puzzles", "/levels", "/learn", "/me",
];

/// The number of games of a reader.
const READER_GAMES: u32 = 25;

/// The time between two plies of a game.
const PACE: Duration = Duration::from_secs(1);

fn main() {
    let full = std::env::args().any(|argument| argument == "--bench");
    let scale = if full { FULL } else { QUICK };
    if Command::new("wrk").arg("-v").output().is_err() {
        println!("skipped: this needs wrk, which is not installed");
        return;
    }
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(measure(scale));
}

async fn measure(scale: Scale) {
    let folder = tempfile::tempdir().unwrap();
    let mut servers = vec![MeasuredServer::start("now", program(), scale, folder.path()).await];
    if let Some(before) = std::env::var_os("DOD_BEFORE") {
        servers.push(
            MeasuredServer::start("before", Command::new(before), scale, folder.path()).await,
        );
    }
    for round in 1..=scale.rounds {
        for server in &mut servers {
            server.measure(scale, round).await;
        }
    }
    for server in servers {
        server.report();
        server.measure_compressed(scale).await;
    }
}

/// A server with games in which one browser holds every seat.
struct MeasuredServer {
    name: &'static str,
    program: Program,
    cookie: String,
    games: Vec<String>,
    /// The static file, and the wrk scripts that request it and the pages.
    file: String,
    file_script: PathBuf,
    page_script: PathBuf,
    /// The ratios of responses per second and of processor time, one pair per round.
    ratios: Vec<[f64; 2]>,
}

impl MeasuredServer {
    async fn start(name: &'static str, mut command: Command, scale: Scale, folder: &Path) -> Self {
        command
            .env("RUST_LOG", "warn")
            .args(["--listen", "127.0.0.1:0", "--database", "memory:"]);
        let program = Program::run(command, &folder.join(format!("{name}.log")));
        let (cookie, games) = create_games(&program, scale.games).await;
        let (page, file) = sizes(&program.api(), &cookie, &games[0]).await;
        println!(
            "{name}: pages of {} bytes, {} of {} bytes",
            page.bytes, file.path, file.bytes
        );
        let cookies = LOOKS.map(|look| match look {
            "" => cookie.clone(),
            look => format!("{cookie}; dod_look={look}"),
        });
        let script = |kind: &str, paths: &[&str]| {
            let path = folder.join(format!("{name}.{kind}.lua"));
            std::fs::write(&path, script(paths, &cookies)).unwrap();
            path
        };
        let pages: Vec<_> = games.iter().map(String::as_str).collect();
        MeasuredServer {
            name,
            file_script: script("file", &[&file.path]),
            page_script: script("pages", &pages),
            file: file.path,
            program,
            cookie,
            games,
            ratios: Vec::new(),
        }
    }

    async fn measure(&mut self, scale: Scale, round: usize) {
        let file = self.run_script(scale, &self.file_script).await;
        let until = Instant::now() + Duration::from_secs(scale.seconds.into());
        let mut players = JoinSet::new();
        for (nth, game) in (0..).zip(&self.games) {
            // The games do not move in step, as those of people do not.
            let first = Instant::now() + PACE * nth / scale.games;
            let (api, cookie) = (self.program.api(), self.cookie.clone());
            players.spawn(play(api, cookie, game.clone(), first, until));
        }
        let pages = self.run_script(scale, &self.page_script).await;
        let plies: u64 = players.join_all().await.into_iter().sum();
        let ratio = [
            pages.per_second / file.per_second,
            file.processor.as_secs_f64() / pages.processor.as_secs_f64(),
        ];
        println!(
            "round {round}, {}: {:.0} pages/s with {plies} plies, {:.0} of {}/s, ratio {:.2}; \
             {:.1?} and {:.1?} of processor for an answer, ratio {:.2}",
            self.name,
            pages.per_second,
            file.per_second,
            self.file.rsplit('/').next().unwrap(),
            ratio[0],
            pages.processor,
            file.processor,
            ratio[1],
        );
        self.ratios.push(ratio);
    }

    /// Compares compressed pages with the compressed file.
    async fn measure_compressed(&self, scale: Scale) {
        let (cookie, games) = create_games(&self.program, READER_GAMES).await;
        let json = format!("/api/v1{}", games[0].replace("/g/", "/games/"));
        let shared = SHARED_PAGES.into_iter().chain([&*games[0], &json]);
        let shared = shared.map(|path| (path, None));
        let own = ["/", "/me"].map(|path| (path, Some(cookie.as_str())));
        for (path, cookie) in shared.chain(own) {
            let file = self.run_compressed(scale, &self.file, None).await;
            let page = self.run_compressed(scale, path, cookie).await;
            let reader = cookie.map_or("", |_| " of a reader with 25 games");
            println!(
                "{}, {path}{reader}: {:.0}/s, ratio to the file {:.2}; {:.1?} and {:.1?} of processor, ratio {:.2}",
                self.name,
                page.per_second,
                page.per_second / file.per_second,
                page.processor,
                file.processor,
                file.processor.as_secs_f64() / page.processor.as_secs_f64(),
            );
        }
    }

    async fn run_compressed(&self, scale: Scale, path: &str, cookie: Option<&str>) -> Answers {
        let mut wrk = Command::new("wrk");
        wrk.args(["-t1", "-c16", "-H", "Accept-Encoding: gzip"]);
        if let Some(cookie) = cookie {
            wrk.args(["-H", &format!("Cookie: {cookie}")]);
        }
        self.run_wrk(scale, wrk, path).await
    }

    async fn run_script(&self, scale: Scale, script: &Path) -> Answers {
        let mut wrk = Command::new("wrk");
        wrk.args(["-t2", "-c32", "-s"]).arg(script);
        self.run_wrk(scale, wrk, "/").await
    }

    async fn run_wrk(&self, scale: Scale, mut wrk: Command, path: &str) -> Answers {
        let process = self.program.pid().to_string();
        let before = processor_time(&process);
        wrk.arg(format!("-d{}s", scale.seconds));
        wrk.arg(format!("http://{}{path}", self.program.address()));
        let output = tokio::task::spawn_blocking(move || wrk.output().unwrap().stdout);
        let output = String::from_utf8(output.await.unwrap()).unwrap();
        let processor = processor_time(&process).saturating_sub(before);
        let odd = ["Non-2xx", "Socket errors"];
        assert!(odd.iter().all(|odd| !output.contains(odd)), "{output}");
        let after = |what: &str| {
            let (_, rest) = output.split_once(what).unwrap();
            rest.split_whitespace().next().unwrap()
        };
        let before = |what: &str| {
            let (rest, _) = output.split_once(what).unwrap();
            rest.split_whitespace().next_back().unwrap()
        };
        let answers: u32 = before("requests in").parse().unwrap();
        Answers {
            per_second: after("Requests/sec:").parse().unwrap(),
            processor: processor / answers.max(1),
        }
    }

    fn report(&self) {
        for (at, what) in ["answers a second", "processor time"].iter().enumerate() {
            let mut ratios: Vec<_> = self.ratios.iter().map(|ratios| ratios[at]).collect();
            ratios.sort_by(f64::total_cmp);
            println!(
                "{}, {what}: median ratio {:.2}, from {:.2} to {:.2}",
                self.name,
                ratios[ratios.len() / 2],
                ratios[0],
                ratios[ratios.len() - 1],
            );
        }
    }
}

/// The result of a wrk run.
struct Answers {
    per_second: f64,
    /// The server's processor time per response.
    processor: Duration,
}

/// A script that requests every path with every cookie in turn; each thread starts at another one.
fn script(paths: &[&str], cookies: &[String]) -> String {
    let mut script = "local asked, at = {}, 0\nfunction init(args)\n".to_owned();
    for path in paths {
        for cookie in cookies {
            let line = format!(
                "  asked[#asked + 1] = wrk.format('GET', '{path}', {{['Cookie'] = '{cookie}'}})"
            );
            writeln!(script, "{line}").unwrap();
        }
    }
    script.push_str(
        "  math.randomseed(tonumber(tostring(asked):sub(8)) or 1)\n  at = math.random(#asked)\nend\n\
         function request()\n  at = at % #asked + 1\n  return asked[at]\nend\n",
    );
    script
}

/// The browser's cookie and the paths of its new games, in which it holds every seat.
async fn create_games(program: &Program, games: u32) -> (String, Vec<String>) {
    let address = format!("http://{}/games", program.address());
    let client = client();
    let (mut cookie, mut paths) = (String::new(), Vec::new());
    for seed in 0..games {
        let seed = seed.to_string();
        let seats = ["seats", "seats", "seats", "seats"].map(|seat| (seat, "human"));
        let mut form = vec![("game", "dice"), ("players", "4"), ("seed", &seed)];
        form.extend(seats);
        let request = client.post(&address).header(header::COOKIE, &cookie);
        let answer = request.form(&form).send().await.unwrap();
        let headers = answer.headers();
        if let Some(set) = headers.get(header::SET_COOKIE) {
            let set = set.to_str().unwrap();
            cookie = set.split(';').next().unwrap().to_owned();
        }
        paths.push(headers[header::LOCATION].to_str().unwrap().to_owned());
    }
    (cookie, paths)
}

fn client() -> Client {
    let client = Client::builder().redirect(redirect::Policy::none());
    client.build().unwrap()
}

/// A path and the size of its response.
struct Sized {
    path: String,
    bytes: usize,
}

/// A game's page, and the static file that is nearest to it in size.
async fn sizes(api: &Api, cookie: &str, game: &str) -> (Sized, Sized) {
    let got = async |path: String| {
        let request = client()
            .get(format!("{}{path}", api.url))
            .header(header::COOKIE, cookie);
        let text = request.send().await.unwrap().text().await.unwrap();
        let bytes = text.len();
        (text, Sized { path, bytes })
    };
    let (text, page) = got(game.to_owned()).await;
    assert!(text.contains("data-yours"), "the browser has a seat");
    let (_, rest) = text.split_once("\"/assets/").unwrap();
    let (build, _) = rest.split_once('/').unwrap();
    let mut files = Vec::new();
    for name in FILES {
        files.push(got(format!("/assets/{build}/{name}")).await.1);
    }
    let nearest = files
        .into_iter()
        .min_by_key(|file| file.bytes.abs_diff(page.bytes));
    (page, nearest.unwrap())
}

/// Plays a ply each second until `until` or the end of the game; returns the number of plies.
async fn play(api: Api, cookie: String, game: String, first: Instant, until: Instant) -> u64 {
    let state = format!("/api/v1{}", game.replace("/g/", "/games/"));
    let client = client();
    let begun = number(&api.json(&state).await["ply"]);
    let mut ticks = tokio::time::interval_at(first, PACE);
    let mut ply = begun;
    while ticks.tick().await < until {
        let moves = api.json(&format!("{state}/moves")).await;
        if moves["over"] == true {
            break;
        }
        let path = likely(&moves);
        let mut form = vec![("ply", ply)];
        match path.as_array() {
            Some(path) => form.extend([("from", number(&path[0])), ("to", number(&path[1]))]),
            None => form.push(("pass", 1)),
        }
        let request = client.post(format!("{}{game}/moves", api.url));
        let request = request.header(header::COOKIE, &cookie).form(&form);
        assert_eq!(request.send().await.unwrap().status(), 303);
        ply += 1;
    }
    ply - begun
}
