//! The JSON of entries, in records and in events.

use dice_of_doom_core::game::Player;
use dice_of_doom_core::provably_fair::DiceDisclosure;
use dice_of_doom_core::record::{EntropyContribution, ReplayedEntry, ReplayedPly, Takeback};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::end_reason::{EndReason, player_numbers};
use crate::{GameFormat, JsonFields, to_raw_json};

/// A ply of a record.
#[derive(Clone, Debug, Serialize)]
pub struct PlyJson<A = JsonFields, R = Box<RawValue>> {
    /// The number of the ply, counted from 0.
    ply: u32,
    /// The player who acted, counted from 0.
    player: u8,
    /// The action, in the fields of its game: `path` or `cell`, for example.
    #[serde(flatten)]
    action: A,
    /// The faces of the dice; null if no dice were rolled.
    roll: Option<R>,
    /// The time of the entry, in Unix milliseconds.
    at: i64,
    /// The position before the ply, in notation. Present if dice were rolled and the record has `dice`.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<String>,
}

impl<A, R> PlyJson<A, R> {
    pub(crate) fn from_step<G>(game: &G, step: &ReplayedPly<'_, G>) -> Self
    where
        G: GameFormat<ActionJson = A, RollJson = R>,
    {
        PlyJson {
            ply: step.number,
            player: step.ply.player.number(),
            action: game.action_json(step.ply.action, &step.before),
            roll: G::roll_json(&step.ply.roll),
            at: step.ply.at_ms,
            before: None,
        }
    }
}

/// An entry of a record that takes back plies. They remain in the record.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct TakebackJson {
    /// The number of the entry, counted from 0.
    ply: u32,
    /// The player who took back, counted from 0. It is this player's turn again.
    player: u8,
    /// The number of a ply: the game returns to the position before it.
    takeback: u32,
    /// The time of the entry, in Unix milliseconds.
    at: i64,
}

/// An entry of a record with which a player adds entropy text to the dice.
#[derive(Clone, Debug, Serialize)]
pub struct EntropyContributionJson {
    /// The number of the entry, counted from 0.
    ply: u32,
    /// The player who added the text, counted from 0.
    player: u8,
    /// The entropy text, 1 to 64 characters.
    entropy: String,
    /// The time of the entry, in Unix milliseconds.
    at: i64,
}

/// An entry of a record: a ply, a takeback, or entropy text for the dice.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EntryJson {
    /// An action with its roll.
    Ply(RawPlyJson),
    /// Plies are taken back.
    Takeback(TakebackJson),
    /// Entropy text for the dice.
    Contribution(EntropyContributionJson),
}

/// A serialized [`PlyJson`] of any game.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct RawPlyJson(Box<RawValue>);

impl EntryJson {
    /// The JSON of an entry in a record with these dice.
    #[must_use]
    pub fn from_entry<G: GameFormat>(
        game: &G,
        entry: &ReplayedEntry<'_, G>,
        dice: &DiceDisclosure,
    ) -> Self {
        match entry {
            ReplayedEntry::Ply(step) => {
                let mut ply = PlyJson::from_step(game, step);
                // The position lets programs verify the roll without knowing the rules.
                if ply.roll.is_some() && *dice != DiceDisclosure::Nothing {
                    ply.before = Some(game.notation(&step.before));
                }
                EntryJson::Ply(RawPlyJson(to_raw_json(&ply)))
            }
            ReplayedEntry::Takeback {
                number, takeback, ..
            } => EntryJson::Takeback(TakebackJson::from_takeback(*number, takeback)),
            ReplayedEntry::Contribution {
                number,
                contribution,
                ..
            } => EntryJson::Contribution(EntropyContributionJson::from_contribution(
                *number,
                contribution,
            )),
        }
    }
}

impl TakebackJson {
    fn from_takeback(number: u32, takeback: &Takeback) -> Self {
        TakebackJson {
            ply: number,
            player: takeback.player.number(),
            takeback: takeback.to,
            at: takeback.at_ms,
        }
    }
}

impl EntropyContributionJson {
    fn from_contribution(number: u32, contribution: &EntropyContribution) -> Self {
        EntropyContributionJson {
            ply: number,
            player: contribution.player.number(),
            entropy: contribution.text.as_str().to_owned(),
            at: contribution.at_ms,
        }
    }
}

/// One ply as those hear it who follow a game: the ply, and what it takes to show it happen.
#[derive(Clone, Debug, Serialize)]
pub struct PlyEventJson<A = JsonFields, R = Box<RawValue>, E = JsonFields> {
    /// The ply, as a record has it.
    #[serde(flatten)]
    ply: PlyJson<A, R>,
    /// What it takes to show it, as its game writes it.
    #[serde(flatten)]
    shown: E,
    /// Whether the rules end the game with this ply.
    over: bool,
    /// The name of the game.
    game: &'static str,
}

impl<A, R, E> PlyEventJson<A, R, E> {
    pub(crate) fn from_step<G>(game: &G, step: &ReplayedPly<'_, G>) -> Self
    where
        G: GameFormat<ActionJson = A, RollJson = R, EventJson = E>,
    {
        PlyEventJson {
            ply: PlyJson::from_step(game, step),
            shown: game.event_json(step),
            over: game.status(&step.after).is_over(),
            game: G::NAME,
        }
    }
}

/// The game directly after an entry.
#[derive(Clone, Debug, Serialize)]
pub struct AfterJson {
    /// The number of the next entry.
    ply: u32,
    /// The player to move, counted from 0; null if the game is over.
    player: Option<u8>,
    /// The position after the entry.
    state: Box<RawValue>,
    /// Whether the rules end the game with this entry.
    over: bool,
    /// The winners, counted from 0; null until the game is over, and empty after a draw.
    winners: Option<Vec<u8>>,
    /// `rules` if the rules end the game with this ply, otherwise null. Other endings are sent as the event `over`.
    ending: Option<EndReason>,
}

impl AfterJson {
    fn from_entry<G: GameFormat>(game: &G, entry: &ReplayedEntry<'_, G>) -> Self {
        let position = entry.after();
        let status = game.status(position);
        let over = status.is_over();
        AfterJson {
            ply: entry.number() + 1,
            player: status.mover().map(Player::number),
            state: to_raw_json(&game.to_setup(position)),
            over,
            winners: over.then(|| player_numbers(&game.winners(position))),
            ending: EndReason::new(over, None),
        }
    }
}

/// For which client an event is formatted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EventFormat {
    /// Pages: with what is needed to animate it on the known board.
    Pages,
    /// API clients: also with the state after the entry.
    Programs,
}

/// The JSON of an entry as an event: a ply with what is needed to animate it, or another entry with `over:
/// false`. API clients also receive the state after it.
#[must_use]
pub fn event_json<G: GameFormat>(
    game: &G,
    entry: &ReplayedEntry<'_, G>,
    format: EventFormat,
) -> Box<RawValue> {
    #[derive(Serialize)]
    struct OtherEvent {
        #[serde(flatten)]
        entry: EntryJson,
        over: bool,
        game: &'static str,
    }
    let after = (format == EventFormat::Programs).then(|| AfterJson::from_entry(game, entry));
    match entry {
        ReplayedEntry::Ply(step) => with_after(PlyEventJson::from_step(game, step), after),
        ReplayedEntry::Takeback { .. } | ReplayedEntry::Contribution { .. } => {
            let other = OtherEvent {
                entry: EntryJson::from_entry(game, entry, &DiceDisclosure::Nothing),
                over: false,
                game: G::NAME,
            };
            with_after(other, after)
        }
    }
}

fn with_after<E: Serialize>(event: E, after: Option<AfterJson>) -> Box<RawValue> {
    #[derive(Serialize)]
    struct EventWithAfter<E> {
        #[serde(flatten)]
        event: E,
        after: AfterJson,
    }
    match after {
        Some(after) => to_raw_json(&EventWithAfter { event, after }),
        None => to_raw_json(&event),
    }
}
