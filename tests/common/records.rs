//! Records of finished games, played at random from a seed without a server.

use dice_of_doom::formats::record::{Provenance, RecordPlayerJson, RecordPlayerKind};
use dice_of_doom::formats::{JsonFields, RecordMetadata};
use dice_of_doom::game::Player;
use dice_of_doom::games::{LiveGameRef, Registry, StartPosition, SubmittedAction};
use dice_of_doom::level::Level;
use dice_of_doom::provably_fair::{
    CommittedSeed, DiceDisclosure, GameDice, NO_ENTROPY, RollContext, Salt, Sha256Digest,
};
use dice_of_doom::record::{Ending, EntropyText};
use dice_of_doom::rng::DiceSeed;
use dice_of_doom::seats::ComputerPace;
use dice_of_doom::store::{GameHeader, GameId};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt as _, SeedableRng as _};
use serde_json::{Value, json};

/// After this many entries a player resigns or the game is stopped.
const LONGEST: u32 = 60;

/// A finished game of dice with entropy texts, takebacks, and one of the possible endings.
pub(crate) fn played(games: &Registry, seed: u64) -> String {
    let parameters = match seed % 5 {
        0 => json!({"size": 3, "players": 2, "rules": "conquest"}),
        1 => json!({"size": 3, "players": 3}),
        2 => json!({"size": 2, "players": 2, "max_dice": 8}),
        _ => json!({"size": 3, "players": 2}),
    };
    played_of(games, "dice", &parameters, seed)
}

/// A finished game of this kind.
pub(crate) fn played_of(games: &Registry, kind: &str, parameters: &Value, seed: u64) -> String {
    played_to(games, kind, parameters, seed, LONGEST)
}

/// A finished game of this kind with up to the given number of entries.
pub(crate) fn played_to(
    games: &Registry,
    kind: &str,
    parameters: &Value,
    seed: u64,
    longest: u32,
) -> String {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut bytes = || std::array::from_fn(|_| rng.random());
    let sealed = CommittedSeed {
        seed: DiceSeed::from_bytes(bytes()),
        salt: Salt::from_bytes(bytes()),
    };
    let setting = games.game_type(kind).unwrap();
    let setting = setting
        .configure(JsonFields::from_value(parameters))
        .unwrap();
    let mut live = setting.new_game(&StartPosition::Dealt(seed)).unwrap();
    let (game, deal) = (format!("game{seed:06}"), live.position_at(0).digest());
    let context = RollContext {
        game: game.clone(),
        deal,
    };
    let dice = GameDice::Committed(sealed.clone(), context);
    // In some games the first player commits to a text and does not reveal it in time.
    let is_late = seed % 10 == 5;
    let mut at_ms = 1_763_000_000_000;
    while !live.is_over() {
        at_ms += rng.random_range(1..5_000);
        live = match live.entry_count() {
            entry @ 0..2 if is_late => with_late_reveal(&live, entry, at_ms),
            _ => next(&live, &dice, at_ms, &mut rng),
        };
        if live.entry_count() > longest {
            live = live.with_ending(match rng.random() {
                true => Ending::Limit,
                false => Ending::Resigned(Player::FIRST),
            });
        }
    }
    let about = RecordMetadata {
        // A record need not contain the players.
        provenance: match seed / 2 % 2 {
            0 => Provenance::UNKNOWN,
            _ => Provenance {
                seats: (0..live.players()).map(record_player).collect(),
                ..Provenance::UNKNOWN
            },
        },
        id: Some(game),
        dice: DiceDisclosure::Revealed(sealed),
    };
    live.record_json(&about).get().to_owned()
}

/// The record's entry for this seat.
fn record_player(player: u8) -> RecordPlayerJson {
    match player {
        0 => RecordPlayerJson {
            name: Some("Ada \"¦\" Ан".to_owned()),
            ..RecordPlayerJson::new(0, RecordPlayerKind::Human)
        },
        1 => RecordPlayerJson {
            simulations: Some(400),
            ..RecordPlayerJson::level(1, Level::Master)
        },
        _ => RecordPlayerJson::new(player, RecordPlayerKind::Open),
    }
}

/// The game after a commitment to a text, or after the server has declined because it was not revealed.
fn with_late_reveal(live: &LiveGameRef, entry: u32, at_ms: i64) -> LiveGameRef {
    let text: EntropyText = match entry {
        0 => Sha256Digest::compute(b"tea").to_string().parse().unwrap(),
        _ => NO_ENTROPY.parse().unwrap(),
    };
    let player = Player::FIRST;
    live.admit_entropy(&[], player, text.as_str()).unwrap();
    live.with_entropy(player, text, at_ms).unwrap().1
}

/// The game after another entry.
fn next(live: &LiveGameRef, dice: &GameDice, at_ms: i64, rng: &mut impl Rng) -> LiveGameRef {
    let mover = live.mover().unwrap();
    let words = [
        "tea at five, 1987",
        "3 5 2 6",
        "чай в пять",
        "猫が歩いた \"\\",
    ];
    if live.entry_count() == 0 || rng.random_ratio(1, 20) {
        let words: EntropyText = words[rng.random_range(0..words.len())].parse().unwrap();
        if live.admit_entropy(&[], mover, words.as_str()).is_ok()
            && let Ok((_, next)) = live.with_entropy(mover, words, at_ms)
        {
            return next;
        }
    }
    if rng.random_ratio(1, 20)
        && let Some(to) = live.last_ply_of([mover].into_iter().collect())
        && let Ok((_, next)) = live.with_takeback(mover, to, at_ms)
    {
        return next;
    }
    let moves: Value = serde_json::from_str(live.moves().get()).unwrap();
    let moves = moves["moves"].as_array().unwrap();
    let chosen = &moves[rng.random_range(0..moves.len())];
    // One game lists cells; the other lists objects with a path, which is null at the end of a turn.
    let action = match chosen.as_u64() {
        Some(cell) => json!({"cell": cell}),
        None => json!({"path": chosen["path"]}),
    };
    let action = SubmittedAction::Json(JsonFields::from_value(&action));
    let action = live.find_action(live.entry_count(), &action).unwrap();
    live.prepare_ply(mover, action, dice, at_ms).unwrap().next
}

/// A record without the parts that differ: the times of its entries, and the checksum over them.
pub(crate) fn without_times(record: &str) -> Value {
    let mut record: Value = serde_json::from_str(record).unwrap();
    for entry in record["plies"].as_array_mut().unwrap() {
        entry["at"].take();
    }
    record["seal"].take();
    record
}

/// The header of a stored game, with nothing that a game may lack.
pub(crate) fn header() -> GameHeader {
    GameHeader {
        id: GameId::random(),
        game: r#"{"game":"dice","size":2}"#.to_owned(),
        start: r#"{"board":"1 2 3"}"#.to_owned(),
        dice: None,
        pace: ComputerPace::AtOnce,
        creator: None,
        book_of: None,
        created_ms: 0,
        private: false,
        replace_after_s: None,
        rematch_of: None,
        origin: None,
        takebacks: true,
        hints: false,
        turn_s: None,
    }
}
