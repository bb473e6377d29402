//! The log of a game, and what a page shows of the plies that were played. One replay of the record collects it all.

use std::sync::Arc;

use super::{BoardPage, RegistrableGame};
use crate::game::{MAX_PLAYERS, Player};
use crate::provably_fair::{NO_ENTROPY, is_entropy_commitment};
use crate::record::{Ending, Entry, Ply, Record, ReplayedEntry, ReplayedPly};
use crate::session::Session;
use crate::templates::controls::TableComponent;
use crate::templates::log::LogEntry;
use crate::templates::message::LocalizedMessage;
use crate::templates::played_action::RollSentences;
use crate::templates::replay::{PlyMark, TurnBand};

/// The game log.
pub struct LogPage<G: BoardPage> {
    pub describe_ply: fn(&G, &ReplayedPly<'_, G>) -> PlyDescription,
    /// The label of the button that takes back this action.
    pub takeback_label: fn(G::Action) -> LocalizedMessage,
    /// The message that a player took back this action.
    pub takeback_text: fn(Player, G::Action) -> LocalizedMessage,
    /// Whether the entries are grouped by turn, rather than each ply being a turn.
    pub has_turns: bool,
}

/// How a page and the replay show what was played.
pub struct ReplayPage<G: BoardPage> {
    /// The mark of a ply on the timeline.
    pub ply_mark: fn(&Ply<G>) -> PlyMark,
    /// Highlights the effect of the last ply on the board after it.
    pub highlight_last_ply: fn(&G, &mut G::BoardView, &ReplayedPly<'_, G>),
    /// The roll of a ply in words, for the pages that play single plies; `None` if nothing was rolled.
    pub roll_sentences: fn(&G, &ReplayedPly<'_, G>) -> Option<RollSentences>,
    /// Marks on the board why the rules ended the game.
    pub highlight_end: fn(&G, &mut G::BoardView, &G::Position),
    /// The placeholder for [`PlyDescription::strip`] before the first ply.
    pub empty_strip: fn() -> Arc<dyn TableComponent>,
    /// Summary of what happened since the viewer's last turn, if anything. It replaces the strip until the viewer acts,
    /// and may mark the board.
    pub turn_summary:
        fn(&G, TurnSummaryInput<'_, G>, &mut G::BoardView) -> Option<Arc<dyn TableComponent>>,
    /// A chart of a finished game's history.
    pub history: fn(&Session<G>) -> Arc<dyn TableComponent>,
}

/// A ply as described in the game log.
#[derive(Clone, Debug)]
pub struct PlyDescription {
    pub message: LocalizedMessage,
    /// Space-separated ids of the board elements that it concerns.
    pub marks: Option<String>,
    /// A picture of the ply.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// What was played since the viewer's last turn.
#[derive(Clone, Debug)]
pub struct TurnSummaryInput<'a, G: BoardPage> {
    /// The viewer, who is to move.
    pub viewer: Player,
    /// From the end of the viewer's last turn, or from the start of the game.
    pub steps: &'a [ReplayedPly<'a, G>],
    /// The strip that the summary replaces.
    pub strip: Option<Arc<dyn TableComponent>>,
}

/// The complete log, newest first.
pub(super) fn full_log<G: RegistrableGame>(session: &Session<G>) -> Vec<LogEntry> {
    summarize_replay(session, u32::MAX, usize::MAX, None).log
}

/// Every turn, for the replay strip.
pub(super) fn turn_bands<G: RegistrableGame>(session: &Session<G>) -> Vec<TurnBand> {
    let mark = |ply| {
        G::PAGES
            .replay
            .map_or(PlyMark::Quiet, |replay| (replay.ply_mark)(ply))
    };
    let mut bands: Vec<TurnBand> = Vec::new();
    let mut ended = true;
    for (number, entry) in (0..).zip(&session.record().entries) {
        let player = entry.player().number();
        let (tick, is_ply) = match entry {
            Entry::Ply(ply) => (mark(ply), true),
            Entry::Takeback(_) | Entry::Contribution(_) => (PlyMark::Quiet, false),
        };
        match bands.last_mut() {
            // Other entries belong to the turn in which they were made.
            Some(band) if !is_ply || !ended && band.player == player => band.marks.push(tick),
            _ => bands.push(TurnBand {
                player,
                first: number,
                marks: vec![tick],
            }),
        }
        ended = match entry {
            Entry::Ply(ply) => G::ends_turn(ply.action),
            Entry::Takeback(_) => true,
            Entry::Contribution(_) => ended,
        };
    }
    bands
}

/// The result of replaying a record up to one of its entries.
pub(super) struct ReplaySummary<'r, G: RegistrableGame> {
    /// The last ply on the mainline at that point.
    pub(super) last: Option<ReplayedPly<'r, G>>,
    /// The length of the mainline at that point.
    pub(super) plies: u32,
    /// The turn number of the player to move, counted from 1; after the end, of the player who moved last.
    pub(super) turn: u32,
    /// Newest first, of limited length.
    pub(super) log: Vec<LogEntry>,
    /// A picture of the newest ply of the log.
    pub(super) strip: Option<Arc<dyn TableComponent>>,
    /// What was played since the viewer's last turn.
    pub(super) since: Vec<ReplayedPly<'r, G>>,
}

impl<'r, G: RegistrableGame> ReplaySummary<'r, G> {
    /// The position after the replay.
    pub(super) fn position<'s>(&'s self, session: &'s Session<G>) -> &'s G::Position {
        let start = &session.record().start;
        self.last.as_ref().map_or(start, |last| &last.after)
    }
}

/// The number of the ply that ended this player's last turn, or 0 before the first; `None` once the player has
/// acted in the current turn.
pub(super) fn absence_start<G: RegistrableGame>(
    session: &Session<G>,
    player: Player,
) -> Option<u32> {
    let mut own = session.record().mainline().rev();
    match own.find(|(_, ply)| ply.player == player) {
        None => Some(0),
        Some((number, ply)) if G::ends_turn(ply.action) => Some(number),
        Some(_) => None,
    }
}

/// The number of turns that each player has completed.
#[derive(Default)]
pub(super) struct Turns {
    ended: [u32; MAX_PLAYERS],
    /// The turn number of the last ply.
    last: u32,
}

impl Turns {
    /// The turns completed on the mainline after this number of entries.
    fn at<G: RegistrableGame>(record: &Record<G>, entries: u32) -> Self {
        let mut turns = Turns::default();
        for number in record.mainline_at(entries) {
            if let Some(ply) = record.entries[number as usize].ply() {
                turns.play::<G>(ply);
            }
        }
        turns
    }

    /// The current turn number of this player, counted from 1.
    pub(super) fn turn_number(&self, player: Player) -> u32 {
        let ended = self.ended.get(usize::from(player.number()));
        ended.map_or(1, |ended| ended + 1)
    }

    /// The turn number of the player to move, or else of the last ply.
    pub(super) fn now(&self, mover: Option<Player>) -> u32 {
        mover.map_or(self.last.max(1), |mover| self.turn_number(mover))
    }

    /// Counts a ply.
    pub(super) fn play<G: RegistrableGame>(&mut self, ply: &Ply<G>) {
        self.last = self.turn_number(ply.player);
        let ended = self.ended.get_mut(usize::from(ply.player.number()));
        if let (Some(ended), true) = (ended, G::ends_turn(ply.action)) {
            *ended += 1;
        }
    }
}

/// Replays a record up to entry `until`. Keeps the last `entries` log lines, and the steps from entry `since`
/// on. Plies taken back by then appear in the log but are not counted.
pub(super) fn summarize_replay<G: RegistrableGame>(
    session: &Session<G>,
    until: u32,
    entries: usize,
    since: Option<u32>,
) -> ReplaySummary<'_, G> {
    let (game, record) = (session.game(), session.record());
    let until = until.min(record.len());
    let mainline = record.mainline_at(until);
    let mut summary = ReplaySummary {
        last: None,
        plies: mainline.len() as u32,
        turn: 1,
        log: Vec::new(),
        strip: None,
        since: Vec::new(),
    };
    let logged_from = until.saturating_sub(u32::try_from(entries).unwrap_or(u32::MAX));
    let last_ply = mainline.last().copied().unwrap_or(0);
    let first = logged_from.min(last_ply).min(since.unwrap_or(until));
    let mut turns = Turns::at(record, first);
    for entry in session.replay_from(first).take((until - first) as usize) {
        let number = entry.number();
        if let ReplayedEntry::Takeback { .. } = &entry {
            turns = Turns::at(record, number + 1);
        }
        let player = record.entries[number as usize].player();
        let is_on_mainline = mainline.binary_search(&number).is_ok();
        if number >= logged_from {
            let (sentence, marks, strip) = entry_sentence(session, &entry);
            if is_on_mainline {
                summary.strip = strip.or(summary.strip);
            }
            summary.log.push(LogEntry {
                ply: number + 1,
                turn: log_turn::<G>(turns.turn_number(player)),
                player: player.number(),
                sentence,
                marks,
                is_on_mainline: is_on_mainline || !matches!(entry, ReplayedEntry::Ply(_)),
            });
        }
        let ReplayedEntry::Ply(step) = entry else {
            continue;
        };
        turns.play::<G>(step.ply);
        if !is_on_mainline {
            continue;
        }
        let last = mainline.last() == Some(&number);
        match since.is_some_and(|from| number >= from) {
            true if last => {
                summary.last = Some(step.clone());
                summary.since.push(step);
            }
            true => summary.since.push(step),
            false if last => summary.last = Some(step),
            false => {}
        }
    }
    summary.turn = turns.now(game.status(summary.position(session)).mover());
    if until == record.len()
        && let Some(ending) = record.ending
    {
        let mover = game.status(summary.position(session)).mover();
        let (player, sentence) = match ending {
            Ending::Resigned(player) => (
                player,
                LocalizedMessage::new("log-resigned").with_player(player.number()),
            ),
            Ending::Limit => (
                mover.unwrap_or(Player::FIRST),
                LocalizedMessage::new("log-limit"),
            ),
        };
        summary.log.push(LogEntry {
            ply: until,
            turn: log_turn::<G>(summary.turn),
            player: player.number(),
            sentence,
            marks: None,
            is_on_mainline: true,
        });
    }
    summary.log.reverse();
    // Plies taken back may fill the whole log: show the newest mainline ply nevertheless.
    let last = summary.last.as_ref().filter(|_| summary.strip.is_none());
    summary.strip = last
        .and_then(|last| describe_ply(game, last).strip)
        .or(summary.strip);
    summary
}

/// The log sentence of an entry, the board elements that it concerns, and its picture.
fn entry_sentence<G: RegistrableGame>(
    session: &Session<G>,
    entry: &ReplayedEntry<'_, G>,
) -> (
    LocalizedMessage,
    Option<String>,
    Option<Arc<dyn TableComponent>>,
) {
    let sentence = match entry {
        ReplayedEntry::Ply(step) => {
            let event = describe_ply(session.game(), step);
            return (event.message, event.marks, event.strip);
        }
        ReplayedEntry::Takeback { takeback, .. } => {
            let player = takeback.player;
            let target = session.record().entries.get(takeback.to as usize);
            let action = target.and_then(Entry::ply).map(|ply| ply.action);
            match (G::PAGES.log, action) {
                (Some(log), Some(action)) => (log.takeback_text)(player, action),
                _ => LocalizedMessage::new("log-took-back").with_player(player.number()),
            }
        }
        ReplayedEntry::Contribution {
            number,
            contribution,
            ..
        } => {
            let entropy = contribution.text.as_str();
            let mut earlier = session.record().entropy_before(*number);
            let has_committed = earlier.any(|earlier| {
                earlier.player == contribution.player
                    && is_entropy_commitment(earlier.text.as_str())
            });
            let sentence = match entropy {
                NO_ENTROPY if has_committed => LocalizedMessage::new("log-late-words"),
                NO_ENTROPY => LocalizedMessage::new("log-no-words"),
                text if is_entropy_commitment(text) => LocalizedMessage::new("log-fixed-words"),
                text => LocalizedMessage::new("log-contributed").with_value("words", text),
            };
            sentence.with_player(contribution.player.number())
        }
    };
    (sentence, None, None)
}

/// The turn number by which the log groups entries, if it does.
fn log_turn<G: RegistrableGame>(turn: u32) -> Option<u32> {
    let log = G::PAGES.log?;
    log.has_turns.then_some(turn)
}

pub(super) fn describe_ply<G: RegistrableGame>(
    game: &G,
    step: &ReplayedPly<'_, G>,
) -> PlyDescription {
    match G::PAGES.log {
        Some(log) => (log.describe_ply)(game, step),
        None => PlyDescription {
            message: LocalizedMessage::new("log-action")
                .with_player(step.ply.player.number())
                .with_value("action", step.ply.action.to_string()),
            marks: None,
            strip: None,
        },
    }
}
