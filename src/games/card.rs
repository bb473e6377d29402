//! Cards: what lists show of a game. A card is stored with each change of the game, so that a list costs the same
//! however long its games are.
//!
//! A card contains data and no markup, so language and display options are applied when it is shown. It is derived
//! from the record and can be made again from it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{LiveGame, LiveGameRef, Registry};
use crate::formats::saved_game::SavedGame;
use crate::game::{MAX_PLAYERS, Player};
use crate::record::{Ending, EndingRow};

/// The version of the format. Increase it when a card needs other data: cards of other versions are made again.
const CARD_VERSION: u32 = 1;

/// What a card shows of a record, besides the position at its end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RecordCounts {
    /// All entries, without the ending.
    pub entries: u32,
    /// The plies of the mainline.
    pub plies: u32,
    /// The turn number of the player to move, counted from 1; after the end, of the player who moved last.
    pub turn: u32,
    pub takebacks: u32,
    /// The time of the last entry, in milliseconds since 1970.
    pub last_entry_ms: Option<i64>,
}

/// A card in its stored form.
#[derive(Serialize, Deserialize)]
struct CardJson {
    version: u32,
    counts: RecordCounts,
    position: Box<RawValue>,
    /// The name of an ending that the rules did not cause, and its player.
    ending: Option<(String, Option<u8>)>,
}

/// A game without its record.
#[derive(Clone, Debug)]
pub struct GameCard {
    /// Begins at the newest position.
    pub newest: LiveGameRef,
    pub counts: RecordCounts,
}

impl GameCard {
    #[must_use]
    pub fn new(live: &dyn LiveGame) -> Self {
        GameCard {
            newest: live.without_record(),
            counts: live.record_counts(),
        }
    }

    /// The stored form, JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let ending = self.newest.ending();
        let position = RawValue::from_string(self.newest.position_at(0).setup_json());
        let card = CardJson {
            version: CARD_VERSION,
            counts: self.counts,
            position: position.expect("a position serializes to JSON"),
            ending: ending.map(|ending| {
                let player = ending.player().map(Player::number);
                (ending.name().to_owned(), player)
            }),
        };
        serde_json::to_string(&card).expect("a card serializes to JSON")
    }

    /// The number of entries, the ending included.
    #[must_use]
    pub fn entries(&self) -> u32 {
        self.counts.entries + u32::from(self.newest.ending().is_some())
    }
}

impl Registry {
    /// Reads a stored card of a game with these parameters; `None` if it has another version.
    #[must_use]
    pub fn parse_card(&self, parameters: &str, json: &str) -> Option<GameCard> {
        let card: CardJson = serde_json::from_str(json).ok()?;
        if card.version != CARD_VERSION {
            return None;
        }
        let ending = match &card.ending {
            None => None,
            Some((name, player)) => {
                let player = match player {
                    None => None,
                    Some(number) => Some(Player::try_new(*number, MAX_PLAYERS as u8)?),
                };
                Some(EndingRow {
                    ending: Ending::from_name(name, player)?,
                    at_ms: 0,
                })
            }
        };
        let newest = self.load(&SavedGame {
            parameters,
            start: card.position.get(),
            entries: &[],
            ending,
        });
        Some(GameCard {
            newest: newest.ok()?,
            counts: card.counts,
        })
    }
}
