//! Arenas of levels: the same numbers on any number of threads, intervals, sequential tests of a change, interrupted
//! arenas, and the real program.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use dice_of_doom::arena::{
    ArenaConfig, ArenaError, ArenaPlan, ArenaProgress, ArenaReport, Contestant, CustomPlayers,
    ResultTable, Sprt, SprtVerdict, Tournament, TournamentFormat, play_board, seat_of,
};
use dice_of_doom::game::Player;
use dice_of_doom::level::{Level, LevelSpec};
use dice_of_doom_games::dice_of_doom::{DiceOfDoom, Rules};
use dice_of_doom_games::trilobite::Trilobite;
use serde_json::Value;

fn contestants(names: &str) -> Vec<Contestant> {
    names.split(',').map(|name| name.parse().unwrap()).collect()
}

fn ladder(names: &str) -> ArenaPlan {
    ArenaPlan::Tournament(Tournament {
        format: TournamentFormat::Ladder,
        contestants: contestants(names),
        sprt: None,
    })
}

fn dice(size: u8, players: u8) -> DiceOfDoom {
    DiceOfDoom::new(Rules::V4, size, players, 5).unwrap()
}

/// An arena configuration and its game.
#[derive(Clone)]
struct Match {
    game: DiceOfDoom,
    contest: ArenaConfig,
}

impl std::ops::Deref for Match {
    type Target = ArenaConfig;
    fn deref(&self) -> &ArenaConfig {
        &self.contest
    }
}

impl std::ops::DerefMut for Match {
    fn deref_mut(&mut self) -> &mut ArenaConfig {
        &mut self.contest
    }
}

impl Match {
    fn play(&self) -> Result<ArenaReport, ArenaError> {
        self.contest
            .run(self.game, &CustomPlayers::new(), &ArenaProgress::hidden())
    }
}

fn contest(game: DiceOfDoom, plan: ArenaPlan, boards: u32) -> Match {
    let contest = ArenaConfig::new(plan, boards);
    Match { game, contest }
}

fn table(names: &str, boards: u32) -> Match {
    contest(dice(4, 3), ArenaPlan::Table(contestants(names)), boards)
}

fn report(contest: &Match) -> ArenaReport {
    contest.play().unwrap()
}

/// The results of an arena without its times, which always differ.
fn numbers(contest: &Match) -> Value {
    let mut value = serde_json::to_value(report(contest)).unwrap();
    remove_times(&mut value);
    value
}

/// Removes the times, which differ.
pub(crate) fn remove_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !name.starts_with("ms_") && !name.ends_with("_ms"));
            members.values_mut().for_each(remove_times);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_times),
        _ => {}
    }
}

#[test]
fn results_are_the_same_on_any_number_of_threads() {
    let plans = [
        ArenaPlan::Table(contestants("greedy,book,steady")),
        ArenaPlan::Change(
            contestants("steady,random,random"),
            "0.33,0.4".parse().unwrap(),
        ),
        ladder("random,book,greedy"),
    ];
    for plan in plans {
        let mut contest = contest(dice(4, 3), plan, 30);
        contest.threads = std::num::NonZeroUsize::new(1);
        let one = numbers(&contest);
        contest.threads = std::num::NonZeroUsize::new(2);
        assert_eq!(one, numbers(&contest), "{:?}", contest.plan);
        contest.seed = 2;
        assert_ne!(one, numbers(&contest), "{:?}", contest.plan);
    }
}

#[test]
fn every_seat_plays_every_player_once() {
    for players in 2..=6 {
        for seat in 0..usize::from(players) {
            let mut played: Vec<Player> = Vec::new();
            for rotation in 0..players {
                let own = Player::all(players)
                    .filter(|&player| seat_of(player, rotation, players) == seat);
                played.extend(own);
            }
            played.sort();
            assert!(Player::all(players).eq(played), "seat {seat} of {players}");
        }
    }
}

#[test]
fn the_win_shares_of_a_game_sum_to_one() {
    let game = DiceOfDoom::new(Rules::V4, 4, 3, 5).unwrap();
    let seats = [Level::Book, Level::Greedy, Level::Book].map(LevelSpec::from);
    let boards: Vec<_> = (0..20)
        .map(|board| play_board(&game, 3, board, &seats).unwrap())
        .collect();
    for board in &boards {
        for (rotation, game) in (0..).zip(&board.games) {
            let seats: f64 = (0..3).map(|seat| board.win_share(seat, rotation)).sum();
            assert!((seats - 1.0).abs() < 1e-12, "seed 3: {board:?}");
            let work: u64 = board.work.iter().map(|work| work.decisions).sum();
            assert!(work >= u64::from(game.plies), "seed 3: {board:?}");
        }
        let plies: u64 = board.games.iter().map(|game| u64::from(game.plies)).sum();
        let decisions: u64 = board.work.iter().map(|work| work.decisions).sum();
        assert_eq!(plies, decisions, "one decision a ply");
    }
    // Two rows: the seats of book are pooled, but counted as three players.
    let tally = ResultTable::from_boards(&contestants("book,greedy,book"), &boards);
    let [book, greedy] = &tally.contestants[..] else {
        panic!("{tally:?}");
    };
    assert_eq!((book.seats, book.games), (2, 120));
    assert_eq!((greedy.seats, greedy.games), (1, 60));
    let all = 2.0 * book.share.mean + greedy.share.mean;
    assert!((all - 1.0).abs() < 1e-12, "{tally:?}");
    let pooled = (tally.seats[0].share.mean + tally.seats[2].share.mean) / 2.0;
    assert!((pooled - book.share.mean).abs() < 1e-12, "{tally:?}");
    let mean = |shares: &[f64]| shares.iter().sum::<f64>() / shares.len() as f64;
    for row in &tally.seats {
        let as_players = mean(&row.share_by_player);
        assert!((as_players - row.share.mean).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn a_draw_counts_as_half_a_win() {
    // Trilobite is deterministic here, so all boards are the same game.
    let game = Trilobite::new(3, 3, 3).unwrap();
    let seats = [Level::Random, Level::Book].map(LevelSpec::from);
    for board in 0..50 {
        let board = play_board(&game, 1, board, &seats).unwrap();
        for (rotation, game) in (0..).zip(&board.games) {
            let shares = [0, 1].map(|seat| board.win_share(seat, rotation));
            assert_eq!(shares[0] + shares[1], 1.0);
            assert_eq!(shares[0] == 0.5, game.winners.is_empty());
        }
    }
}

#[test]
fn one_of_equal_contestants_gets_par() {
    let plan = ArenaPlan::Table(contestants("book,book,book,book"));
    let ArenaReport::Table(report) = report(&contest(dice(5, 4), plan, 60)) else {
        panic!("a table");
    };
    let [pooled] = &report.results.contestants[..] else {
        panic!("{report:?}");
    };
    assert!((pooled.share.mean - 0.25).abs() < 1e-12, "{pooled:?}");
    let first = &report.results.seats[0].share;
    // The seat decides a game, so the interval has some width.
    assert!(first.half_width() > 0.01, "seed 1: {first:?}");
    assert!(first.low < 0.25 && 0.25 < first.high, "seed 1: {first:?}");
}

#[track_caller]
fn verdict(names: &str, sprt: &str) -> (SprtVerdict, u32) {
    let sprt: Sprt = sprt.parse().unwrap();
    let plan = ArenaPlan::Change(contestants(names), sprt);
    match report(&contest(dice(5, 4), plan, 1000)) {
        ArenaReport::Table(report) => (report.sprt.unwrap().verdict, report.results.boards),
        ArenaReport::Tournament(_) => panic!("a table"),
    }
}

#[test]
fn a_sequential_test_stops_as_soon_as_it_can_decide() {
    let (improvement, boards) = verdict("greedy,random,random,random", "0.25,0.35");
    assert_eq!(improvement, SprtVerdict::Accepted, "seed 1");
    assert!(boards < 1000 && boards.is_multiple_of(20), "{boards}");
    let (nothing, boards) = verdict("book,book,book,book", "0.25,0.35");
    assert_eq!(nothing, SprtVerdict::Rejected, "seed 1");
    assert!(boards < 1000 && boards.is_multiple_of(20), "{boards}");
}

#[test]
fn a_ladder_has_steps_and_ratings() {
    let plan = ladder("random,book");
    let ArenaReport::Tournament(report) = report(&contest(dice(3, 2), plan, 100)) else {
        panic!("a ladder");
    };
    let [step] = &report.steps[..] else {
        panic!("{report:?}");
    };
    assert_eq!(
        (step.upper.to_string(), step.lower.to_string()),
        ("book".to_owned(), "random".to_owned())
    );
    let [random, book] = &report.ratings[..] else {
        panic!("{report:?}");
    };
    // Both agree: the step in win shares, the ratings in points.
    let above = step.results.seats[0].share.mean > 0.5;
    assert_eq!(above, book.rating > random.rating, "seed 1: {report:?}");
    assert!(book.low < book.rating && book.rating < book.high);
}

#[test]
fn an_interrupted_arena_resumes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arena.jsonl");
    let mut resumed = table("greedy,book,random", 12);
    let expected = numbers(&resumed);
    resumed.resume = Some(file.clone());
    assert_eq!(numbers(&resumed), expected);
    let journal = fs::read(&file).unwrap();
    let lines = |bytes: &[u8]| bytes.split_inclusive(|&byte| byte == b'\n').count();
    assert_eq!(lines(&journal), 1 + 12);

    // Wherever the journal is cut, the results are the same; complete lines are kept.
    for cut in [0, 5, 200, journal.len() / 2, journal.len() - 1] {
        fs::write(&file, &journal[..cut]).unwrap();
        assert_eq!(numbers(&resumed), expected, "cut at {cut}");
        let again = fs::read(&file).unwrap();
        assert_eq!(lines(&again), 1 + 12, "cut at {cut}");
        let intact = journal[..cut].iter().rposition(|&byte| byte == b'\n');
        let intact = intact.map_or(0, |end| end + 1);
        assert_eq!(again[..intact], journal[..intact], "cut at {cut}");
    }

    // More boards are appended to the same file; fewer leave it unchanged.
    resumed.boards = 15;
    let more = numbers(&resumed);
    resumed.resume = None;
    assert_eq!(more, numbers(&resumed));
    assert_eq!(lines(&fs::read(&file).unwrap()), 1 + 15);
}

#[test]
fn boards_of_a_journal_are_not_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut contest = table("book,book,random", 3);
    contest.resume = Some(folder.path().join("arena.jsonl"));
    let before = numbers(&contest);
    let file = contest.resume.clone().unwrap();
    let journal = fs::read_to_string(&file).unwrap();
    fs::write(&file, journal.replacen("\"plies\":", "\"plies\":100", 1)).unwrap();
    let after = numbers(&contest);
    assert!(after["mean_plies"].as_f64() > before["mean_plies"].as_f64());
}

#[test]
fn other_files_are_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("arena.jsonl");
    let mut own = table("book,book,random", 2);
    own.resume = Some(file.clone());
    report(&own);
    let journal = fs::read_to_string(&file).unwrap();
    let other = |change: &dyn Fn(&mut Match)| {
        let mut contest = own.clone();
        change(&mut contest);
        contest
    };
    #[track_caller]
    fn refused(contest: &Match, sentence: &str) {
        let error = contest.play().unwrap_err();
        assert!(matches!(error, ArenaError::Journal { .. }), "{error}");
        assert!(error.to_string().ends_with(sentence), "{error}");
    }
    let another = "it is the journal of another arena: ";
    refused(
        &other(&|contest| contest.seed = 2),
        &format!("{another}its seed is 1, not 2"),
    );
    refused(
        &other(&|contest| contest.plan = ArenaPlan::Table(contestants("book,random,book"))),
        &format!("{another}others sit there"),
    );
    refused(
        &other(&|contest| contest.game = dice(5, 3)),
        r#"not {"game":"dice","rules":"v4","size":5,"players":3,"max_dice":5}"#,
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), journal);

    for (text, sentence) in [
        ("my diary".to_owned(), "it is not the journal of an arena"),
        ("{}\n".to_owned(), "it is not the journal of an arena"),
        (
            journal.replacen("\"arena\":3", "\"arena\":2", 1),
            "an earlier build wrote this journal; the last one that reads it is c1691778",
        ),
        (
            journal.replace("\"winners\":[", "\"winners\":[5,"),
            "line 2 is not a finished board of this arena",
        ),
    ] {
        fs::write(&file, &text).unwrap();
        refused(&own, sentence);
        assert_eq!(fs::read_to_string(&file).unwrap(), text, "unchanged");
    }
    own.resume = Some(PathBuf::from("/nowhere/arena.jsonl"));
    assert!(own.play().is_err());
}

/// Runs the real program.
fn arena(arguments: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
        .arg("arena")
        .args(arguments.split_whitespace())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// What the program prints; it must succeed with nothing on stderr.
#[track_caller]
fn printed(arguments: &str) -> String {
    let ended = arena(arguments);
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "", "{arguments}");
    assert!(ended.status.success(), "{arguments}: {}", ended.status);
    String::from_utf8(ended.stdout).unwrap()
}

#[test]
fn the_program_prints_a_table() {
    let output = printed("--side 3 --players 2 --seats greedy,random --boards 5");
    let lines: Vec<&str> = output.lines().collect();
    assert!(
        lines[0].starts_with("contestant  seats  games  win share"),
        "{output}"
    );
    assert!(lines[1].starts_with("greedy "), "{output}");
    assert!(lines[2].starts_with("random "), "{output}");
    assert_eq!(
        lines[3], "par 50.0 %; 5 boards × 2 rotations = 10 games, seed 1",
        "{output}"
    );
    let ladder = printed("trilobite --width 4 --height 4 --win 3 --ladder random,book --boards 5");
    assert!(ladder.contains("\nbook against random "), "{ladder}");
    assert!(ladder.contains("\nrandom        1000"), "{ladder}");
    let test = printed("--side 3 --players 2 --seats greedy,random --boards 5 --sprt 0.5,0.6");
    let last = test.lines().last().unwrap();
    let sentence = "greedy after 5 boards: no verdict between 50.0 % and 60.0 %";
    assert!(last.starts_with(sentence), "{test}");
}

#[test]
fn shares_are_adjusted_for_luck_where_there_are_dice() {
    let dice = printed("--side 3 --players 2 --seats greedy,random --boards 40");
    assert!(
        dice.contains("win share  luck-adjusted         95 %"),
        "{dice}"
    );
    assert!(dice.contains("\nluck-adjusted: less "), "{dice}");
    let ladder = printed("--side 3 --players 2 --ladder random,greedy --boards 40 --json");
    let ladder: Value = serde_json::from_str(&ladder).unwrap();
    let greedy = &ladder["steps"][0]["contestants"][0];
    assert!(greedy["adjusted"]["share"].is_number(), "{greedy}");
    assert_ne!(greedy["adjusted"]["share"], greedy["share"], "{greedy}");
    let trilobite = "trilobite --width 4 --height 4 --win 3 --seats random,book --boards 40";
    let chips = printed(trilobite);
    assert!(!chips.contains("luck"), "{chips}");
}

#[test]
fn the_program_prints_json() {
    let parsed = printed("--side 3 --players 2 --seats steady,greedy:9 --boards 4 --seed 7 --json");
    let parsed: Value = serde_json::from_str(&parsed).unwrap();
    assert_eq!(parsed["seed"], 7, "{parsed}");
    assert_eq!(parsed["parameters"]["size"], 3, "{parsed}");
    assert_eq!(
        parsed["contestants"][1]["contestant"], "greedy:9",
        "{parsed}"
    );
    assert!(parsed["contestants"][0]["low"].is_number(), "{parsed}");
    let ladder = "--side 3 --players 2 --ladder random,greedy --boards 4 --json";
    let parsed: Value = serde_json::from_str(&printed(ladder)).unwrap();
    assert_eq!(parsed["ratings"][0]["rating"], 1000.0, "{parsed}");
    assert!(parsed["steps"][0]["verdict"].is_string(), "{parsed}");
}

#[test]
fn differences_of_strength_are_beside_the_shares() {
    let arguments = "--side 3 --players 2 --seats greedy,random --boards 40";
    let table = printed(arguments);
    let headings: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    let elo = headings
        .windows(3)
        .position(|words| words == ["Elo", "95", "%"]);
    assert!(elo.is_some(), "{table}");
    let json: Value = serde_json::from_str(&printed(&format!("{arguments} --json"))).unwrap();
    let [greedy, random] = [0, 1].map(|row| &json["contestants"][row]);
    let number = |value: &Value| value.as_f64().unwrap();
    for end in [("share", "difference"), ("low", "low"), ("high", "high")] {
        let share = number(&greedy["adjusted"][end.0]);
        let points = 400.0 * (share / (1.0 - share)).log10();
        let elo = number(&greedy["elo"][end.1]);
        assert!((elo - points).abs() < 0.06, "{end:?} {elo} {points}");
    }
    // Two players have opposite differences.
    let sum = number(&greedy["elo"]["difference"]) + number(&random["elo"]["difference"]);
    assert!(sum.abs() < 0.21, "{json}");
}

#[test]
fn every_finished_game_is_reported_on_request() {
    let arguments = "--side 3 --players 2 --seats greedy,random --boards 3 --threads 1";
    let played = arena(&format!("{arguments} --live"));
    let lines = String::from_utf8(played.stderr).unwrap();
    let starts = lines.lines().map(|line| line.split_once(": ").unwrap().0);
    let pairs = ["greedy vs random", "random vs greedy"].into_iter().cycle();
    let expected = (1..=6).zip(pairs);
    let expected = expected.map(|(game, pair)| format!("Finished game {game} ({pair})"));
    assert!(starts.eq(expected), "{lines}");
    for line in lines.lines() {
        let result = line.split_once(": ").unwrap().1;
        let is_score = ["1-0 ", "0-1 ", "0.5-0.5 "]
            .iter()
            .any(|score| result.starts_with(score));
        assert!(is_score && result.contains("{by the rules, "), "{line}");
    }
    // Nothing else changes.
    let table = String::from_utf8(played.stdout).unwrap();
    assert_eq!(table.lines().nth(3), printed(arguments).lines().nth(3));
}

#[test]
fn games_end_at_the_rules_of_the_arena() {
    let small = "--side 3 --players 2 --seats greedy,random --boards 10";
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let json = |more: &str| -> Value {
        serde_json::from_str(&printed(&format!("{small} --json {more}"))).unwrap()
    };
    let usual = json("");
    assert!(usual.get("rules").is_none() && usual.get("games_decided").is_none());

    let files = format!("--resume {} --records {}", at("journal"), at("records"));
    let options = format!("--max-plies 3 {files}");
    let short = json(&options);
    assert_eq!(short["rules"], serde_json::json!({"max_plies": 3}));
    assert!(short["games_at_limit"].as_u64() > Some(0), "{short}");
    assert!(short["mean_plies"].as_f64() <= Some(3.0), "{short}");
    // The journal knows these rules.
    assert_eq!(json(&options)["games_at_limit"], short["games_at_limit"]);
    let other = arena(&format!("{small} --resume {}", at("journal")));
    let complaints = String::from_utf8_lossy(&other.stderr);
    assert!(
        complaints.contains("its games have other clocks or end otherwise"),
        "{complaints}"
    );

    let decided = json(&format!("--decided 0.9,2 --records {}", at("decided")));
    assert!(decided["games_decided"].as_u64() > Some(0), "{decided}");
    assert!(
        decided["mean_plies"].as_f64() < usual["mean_plies"].as_f64(),
        "{decided}"
    );
    // A larger number of plies decides fewer games, or later.
    let later = json("--decided 0.9,6");
    assert!(
        later["mean_plies"].as_f64() > decided["mean_plies"].as_f64(),
        "{later}"
    );
    for records in ["records", "decided"] {
        let verified = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
            .args(["verify", &at(records)])
            .output()
            .unwrap();
        let verdicts = String::from_utf8(verified.stdout).unwrap();
        assert!(verified.status.success(), "{verdicts}");
    }
    let trilobite = arena("trilobite --seats book,random --decided 0.9,3");
    let complaints = String::from_utf8_lossy(&trilobite.stderr);
    assert_eq!(trilobite.status.code(), Some(1), "{complaints}");
    assert!(
        complaints.contains("trilobite has no evaluation"),
        "{complaints}"
    );
}

#[test]
fn a_level_without_time_forfeits() {
    let arguments = "--side 3 --players 2 --seats champion,random --boards 2 --json";
    let without_time = format!("{arguments} --clock 0.001 --grace 1");
    let found: Value = serde_json::from_str(&printed(&without_time)).unwrap();
    let forfeits = found["forfeits"].as_array().unwrap();
    assert!(!forfeits.is_empty(), "{found}");
    for forfeit in forfeits {
        assert_eq!(forfeit["contestant"], "champion", "{forfeit}");
        assert_eq!(forfeit["why"]["fault"], "timeout", "{forfeit}");
    }
    let in_time = format!("{arguments} --clock 3600+1");
    let found: Value = serde_json::from_str(&printed(&in_time)).unwrap();
    assert!(found.get("forfeits").is_none(), "{found}");
    assert_eq!(
        found["rules"]["clock"],
        serde_json::json!({"time_ms": 3_600_000, "increment_ms": 1_000})
    );
}

#[test]
fn an_impossible_arena_is_bad_usage() {
    for row in [
        " | --seats",
        "--seats book,book | 4 players need 4 seats, not 2",
        "--seats book,god | there is no level called \"god\"",
        "--seats human,book,book,book | there is no level called \"human\"",
        "--seats master:0,book,book,book | \"0\" is not a number of simulations",
        "--seats book --ladder random,book | cannot be used with",
        "--ladder random | a ladder has at least two contestants",
        "--ladder random,random | a ladder cannot have random twice",
        "--ladder random,book --sprt 0.25,0.3 | --sprt",
        "--seats book,book,book,book --sprt 0.3,0.2 | write two win shares",
        "--seats book,book,book,book --boards 0 | --boards",
        "--seats book,book,book,book --threads 0 | --threads",
        "--seats book,book,book,book --clock 0 | write seconds",
        "--seats book,book,book,book --clock 1 --move-time 5 | cannot be used with",
        "--seats book,book,book,book --decided 0.4,3 | write a win share between 0.5 and 1",
        "--seats book,book,book,book --max-plies 1001 | --max-plies",
        "trilobite --seats book,book --side 3 | --side is an option of the game dice",
        "chess --seats book,book | there is no game called",
    ] {
        let (arguments, sentence) = row.split_once(" | ").unwrap();
        let ended = arena(arguments);
        let complaints = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(2), "{arguments}: {complaints}");
        assert!(complaints.contains(sentence), "{arguments}: {complaints}");
        assert!(ended.stdout.is_empty(), "{arguments}");
    }
}

#[test]
fn a_file_that_is_not_a_journal_is_reported_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("diary");
    fs::write(&file, "dear diary\n").unwrap();
    let seats = "--side 3 --players 2 --seats book,random --boards 1";
    let ended = arena(&format!("{seats} --resume {}", file.display()));
    let complaints = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{complaints}");
    assert!(
        complaints.starts_with("dice-of-doom: the arena cannot go on in "),
        "{complaints}"
    );
    assert_eq!(complaints.lines().count(), 1, "{complaints}");
}

#[test]
fn a_closed_stdout_is_no_error() {
    let mut ended = Command::new(env!("CARGO_BIN_EXE_dice-of-doom"))
        .args("arena --side 3 --players 2 --seats book,random --boards 2".split(' '))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(ended.stdout.take());
    let ended = ended.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", ended.status);
    assert_eq!(String::from_utf8_lossy(&ended.stderr), "");
}
