//! Checks at the end of a simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use dice_of_doom::formats::entries::EventFormat;
use dice_of_doom::formats::saved_game::SavedGame;
use dice_of_doom::game::Player;
use dice_of_doom::games::{LiveGameRef, StartPosition, SubmittedAction};
use dice_of_doom::provably_fair::{GameDice, RollContext};
use dice_of_doom::record::{EntropyText, EntryRow};
use dice_of_doom::store::{GameId, GameStore as _, StoredGame};
use dice_of_doom::tables::Snapshot;
use dice_of_doom::verify::{VerifiedRecord, verify};
use tokio::time::Instant;

use super::model::now;
use super::pages;
use super::world::{Acknowledged, EntryKind, World};

/// Maximum delay of an entry at a watcher after recovery. It requires notifications: the periodic check of all tables
/// runs once a second.
const MAX_DELAY: Duration = Duration::from_millis(200);

/// Every `PAGES`-th seed also reads the pages of all games in progress at its end.
const PAGES: u64 = 10;

/// The number of entries of each watched game in progress.
pub(crate) fn progress(world: &World) -> Vec<(GameId, usize)> {
    let games = world.shared.games();
    let is_in_progress = |id: &GameId| {
        let is_watched = world.notes().watch_logs.iter().any(|log| log.game == *id);
        let stored = stored(world, id);
        let live = resumed(world, &stored, stored.entries.len());
        is_watched && live.is_ok_and(|live| !live.is_over())
    };
    let games = games.into_iter().filter(is_in_progress);
    games
        .map(|id| (id.clone(), world.shared.len(&id)))
        .collect()
}

/// Checks that each of these games has new entries.
pub(crate) fn check_progress(world: &World, before: &[(GameId, usize)]) {
    for (id, entries) in before {
        if world.shared.len(id) <= *entries {
            world.trace.fail(&format!(
                "{id} does not continue: it stays at {entries} entries without faults"
            ));
        }
    }
}

fn stored(world: &World, id: &GameId) -> StoredGame {
    let stored = now(world.shared.store.load(id));
    stored
        .expect("the memory store works")
        .expect("a stored game")
}

/// The state of a game after its first `entries` entries.
fn resumed(world: &World, stored: &StoredGame, entries: usize) -> Result<LiveGameRef, String> {
    let saved = SavedGame {
        parameters: &stored.header.game,
        start: &stored.header.start,
        entries: &stored.entries[..entries],
        ending: stored.ending.filter(|_| entries == stored.entries.len()),
    };
    let live = world.games.load(&saved);
    live.map_err(|error| error.to_string())
}

/// Checks the stored games, the acknowledged entries, the instances and the watchers.
pub(crate) async fn check_all(world: &Arc<World>) {
    for id in world.shared.games() {
        let stored = stored(world, &id);
        if let Err(why) = replay(world, &stored) {
            world
                .trace
                .fail(&format!("the record of {id} is not linear: {why}"));
        }
        if stored.next_number() as usize != world.shared.len(&id) {
            world.trace.fail(&format!(
                "{id} has another number of entries than were stored"
            ));
        }
    }
    check_acknowledged_entries(world);
    check_one_new_entry_per_number(world);
    check_rematches_and_seats(world);
    for id in world.shared.games() {
        for site in 0..2 {
            check_instance_state(world, &id, site).await;
        }
    }
    check_watchers(world);
}

/// Replays a record: each ply by the rules, with dice derived from the committed seed and the entry number.
fn replay(world: &World, stored: &StoredGame) -> Result<(), String> {
    let header = &stored.header;
    let start = resumed(world, stored, 0)?;
    let setting = start.configured_game();
    let start = StartPosition::Given(header.start.clone());
    let mut live = setting
        .new_game(&start)
        .map_err(|error| error.to_string())?;
    let table = RollContext {
        game: header.id.to_string(),
        deal: live.position_at(0).digest(),
    };
    let committed = header.dice.clone().ok_or("the game has no dice")?;
    let dice = GameDice::Committed(committed, table);
    for (number, entry) in stored.entries.iter().enumerate() {
        let replayed = match entry {
            EntryRow::Ply(row) => {
                let player = Player::new(row.player);
                let action = SubmittedAction::Notation(row.action.clone());
                let action = live.find_action(live.entry_count(), &action);
                let decided =
                    action.and_then(|action| live.prepare_ply(player, action, &dice, row.at_ms));
                let decided = decided.map_err(|why| format!("entry {number}: {why}"))?;
                (EntryRow::Ply(decided.row), decided.next)
            }
            EntryRow::Takeback(row) => {
                let player = Player::new(row.player);
                let result = live.with_takeback(player, row.to, row.at_ms);
                let (row, next) = result.map_err(|why| format!("entry {number}: {why}"))?;
                (EntryRow::Takeback(row), next)
            }
            EntryRow::Contribution(row) => {
                let entropy = EntropyText::from_exact(&row.text).ok_or("invalid entropy text")?;
                let result = live.with_entropy(Player::new(row.player), entropy, row.at_ms);
                let (row, next) = result.map_err(|why| format!("entry {number}: {why}"))?;
                (EntryRow::Contribution(row), next)
            }
        };
        if replayed.0 != *entry {
            return Err(format!(
                "entry {number} is {entry:?}, and the replay gives {:?}",
                replayed.0
            ));
        }
        live = replayed.1;
    }
    Ok(())
}

/// Checks that every acknowledged entry is stored under its number.
fn check_acknowledged_entries(world: &World) {
    let acknowledged = world.notes().acknowledged.clone();
    for entry in acknowledged {
        let stored = stored(world, &entry.game);
        let found = stored.entries.get(entry.number as usize);
        let matches = match (&entry.what, found) {
            (EntryKind::Ply { player, action }, Some(EntryRow::Ply(row))) => {
                row.player == *player && row.action == *action
            }
            (EntryKind::Entropy(text), Some(EntryRow::Contribution(row))) => row.text == *text,
            (EntryKind::Takeback, Some(EntryRow::Takeback(_))) => true,
            _ => false,
        };
        if !matches {
            world.trace.fail(&format!(
                "{entry:?} was acknowledged, and {found:?} is stored"
            ));
        }
    }
}

/// Checks that no entry number was acknowledged as new more than once.
fn check_one_new_entry_per_number(world: &World) {
    let mut new_entries = BTreeSet::new();
    let acknowledged = world.notes().acknowledged.clone();
    for Acknowledged {
        game,
        number,
        repeated,
        ..
    } in acknowledged
    {
        if !repeated && !new_entries.insert((game.clone(), number)) {
            world.trace.fail(&format!(
                "entry {number} of {game} was acknowledged as new twice"
            ));
        }
    }
}

fn check_rematches_and_seats(world: &World) {
    let mut rematches = BTreeMap::new();
    let (reported, seated) = {
        let notes = world.notes();
        (notes.rematches.clone(), notes.seated.clone())
    };
    for (of, id) in reported {
        let first = rematches.entry(of.clone()).or_insert_with(|| id.clone());
        if *first != id {
            world
                .trace
                .fail(&format!("{of} has two rematches, {first} and {id}"));
        }
    }
    let mut first_clients = BTreeMap::new();
    for (id, number) in seated {
        let first = *first_clients.entry(id.clone()).or_insert(number);
        if first != number {
            world
                .trace
                .fail(&format!("two clients have the same seat of {id}"));
        }
    }
}

/// Checks that the state shown by an instance follows from the record.
async fn check_instance_state(world: &Arc<World>, id: &GameId, site: usize) {
    let response = world
        .call(site, async |service| service.snapshot(id).await)
        .await;
    let snapshot = match response {
        Ok(Ok(snapshot)) => snapshot,
        Ok(Err(error)) => {
            return world
                .trace
                .fail(&format!("{id} is not shown at {site}: {error}"));
        }
        Err(_) => {
            return world.trace.fail(&format!("there is no instance at {site}"));
        }
    };
    log_snapshot(world, &snapshot);
    let stored = stored(world, id);
    let entries = snapshot.live.entry_count() as usize;
    let Some(Ok(live)) =
        (entries <= stored.entries.len()).then(|| resumed(world, &stored, entries))
    else {
        return world
            .trace
            .fail(&format!("{id} at {site} is no prefix of its record"));
    };
    let mut replayed = Snapshot::clone(&snapshot);
    replayed.live = live;
    if replayed.record_json().get() != snapshot.record_json().get()
        || replayed.live.moves().get() != snapshot.live.moves().get()
    {
        world
            .trace
            .fail(&format!("{id} at {site} differs from its record"));
    }
    if *snapshot.seats != stored.seats {
        world
            .trace
            .fail(&format!("{id} at {site} has other seats than were stored"));
    }
    if !snapshot.live.is_over() {
        return;
    }
    // The search for leaked secrets works: the seed is found in the record, which reveals it.
    if let Some(sealed) = &stored.header.dice
        && !snapshot
            .record_json()
            .get()
            .contains(&hex(sealed.seed.as_bytes()))
    {
        world
            .trace
            .fail(&format!("{id} is over and does not reveal its seed"));
    }
    match verify(&world.games, snapshot.record_json().get()) {
        Ok(VerifiedRecord::DiceVerified { .. }) => {}
        other => world.trace.fail(&format!(
            "{id} is over, and its dice are not proved: {other:?}"
        )),
    }
}

/// Logs what pages and programs can read of a game in progress.
fn log_snapshot(world: &World, snapshot: &Snapshot) {
    if snapshot.live.is_over() {
        return;
    }
    world.trace.log_output(snapshot.record_json().get());
    world.trace.log_output(&snapshot.record_text());
    world.trace.log_output(snapshot.live.moves().get());
    world.trace.log_output(&format!("{snapshot:?}"));
}

/// Checks that every watcher received every entry once and in order, and after recovery without delay.
fn check_watchers(world: &World) {
    let watchers = world.notes().watch_logs.clone();
    for watcher in watchers {
        let (game, site) = (&watcher.game, watcher.site);
        let stored = stored(world, game);
        let stored_at = world.shared.stored_at(game);
        let received = watcher.entries();
        let live = match resumed(world, &stored, stored.entries.len()) {
            Ok(live) => live,
            Err(why) => {
                world.trace.fail(&format!("{game} cannot be read: {why}"));
                continue;
            }
        };
        let channel = world.sites[site]
            .running()
            .map(|instance| Arc::clone(&instance.channel));
        let due_by = |at: Instant| {
            let channel = channel.as_ref()?;
            let from = channel.outage_end(at).unwrap_or(at);
            Some(from + MAX_DELAY)
        };
        let end = Instant::now();
        for sent in live.events(0, usize::MAX, EventFormat::Pages) {
            let number = sent.number as usize;
            let received = received.get(number);
            if let Some((other, _)) = received
                && other != sent.json.get()
            {
                world.trace.fail(&format!(
                    "a watcher of {game} at {site} received another entry {number}"
                ));
            }
            let Some(due) = stored_at.get(number).and_then(|at| due_by(*at)) else {
                continue;
            };
            let is_recovered = world.is_recovered(world.trace.elapsed_at(stored_at[number]));
            let is_late = match received {
                Some((_, at)) => is_recovered && *at > due,
                None => due < end,
            };
            if is_late {
                let at = world.trace.elapsed_at(stored_at[number]);
                let received = received.map(|(_, at)| world.trace.elapsed_at(*at));
                world.trace.fail(&format!(
                    "entry {number} of {game}, stored at {at:?}, was received at {received:?} at {site}"
                ));
            }
        }
        if received.len() > stored.entries.len() {
            world.trace.fail(&format!(
                "a watcher of {game} received more entries than were stored"
            ));
        }
    }
}

/// Reads the pages of all games in progress. The trace ends before, because some pages are rendered on other threads.
pub(crate) async fn read_pages(world: &World) {
    world.trace.stop_recording();
    if !world.seed.is_multiple_of(PAGES) {
        return;
    }
    for site in &world.sites {
        let instance = site.running().expect("both sites run at the end");
        for id in world.shared.games() {
            let stored = stored(world, &id);
            let live = resumed(world, &stored, stored.entries.len());
            if live.is_ok_and(|live| live.is_over()) {
                continue;
            }
            for path in [
                format!("/g/{id}"),
                format!("/g/{id}/log"),
                format!("/g/{id}/dice"),
                format!("/g/{id}/record.json"),
                format!("/api/v1/games/{id}"),
                format!("/api/v1/games/{id}/moves"),
            ] {
                world
                    .trace
                    .log_output(&pages::text(instance.app(), &path).await);
            }
        }
    }
}

/// Checks that no output contains a credential, a seed or a salt, in any encoding.
pub(crate) fn check_no_secret_leaked(world: &World) {
    let mut secrets = world.notes().secrets.clone();
    for id in world.shared.games() {
        let stored = stored(world, &id);
        let is_over =
            resumed(world, &stored, stored.entries.len()).is_ok_and(|live| live.is_over());
        // A finished game has revealed its dice.
        if let Some(sealed) = &stored.header.dice
            && !is_over
        {
            for bytes in [sealed.seed.as_bytes(), sealed.salt.as_bytes()] {
                secrets.push(hex(bytes));
                secrets.push(format!("{bytes:?}")[1..60].to_owned());
                secrets.push(format!("{bytes:?}").replace(", ", ",")[1..40].to_owned());
            }
        }
    }
    if secrets
        .iter()
        .any(|secret| world.trace.output_contains(secret))
    {
        world.trace.fail("a secret was leaked");
    }
    if world.trace.output_len() == 0 {
        world.trace.fail("there is no output");
    }
}

fn hex(bytes: &[u8]) -> String {
    // Half of the bytes are enough to detect a leak.
    bytes[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
