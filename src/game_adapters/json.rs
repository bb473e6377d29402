//! The JSON of games in progress: their state, their legal actions, their events, and their records.

use serde::Serialize;
use serde_json::value::RawValue;

use super::RegistrableGame;
use crate::formats::end_reason::{player_numbers, winners};
use crate::formats::entries::{EntryJson, EventFormat, event_json};
use crate::formats::{JsonFields, RecordJson, RecordMetadata, notation, to_raw_json};
use crate::game::Player;
use crate::provably_fair::DiceDisclosure;
use crate::record::ReplayedEntry;
use crate::serialization::{NamedParameters, SerializableGame};
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

/// The JSON of a game in progress.
pub trait LiveJson {
    /// The game's name and parameters, the first fields of responses.
    fn parameters(&self) -> JsonFields;

    fn layout(&self) -> JsonFields;

    /// The state after `ply` entries; `None` if there are fewer.
    fn state_at(&self, ply: u32) -> Option<GameState>;

    /// The legal actions now, in the book's order, with their outcomes.
    fn moves(&self) -> Box<RawValue>;

    /// Only the field `moves` of [`LiveJson::moves`].
    fn legal_moves(&self) -> Box<RawValue>;

    /// The JSON fields of each legal action, in the book's order.
    fn legal_action_fields(&self) -> Vec<JsonFields>;

    /// Up to `max` entries from number `from` on, as events.
    fn events(&self, from: u32, max: usize, format: EventFormat) -> Vec<EntryEvent>;

    /// The complete record, as [`RecordJson`].
    fn record_json(&self, metadata: &RecordMetadata) -> Box<RawValue>;

    /// The complete record in notation.
    fn notation(&self, metadata: &RecordMetadata) -> String;
}

impl<G: RegistrableGame> LiveJson for Session<G> {
    fn parameters(&self) -> JsonFields {
        JsonFields::from_value(&NamedParameters::from_game(self.game()))
    }

    fn layout(&self) -> JsonFields {
        JsonFields::from_value(&self.game().layout_json())
    }

    fn state_at(&self, ply: u32) -> Option<GameState> {
        let (game, record) = (self.game(), self.record());
        if ply > record.len() {
            return None;
        }
        let last = ply.checked_sub(1);
        let entry = last.and_then(|number| self.replay_from(number).next());
        let position = entry.as_ref().map_or(&record.start, ReplayedEntry::after);
        let status = if ply == record.len() {
            self.status()
        } else {
            game.status(position)
        };
        let winners = status.is_over().then(|| {
            if ply == record.len() {
                winners(self)
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

    fn moves(&self) -> Box<RawValue> {
        if self.status().is_over() {
            // A game can have ended (by resignation, for example) although its rules still have legal actions.
            let winners = player_numbers(&winners(self));
            return to_raw_json(&TaggedAnswer::from_answer::<G>(G::moves_json(
                &self.tree().limit_depth(0),
                Some(winners),
            )));
        }
        to_raw_json(&TaggedAnswer::from_answer::<G>(G::moves_json(
            &self.tree(),
            None,
        )))
    }

    fn legal_moves(&self) -> Box<RawValue> {
        let moves = JsonFields::from_value(&self.moves()).take_raw("moves");
        moves
            .ok()
            .flatten()
            .unwrap_or_else(|| to_raw_json(&[(); 0]))
    }

    fn legal_action_fields(&self) -> Vec<JsonFields> {
        let (game, position) = (self.game(), self.position());
        let actions = game.legal_actions(position);
        actions
            .map(|action| JsonFields::from_value(&game.action_json(action, position)))
            .collect()
    }

    fn events(&self, from: u32, max: usize, format: EventFormat) -> Vec<EntryEvent> {
        let moments = self.replay_from(from).take(max);
        moments
            .map(|entry| EntryEvent {
                number: entry.number(),
                json: event_json(self.game(), &entry, format),
            })
            .collect()
    }

    fn record_json(&self, metadata: &RecordMetadata) -> Box<RawValue> {
        to_raw_json(&RecordJson::from_session(self, metadata))
    }

    fn notation(&self, metadata: &RecordMetadata) -> String {
        notation::print(self, metadata)
    }
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
