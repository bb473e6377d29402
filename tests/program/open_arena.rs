//! Programs in the arena: the engine as a level plays that level's games, bots that fail forfeit with a reported
//! reason, and every game is recorded.
//!
//! `DOD_ARENA_BOARDS=250 cargo test --test program open_arena::the_engine` plays 1,000 games; without it 52.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use dice_of_doom::engine::{Engine, RequestLimits};
use dice_of_doom::games::Registry;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::assert_contains;

const PROGRAM: &str = env!("CARGO_BIN_EXE_dice-of-doom");

/// Two players on nine hexes: short games.
const SMALL: [&str; 4] = ["--side", "3", "--players", "2"];

/// Runs an arena; returns its stdout, its stderr and its exit code.
fn arena(arguments: &[&str]) -> (String, String, Option<i32>) {
    let ended = Command::new(PROGRAM)
        .arg("arena")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(ended.stdout), text(ended.stderr), ended.status.code())
}

#[track_caller]
fn report(arguments: &[&str]) -> Value {
    let (out, complaints, code) = arena(&[arguments, &["--json"]].concat());
    assert_eq!(code, Some(0), "{arguments:?}: {complaints}");
    serde_json::from_str(&out).unwrap()
}

/// The report of an arena with these seats on a small board; the options are separated by spaces.
#[track_caller]
fn small_report(seats: &str, options: &str) -> Value {
    let options: Vec<_> = options.split(' ').collect();
    report(&[&SMALL[..], &["--seats", seats], &options].concat())
}

/// Plays the games of an arena as [`small_report`] does; nobody forfeits.
#[track_caller]
fn check_no_forfeit(seats: &str, options: &str) -> Value {
    let found = small_report(seats, options);
    assert!(found.get("forfeits").is_none(), "{found}");
    found
}

/// A contestant whose program is this shell script.
fn script(folder: &TempDir, text: &str) -> String {
    let path = folder.path().join("bot.sh");
    fs::write(&path, text).unwrap();
    format!("cmd:sh '{}'", path.display())
}

fn engine_as(level: &str) -> String {
    format!("cmd:'{PROGRAM}' engine --as {level}")
}

fn records(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The games without the players.
fn played(path: &Path) -> Vec<Value> {
    let mut games = records(path);
    for game in &mut games {
        let game = game.as_object_mut().unwrap();
        game.remove("seats");
        game.remove("seal");
    }
    games
}

#[test]
fn the_engine_as_book_plays_the_games_of_book() {
    let boards = std::env::var("DOD_ARENA_BOARDS").unwrap_or_else(|_| "13".to_owned());
    let folder = tempfile::tempdir().unwrap();
    let play = |first: &str, file: &Path| {
        let (seats, file) = (
            format!("{first},book,book,book"),
            file.display().to_string(),
        );
        report(&["--seats", &seats, "--boards", &boards, "--records", &file])
    };
    let [program, level] = ["program", "level"].map(|name| folder.path().join(name));
    let measured = play(&engine_as("book"), &program);
    let expected = play("book", &level);
    assert_eq!(played(&program), played(&level));
    let games = records(&program);
    assert_eq!(games.len(), 4 * boards.parse::<usize>().unwrap());
    let (first, share) = (&measured["seats"][0], &expected["seats"][0]);
    assert_eq!(first["share"], share["share"]);
    let [low, high] = ["low", "high"].map(|end| first[end].as_f64().unwrap());
    assert!(low < 0.25 && 0.25 < high, "seed 1: {first}");
    assert!(measured.get("forfeits").is_none(), "{measured}");
    // The record contains the players, who change seats with the rotations.
    let seat = &games[1]["seats"][3];
    assert_eq!(seat["kind"], "program", "{seat}");
    assert_eq!(
        games[1]["seats"][0],
        json!({"player": 0, "kind": "level", "level": "book"})
    );
    assert_eq!(
        games[1]["arena"],
        json!({"seed": 1, "table": 0, "board": 0, "rotation": 1})
    );
}

/// The forfeits of a bot against random, on three boards of two rotations.
#[track_caller]
fn forfeits(bot: &str, more: &[&str], kind: &str) -> Value {
    let seats = format!("{bot},random");
    let arguments = [&SMALL[..], &["--seats", &seats, "--boards", "3"], more].concat();
    let found = report(&arguments);
    let forfeits = found["forfeits"].as_array().unwrap();
    assert_eq!(forfeits.len(), 6, "{found}");
    for forfeit in forfeits {
        assert_eq!(forfeit["why"]["fault"], kind, "{forfeit}");
        let request: Value =
            serde_json::from_str(forfeit["why"]["asked"].as_str().unwrap()).unwrap();
        assert_eq!(request["op"], "choose");
        assert_eq!(request["position"]["size"], 3);
    }
    // The table for people shows them, too.
    let (table, _, code) = arena(&arguments);
    assert_eq!(code, Some(0));
    let summary = format!("{bot} forfeited 6 of 6 games: ");
    assert_contains(&table, &[&summary, "\n  asked    {\"id\":"]);
    found
}

#[test]
fn a_bot_that_crashes_forfeits() {
    let folder = tempfile::tempdir().unwrap();
    let found = forfeits(&script(&folder, "exit 3"), &[], "crash");
    assert_eq!(found["forfeits"][0]["why"]["answered"], "exit status: 3");
    assert_eq!(
        found["contestants"][0]["share"], 0.0,
        "the other wins: {found}"
    );
}

#[test]
fn the_plies_before_a_crash_are_recorded() {
    let folder = tempfile::tempdir().unwrap();
    // Two answers, and then no more.
    let bot = format!("for i in 1 2; do read l; echo \"$l\"; done | '{PROGRAM}' engine");
    let found = forfeits(&script(&folder, &bot), &["--threads", "1"], "crash");
    for forfeit in found["forfeits"].as_array().unwrap() {
        assert!(forfeit["ply"].as_u64() >= Some(2), "{forfeit}");
    }
    assert!(
        found["contestants"][0]["decisions"].as_u64() >= Some(18),
        "{found}"
    );
}

#[test]
fn a_bot_that_hangs_is_not_started_for_every_game() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let bot = format!("echo >> '{}'; cat > /dev/null", starts.display());
    let bot = script(&folder, &bot);
    let soon = ["--move-time", "1", "--grace", "20", "--threads", "1"];
    let found = forfeits(&bot, &soon, "timeout");
    assert_eq!(found["forfeits"][5]["why"]["answered"], Value::Null);
    assert!(
        found["forfeits"][5]["why"]["asked"]
            .as_str()
            .unwrap()
            .contains("\"budget_ms\":1")
    );
    // It may even ignore the end of its input.
    forfeits(&script(&folder, "exec sleep 1000"), &soon, "timeout");
    // Three in each of the two arenas.
    assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 6);
}

#[test]
fn a_bot_that_answers_nonsense_forfeits() {
    let folder = tempfile::tempdir().unwrap();
    let with_id = |rest: &str| {
        let id = r#"id=${line#*:}; id=${id%%,*}"#;
        let answer = format!(r#"echo "{{\"id\":$id,{}}}""#, rest.replace('"', "\\\""));
        script(
            &folder,
            &format!("while read line; do {id}; {answer}; done"),
        )
    };
    for wrong in [
        r#""ok":{"index":999}"#,
        r#""ok":7"#,
        r#""error":{"code":"internal"}"#,
    ] {
        forfeits(&with_id(wrong), &[], "illegal");
    }
    let bot = r#"while read line; do echo '{"id":null,"error":{"code":"bad-json"}}'; done"#;
    forfeits(&script(&folder, bot), &[], "illegal");
}

#[test]
fn a_bot_that_answers_other_requests_times_out() {
    let folder = tempfile::tempdir().unwrap();
    let soon = ["--move-time", "1", "--grace", "20", "--threads", "1"];
    for answer in ["hello, world", r#"{"id":77,"ok":{"index":0}}"#] {
        let bot = format!("while read line; do echo '{answer}'; echo; done");
        let found = forfeits(&script(&folder, &bot), &soon, "timeout");
        assert_eq!(found["forfeits"][0]["why"]["answered"], answer);
    }
    let endless = "while :; do echo 'info depth 1'; done";
    forfeits(&script(&folder, endless), &soon, "timeout");
}

#[test]
fn a_bot_may_print_more_than_its_responses() {
    let folder = tempfile::tempdir().unwrap();
    let greeting = r"printf '\357\273\277My Bot 1.0\r\n\r\n{\n{\042id\042:0}\n[]\n'";
    let before =
        r#"printf 'thinking\n\n{"id":99,"ok":{"index":0}}\n{"id":0,"info":{"depth":1}}\n'"#;
    let bot = format!(
        "{greeting}; while read -r line; do {before}; printf '%s\n' \"$line\" | '{PROGRAM}' engine; done"
    );
    let seats = format!("{},random", script(&folder, &bot));
    check_no_forfeit(&seats, "--boards 1 --threads 1");
    // A byte order mark before every line.
    let marks = format!(
        "while read -r line; do printf '\\357\\273\\277'; printf '%s\\n' \"$line\" | '{PROGRAM}' engine; done"
    );
    let seats = format!("{},random", script(&folder, &marks));
    check_no_forfeit(&seats, "--boards 1 --threads 1");
}

/// A bot that starts another program, which runs for ever and ignores the end of its input; and the file to which it
/// writes that program's process id.
#[cfg(unix)]
fn with_child(folder: &TempDir, then: &str) -> (String, PathBuf) {
    let file = folder.path().join("child");
    let child = format!(
        "sleep 1000 > /dev/null & echo $! > '{}.part'",
        file.display()
    );
    let publish = format!("mv '{0}.part' '{0}'", file.display());
    (script(folder, &format!("{child}; {publish}; {then}")), file)
}

/// Waits until the process whose id is in this file has ended.
#[cfg(unix)]
fn wait_for_exit(child: &Path) {
    let number = fs::read_to_string(child).unwrap();
    let begun = std::time::Instant::now();
    let is_there = || {
        let output = Command::new("ps")
            .args(["-o", "stat=", "-p", number.trim()])
            .output();
        let state = String::from_utf8(output.unwrap().stdout).unwrap();
        // A process without a parent that reaps it stays as a zombie.
        !state.trim().is_empty() && !state.starts_with('Z')
    };
    while is_there() {
        assert!(
            begun.elapsed() < crate::common::HANG,
            "{number} is still running"
        );
        std::thread::yield_now();
    }
}

#[cfg(unix)]
#[test]
fn child_processes_of_a_bot_end_with_the_arena() {
    let folder = tempfile::tempdir().unwrap();
    let engine = format!("'{PROGRAM}' engine --as random");
    for (then, more, kind) in [
        (engine.as_str(), &[][..], None),
        ("exit 3", &[], Some("crash")),
        (
            "while :; do read l; done",
            &["--move-time", "1", "--grace", "20"],
            Some("timeout"),
        ),
    ] {
        let (bot, child) = with_child(&folder, then);
        match kind {
            Some(kind) => drop(forfeits(&bot, more, kind)),
            None => {
                let seats = format!("{bot},random");
                check_no_forfeit(&seats, "--boards 1 --threads 1");
            }
        }
        wait_for_exit(&child);
        fs::remove_file(child).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn child_processes_of_a_bot_end_when_the_arena_is_interrupted() {
    for (signal, code) in [("INT", 130), ("TERM", 143), ("HUP", 129), ("QUIT", 131)] {
        let folder = tempfile::tempdir().unwrap();
        let (bot, child) = with_child(&folder, "exec sleep 1000");
        let mut arena = crate::common::program_with_signals()
            .arg("arena")
            .args(SMALL)
            .args(["--seats", &format!("{bot},random")])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let begun = std::time::Instant::now();
        while !child.exists() {
            assert!(
                begun.elapsed() < crate::common::HANG,
                "the bot does not start"
            );
            std::thread::yield_now();
        }
        let number = arena.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &number]).status();
        assert!(sent.unwrap().success());
        assert_eq!(arena.wait().unwrap().code(), Some(code), "{signal}");
        wait_for_exit(&child);
    }
}

#[test]
fn a_program_is_started_once_per_seat() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let bot = format!("echo >> '{}'; exec '{PROGRAM}' engine", starts.display());
    let bot = script(&folder, &bot);
    let seats = format!("{bot},{bot}");
    small_report(&seats, "--boards 4 --threads 1 --nodes 50");
    assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 2);
}

#[test]
fn a_program_that_does_not_start_is_reported_at_once() {
    for (seats, message) in [
        ("cmd:/nowhere/bot,random", "/nowhere/bot does not start: "),
        ("cmd:'bot,random", "a quotation mark is not closed"),
        (
            "own:me,random",
            "own:me: strategies of one's own play in the library",
        ),
    ] {
        let (out, complaints, code) = arena(&[&SMALL[..], &["--seats", seats]].concat());
        assert_eq!((out.as_str(), code), ("", Some(1)), "{complaints}");
        assert!(complaints.contains(message), "{complaints}");
        assert_eq!(complaints.lines().count(), 1, "{complaints}");
    }
    let (_, complaints, code) = arena(&[&SMALL[..], &["--seats", "cmd:,random"]].concat());
    assert_eq!(code, Some(2));
    assert_contains(&complaints, &["cmd: is followed by nothing"]);
}

/// A bot that plays the first legal action, and appends each request to the file.
fn first_action(folder: &TempDir, requests: &Path) -> String {
    let id = r#"id=${line#*:}; id=${id%%,*}"#;
    let answer = r#"echo "{\"id\":$id,\"ok\":{\"index\":0}}""#;
    let log = format!("printf '%s\\n' \"$line\" >> '{}'", requests.display());
    script(
        folder,
        &format!("while read -r line; do {log}; {id}; {answer}; done"),
    )
}

#[test]
fn options_are_sent_with_every_request() {
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests");
    let bot = first_action(&folder, &requests);
    let options = r#"option.hash=64 option.book=false 'option.style=slow and steady'"#;
    let seats = format!("{bot} {options},random");
    check_no_forfeit(&seats, "--boards 2");
    let requests = records(&requests);
    assert!(!requests.is_empty());
    for request in requests {
        assert_eq!(request["hash"], 64, "{request}");
        assert_eq!(request["book"], false, "{request}");
        assert_eq!(request["style"], "slow and steady", "{request}");
        assert_eq!(request["op"], "choose", "{request}");
    }
    // The engine has its fields as options.
    let play = |first: &str, name: &str| {
        let (seats, file) = (format!("{first},random"), folder.path().join(name));
        let file_text = file.display().to_string();
        let arguments = ["--seats", &seats, "--boards", "3", "--records", &file_text];
        report(&[&SMALL[..], &arguments].concat());
        played(&file)
    };
    let engine = format!("cmd:'{PROGRAM}' engine option.level=book");
    assert_eq!(play(&engine, "engine"), play("book", "level"));

    for (option, message) in [
        ("option.seed=3", "option.seed is not an option"),
        ("option.a=1 option.a=2", "option.a is there twice"),
    ] {
        let seats = format!("{bot} {option},random");
        let (_, complaints, code) = arena(&[&SMALL[..], &["--seats", &seats]].concat());
        assert_eq!(code, Some(1), "{complaints}");
        assert!(complaints.contains(message), "{complaints}");
    }
}

#[test]
fn programs_have_clocks() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("requests");
    let bot = first_action(&folder, &log);
    let seats = format!("{bot},random");
    let arguments = ["--seats", &seats, "--boards", "1", "--threads", "1"];
    let clock = ["--clock", "60+600"];
    let found = report(&[&SMALL[..], &arguments, &clock].concat());
    assert!(found.get("forfeits").is_none(), "{found}");
    let mut times = Vec::new();
    for request in records(&log) {
        assert_eq!(request["clock"]["increment_ms"], 600_000, "{request}");
        assert!(request.get("budget_ms").is_none(), "{request}");
        times.push(request["clock"]["remaining_ms"].as_u64().unwrap());
    }
    assert_eq!(times[0], 60_000);
    assert!(times[1] > 600_000 && times[1] <= 660_000, "{times:?}");

    // An engine divides its time; a bot that does not answer has none left.
    let engine = engine_as("expert");
    let seats = format!("{engine},random");
    let arguments = ["--seats", &seats, "--boards", "1", "--clock", "0.3+0.01"];
    let found = report(&[&SMALL[..], &arguments].concat());
    assert!(found.get("forfeits").is_none(), "{found}");
    let silent = script(&folder, "exec sleep 1000");
    let soon = ["--clock", "0.05", "--grace", "20", "--threads", "1"];
    let found = forfeits(&silent, &soon, "timeout");
    let asked: Value =
        serde_json::from_str(found["forfeits"][0]["why"]["asked"].as_str().unwrap()).unwrap();
    assert_eq!(
        asked["clock"],
        json!({"remaining_ms": 50, "increment_ms": 0})
    );
}

#[test]
fn repeated_games_count_once() {
    let folder = tempfile::tempdir().unwrap();
    let bot = first_action(&folder, &folder.path().join("requests"));
    let seats = format!("{bot},{bot}");
    let trilobite = ["trilobite", "--width", "5", "--height", "4", "--win", "4"];
    let play = |seats: &str, more: &[&str]| {
        let arguments = ["--seats", seats, "--boards", "12"];
        report(&[&trilobite[..], &arguments, more].concat())
    };
    let same = play(&seats, &[]);
    assert_eq!((&same["boards"], &same["games"]), (&json!(1), &json!(2)));
    assert_eq!(same["repeated_games"], 22, "{same}");
    let (table, ..) = arena(&[&trilobite[..], &["--seats", &seats, "--boards", "12"]].concat());
    assert!(table.contains("\n22 games repeated others"), "{table}");

    // Random plies make the games differ: they are the same for both rotations of a board, and for the same seed.
    let file = |name: &str| folder.path().join(name).display().to_string();
    let plies = |name: &str| {
        let records = file(name);
        play(&seats, &["--opening-plies", "3", "--records", &records]);
        fs::read(&records).unwrap()
    };
    let varied = play(&seats, &["--opening-plies", "3"]);
    assert_eq!(varied["opening_plies"], 3);
    assert!(varied["boards"].as_u64() > Some(1), "{varied}");
    assert_eq!(plies("one"), plies("two"));
    let games = records(&folder.path().join("one"));
    assert_eq!(games.len(), 24);
    for board in games.chunks(2) {
        assert_eq!(board[0]["start"], board[1]["start"]);
        let cells = board[0]["start"]["board"].as_array().unwrap().iter();
        assert_eq!(cells.filter(|cell| **cell != 0).count(), 3);
    }
    let starts: std::collections::HashSet<_> =
        games.iter().map(|game| game["start"].to_string()).collect();
    assert!(starts.len() > 2, "{starts:?}");
    let verified = Command::new(PROGRAM)
        .args(["verify", &file("one")])
        .output();
    assert!(verified.unwrap().status.success());

    // Equal games of players who choose at random are no repeats.
    let random = play("random,random", &[]);
    assert_eq!(random["boards"], 12, "{random}");
    assert!(random.get("repeated_games").is_none(), "{random}");
}

#[test]
fn boards_begin_with_openings() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("openings");
    let [first, second] = [
        r#"[[0,3],[1,1],[0,1],[1,2]]"#,
        r#"[[1,3],[1,1],[0,1],[0,2]]"#,
    ];
    let state =
        |board: &str| format!(r#"{{"board":{board},"player":1,"spare":0,"first_move":true}}"#);
    let game = r#"{"game":"dice","rules":"v4","size":2,"players":2,"max_dice":5,"#;
    let whole = state(second).replacen('{', game, 1);
    fs::write(&file, format!("# two\n\n{}\n{whole}\n", state(first))).unwrap();
    let out = folder.path().join("games.ndjson");
    let (openings, records_at) = (file.display().to_string(), out.display().to_string());
    let small = "--side 2 --players 2 --seats book,random --boards 3".split(' ');
    let files = ["--openings", &openings, "--records", &records_at];
    let arguments: Vec<_> = small.chain(files).collect();
    assert_eq!(report(&arguments)["openings"], 2);
    let games = records(&out);
    let starts: Vec<String> = games
        .iter()
        .map(|game| game["start"]["board"].to_string())
        .collect();
    assert_eq!(starts, [first, first, second, second, first, first]);
    assert_eq!(games[0]["plies"][0]["player"], 1);

    for (text, message) in [
        ("{}", "line 1: the field `board` is missing"),
        (
            &whole.replace("v4", "v3"),
            "line 1: rules: this is another game",
        ),
        ("\n# nothing\n", "there is no position"),
        (&state("[[7,3]]"), "line 1: "),
    ] {
        fs::write(&file, text).unwrap();
        let (_, complaints, code) = arena(&arguments);
        assert_eq!(code, Some(2), "{text}: {complaints}");
        assert!(complaints.contains(message), "{text}: {complaints}");
    }
}

#[test]
fn an_interrupted_arena_writes_the_same_records() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (whole, part, journal) = (at("whole"), at("part"), at("journal"));
    let play = |more: &[&str]| {
        let arguments = ["--seats", "greedy,random", "--boards", "6"];
        arena(&[&SMALL[..], &arguments, more].concat())
    };
    assert_eq!(play(&["--records", &whole, "--threads", "2"]).2, Some(0));
    let expected = fs::read(&whole).unwrap();
    let together = ["--records", &part, "--resume", &journal];
    assert_eq!(play(&together).2, Some(0));
    assert_eq!(fs::read(&part).unwrap(), expected);

    // Either file, or both, are cut anywhere.
    let (games, boards) = (expected, fs::read(&journal).unwrap());
    let lengths = |bytes: &[u8]| [0, bytes.len() / 3, bytes.len() - 1, bytes.len()];
    for games_left in lengths(&games) {
        for boards_left in lengths(&boards) {
            fs::write(&part, &games[..games_left]).unwrap();
            fs::write(&journal, &boards[..boards_left]).unwrap();
            let (_, complaints, code) = play(&together);
            assert_eq!(code, Some(0), "{games_left} {boards_left}: {complaints}");
            let found = fs::read(&part).unwrap();
            assert_eq!(found, games, "{games_left} {boards_left}");
        }
    }
    // An existing file is not overwritten.
    let (_, complaints, code) = play(&["--records", &whole]);
    assert_eq!(code, Some(1), "{complaints}");
    assert_contains(&complaints, &["the records cannot be written to"]);
    fs::write(&part, "dear diary\n").unwrap();
    let (_, complaints, code) = play(&together);
    assert_eq!(code, Some(1), "{complaints}");
    assert_contains(&complaints, &["line 1 is no game of an arena"]);
    assert_eq!(fs::read(&part).unwrap(), b"dear diary\n");

    // Every record is valid by itself.
    let verified = Command::new(PROGRAM)
        .args(["verify", &whole])
        .output()
        .unwrap();
    let verdicts = String::from_utf8(verified.stdout).unwrap();
    assert!(verified.status.success(), "{verdicts}");
    assert_eq!(verdicts.lines().count(), 12, "{verdicts}");
}

#[test]
fn tournaments_have_a_step_for_each_pair() {
    let play = |form: &str, more: &[&str]| {
        let options = [form, "random,book,greedy", "--boards", "20"];
        report(&[&SMALL[..], &options, more].concat())
    };
    let pairs = |found: &Value| -> Vec<String> {
        let steps = found["steps"].as_array().unwrap().iter();
        let pairs =
            steps.map(|step| format!("{} {}", step["upper"], step["lower"]).replace('"', ""));
        pairs.collect()
    };
    let robin = play("--round-robin", &[]);
    let actual = pairs(&robin);
    assert_eq!(actual, ["random book", "random greedy", "book greedy"]);
    let [random, _, greedy] = robin["ratings"].as_array().unwrap().as_slice() else {
        panic!("{robin}");
    };
    assert!(
        greedy["rating"].as_f64() > random["rating"].as_f64(),
        "{robin}"
    );
    let gauntlet = play("--gauntlet", &["--sprt", "0.4,0.5"]);
    assert_eq!(pairs(&gauntlet), ["random book", "random greedy"]);
    let verdict = &gauntlet["steps"][0]["sprt"];
    assert_eq!(verdict["contestant"], "random", "{gauntlet}");
    for (arguments, message) in [
        (
            ["--round-robin", "book"],
            "a round robin has at least two contestants",
        ),
        (
            ["--gauntlet", "book,book"],
            "a gauntlet cannot have book twice",
        ),
    ] {
        let (_, complaints, code) = arena(&[&SMALL[..], &arguments].concat());
        assert_eq!(code, Some(2), "{complaints}");
        assert!(complaints.contains(message), "{complaints}");
    }
}

/// The blocks of docs/arena.md in a language.
fn blocks(language: &str) -> Vec<String> {
    let doc = include_str!("../../docs/arena.md");
    let blocks = doc
        .split("\n```")
        .filter_map(|block| block.strip_prefix(language));
    blocks
        .filter_map(|block| Some(block.strip_prefix('\n')?.to_owned()))
        .collect()
}

#[test]
fn the_example_match_of_the_document_is_reproduced() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: the match of docs/arena.md (no python3)");
        return;
    }
    let [session] = &blocks("console")[..] else {
        panic!("one match");
    };
    let (command, expected) = session.split_once('\n').unwrap();
    let command = command.strip_prefix("$ ").unwrap();
    let program = PathBuf::from(PROGRAM);
    let mut folders = vec![program.parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let run = Command::new("sh")
        .args(["-c", command])
        .env("PATH", std::env::join_paths(folders).unwrap())
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/bots"))
        .output()
        .unwrap();
    let out = String::from_utf8(run.stdout).unwrap();
    let complaints = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {complaints}", run.status);
    assert_eq!(without_times(&out), without_times(expected), "\n{out}");
}

/// Every word of a table except the time per decision, which is the third from the end of its rows.
fn without_times(table: &str) -> Vec<Vec<&str>> {
    let lines = table.trim().lines().enumerate();
    let words = lines.map(|(at, line)| {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        if (1..3).contains(&at) {
            words.remove(words.len() - 3);
        }
        words
    });
    words.collect()
}

#[test]
fn games_and_histories_are_sent_to_programs_that_ask_for_them() {
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests");
    let bot = first_action(&folder, &requests);
    let seats = format!("{bot} send=games send=history,random");
    let found = check_no_forfeit(&seats, "--boards 2 --threads 1");
    let mut results = Vec::new();
    let mut game: Option<Value> = None;
    for request in records(&requests) {
        match request["op"].as_str().unwrap() {
            "newgame" => {
                assert!(game.is_none(), "one game at a time: {request}");
                game = Some(request);
            }
            "choose" => {
                let game = game.as_ref().expect("a game has begun");
                assert_eq!(request["position"]["player"], game["player"]);
                let history = request["history"].as_array().unwrap();
                assert_eq!(json!(history.len()), request["id"], "all plies so far");
                // What was sent is a history for the engine.
                let mut engine = Engine::new(Registry::builtin(), RequestLimits::default());
                let answer = engine.answer(request.to_string().as_bytes());
                assert!(answer.contains(r#""ok""#), "{answer} to {request}");
            }
            "result" => {
                let game = game.take().expect("a game has begun");
                assert_eq!(request["player"], game["player"]);
                let won = request["winners"] == json!([game["player"]]);
                assert_eq!(
                    request["score"],
                    json!(if won { 1.0 } else { 0.0 }),
                    "{request}"
                );
                results.push(request["score"].as_f64().unwrap());
            }
            op => panic!("{op}"),
        }
    }
    assert_eq!(results.len(), 4, "two boards of two rotations");
    let share = results.iter().sum::<f64>() / 4.0;
    assert_eq!(found["contestants"][0]["share"], json!(share));

    let seats = format!("{bot} send=everything,random");
    let (_, complaints, code) = arena(&[&SMALL[..], &["--seats", &seats]].concat());
    assert_eq!(code, Some(1), "{complaints}");
    assert_contains(&complaints, &["there are send=games and send=history"]);
}

#[test]
fn nothing_more_is_sent_about_a_forfeited_game() {
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests");
    // It accepts the game, and then answers nonsense.
    let bot = format!(
        r#"while read -r line; do printf '%s\n' "$line" >> '{}'; case $line in *newgame*) echo '{{"id":"newgame","ok":{{}}}}';; *) echo '{{"id":null,"error":{{}}}}';; esac; done"#,
        requests.display()
    );
    let seats = format!("{} send=games,random", script(&folder, &bot));
    let found = small_report(&seats, "--boards 1 --threads 1");
    let actual = found["forfeits"].as_array().map(Vec::len);
    assert_eq!(actual, Some(2), "{found}");
    let sent = records(&requests);
    let ops: Vec<&str> = sent
        .iter()
        .filter_map(|request| request["op"].as_str())
        .collect();
    assert_eq!(ops, ["newgame", "choose", "newgame", "choose"]);
}

#[test]
fn no_clock_runs_before_the_first_decision() {
    let folder = tempfile::tempdir().unwrap();
    let requests = folder.path().join("requests");
    let bot = first_action(&folder, &requests);
    let seats = format!("{bot} send=games,random");
    check_no_forfeit(&seats, "--boards 1 --threads 1 --clock 600+1");
    let requests = records(&requests);
    let games: Vec<_> = requests
        .iter()
        .filter(|sent| sent["op"] == "newgame")
        .collect();
    assert_eq!(games.len(), 2);
    assert!(
        games.iter().all(|sent| sent["clock"].is_null()),
        "{games:?}"
    );
    let first = requests.iter().find(|sent| sent["op"] == "choose").unwrap();
    assert_eq!(first["clock"]["remaining_ms"], 600_000);
}

#[test]
fn a_program_that_fails_in_result_is_restarted_with_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let id = r#"id=${line#*:}; id=${id%%,*}"#;
    let answer = r#"echo "{\"id\":$id,\"ok\":{\"index\":0}}""#;
    let bot = format!(
        "echo >> '{}'; while read -r line; do {id}; case $line in *'\"op\":\"result\"'*) exit;; esac; {answer}; done",
        starts.display()
    );
    let seats = format!("{} send=games,random", script(&folder, &bot));
    let arguments = ["--seats", &seats, "--boards", "1", "--threads", "1"];
    let (_, complaints, code) = arena(&[&SMALL[..], &arguments].concat());
    assert_eq!(code, Some(0), "{complaints}");
    assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 2);
    assert!(
        complaints.contains("is restarted: no answer to `result` (crash)"),
        "{complaints}"
    );
}
