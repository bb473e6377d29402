//! The JSON of games in progress: their state, their legal actions, their events, and their records.

use serde::Serialize;
use serde_json::value::RawValue;

use super::{LiveGame, RegistrableGame};
use crate::formats::end_reason::{player_numbers, winners};
use crate::formats::entries::{EntryJson, EventFormat, event_json};
use crate::formats::{JsonFields, to_raw_json};
use crate::game::Player;
use crate::provably_fair::DiceDisclosure;
use crate::record::ReplayedEntry;
use crate::serialization::SerializableGame;
use crate::session::Session;
use crate::tree::GameTree;

/// A game's state after some of its entries.
#[derive(Clone, Debug)]
pub struct GameState {
    pub state: Box<RawValue>,
    /// `None` if the game is over at this position.
    pub mover: Option<Player>,
    /// `None` until the game is over.
    pub winners: Option<Vec<u8>>,
    /// The last entry, if any, as [`EntryJson`].
    pub last: Option<Box<RawValue>>,
    /// The faces of that entry, if dice were rolled.
    pub roll: Option<Box<RawValue>>,
}

/// An entry as sent to subscribers.
#[derive(Clone, Debug)]
pub struct EntryEvent {
    pub number: u32,
    /// `PlyEventJson`, or another `EntryJson`; for API clients with an `AfterJson`.
    pub json: Box<RawValue>,
}

pub(super) fn state_at<G: RegistrableGame>(session: &Session<G>, ply: u32) -> Option<GameState> {
    let (game, record) = (session.game(), session.record());
    if ply > record.len() {
        return None;
    }
    let last = ply.checked_sub(1);
    let entry = last.and_then(|number| session.replay_from(number).next());
    let position = entry.as_ref().map_or(&record.start, ReplayedEntry::after);
    let status = if ply == record.len() {
        session.status()
    } else {
        game.status(position)
    };
    let winners = status.is_over().then(|| {
        if ply == record.len() {
            winners(session)
        } else {
            game.winners(position)
        }
    });
    Some(GameState {
        state: to_raw_json(&game.to_setup(position)),
        mover: status.mover(),
        winners: winners.map(|winners| player_numbers(&winners)),
        last: entry.as_ref().map(|entry| {
            to_raw_json(&EntryJson::from_entry(
                game,
                entry,
                &DiceDisclosure::Nothing,
            ))
        }),
        roll: entry
            .and_then(ReplayedEntry::into_ply)
            .and_then(|step| G::roll_json(&step.ply.roll))
            .map(|roll| to_raw_json(&roll)),
    })
}

pub(super) fn moves<G: RegistrableGame>(session: &Session<G>) -> Box<RawValue> {
    if session.status().is_over() {
        // A game can have ended (by resignation, for example) although its rules still have legal actions.
        let winners = player_numbers(&winners(session));
        return to_raw_json(&TaggedAnswer::from_answer::<G>(G::moves_json(
            &session.tree().limit_depth(0),
            Some(winners),
        )));
    }
    to_raw_json(&TaggedAnswer::from_answer::<G>(G::moves_json(
        &session.tree(),
        None,
    )))
}

pub(super) fn events<G: RegistrableGame>(
    session: &Session<G>,
    from: u32,
    max: usize,
    format: EventFormat,
) -> Vec<EntryEvent> {
    let moments = session.replay_from(from).take(max);
    moments
        .map(|entry| EntryEvent {
            number: entry.number(),
            json: event_json(session.game(), &entry, format),
        })
        .collect()
}

/// A response with the name of its game.
#[derive(Serialize)]
pub(super) struct TaggedAnswer<T> {
    game: &'static str,
    #[serde(flatten)]
    answer: T,
}

impl<T> TaggedAnswer<T> {
    pub(super) fn from_answer<G: SerializableGame>(answer: T) -> Self {
        TaggedAnswer {
            game: G::NAME,
            answer,
        }
    }
}

impl dyn LiveGame {
    /// Only the field `moves` of [`LiveGame::moves`].
    #[must_use]
    pub fn legal_moves(&self) -> Box<RawValue> {
        let moves = JsonFields::from_value(&self.moves()).take_raw("moves");
        let moves = moves.ok().flatten();
        moves.unwrap_or_else(|| to_raw_json(&[(); 0]))
    }
}
