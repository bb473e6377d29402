//! The JSON of one entry: as a record has it, and as it is sent to those who follow a game.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::{EndReason, EndingName, EventFormat, JsonAdapter, numbers, raw};
use crate::game::Player;
use crate::game_adapters::JsonFields;
use crate::provably_fair::Protocol;
use crate::record::{EntropyContribution, ReplayedEntry, ReplayedPly, Takeback};

// What is a game's own in these, its action, its roll and what an event adds, the document puts in.

/// One ply of a record.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(bound = "")]
pub struct PlyJson<A = JsonFields, R = Box<RawValue>> {
    /// Its number, counted from 0.
    ply: u32,
    /// Who acted, counted from 0.
    player: u8,
    /// The action, as its game writes it: `path` or `cell`, for example.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    action: A,
    /// The faces; null where nothing was rolled.
    #[schema(value_type = Option<Object>)]
    roll: Option<R>,
    /// When, in milliseconds since 1970 (UTC).
    at: i64,
    /// The position at which it was rolled, in notation: in records whose dice are of format 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    before: Option<String>,
}

impl<A, R> PlyJson<A, R> {
    /// The JSON form of a ply.
    pub(super) fn of<G>(game: &G, step: &ReplayedPly<'_, G>) -> Self
    where
        G: JsonAdapter<ActionJson = A, RollJson = R>,
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

/// An entry of a record that takes plies back; they stay in the record.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Takeback)]
pub struct TakebackJson {
    /// The number of the entry, counted from 0.
    ply: u32,
    /// Who takes back, counted from 0; it is this player's turn again.
    player: u8,
    /// The number of the ply before which the game stands again.
    takeback: u32,
    /// When, in milliseconds since 1970 (UTC).
    at: i64,
}

/// An entry of a record with words of a player for the dice that follow.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Contribution)]
pub struct EntropyContributionJson {
    /// The number of the entry, counted from 0.
    ply: u32,
    /// Whose words, counted from 0.
    player: u8,
    /// The words, 1 to 64 characters.
    entropy: String,
    /// When, in milliseconds since 1970 (UTC).
    at: i64,
}

/// One entry of a record: a ply, a takeback, or words for the dice.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum EntryJson {
    /// A ply.
    Ply(RawPlyJson),
    /// Plies are taken back.
    Takeback(TakebackJson),
    /// Words for the dice.
    Contribution(EntropyContributionJson),
}

/// A [`PlyJson`] of any game, written.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct RawPlyJson(Box<RawValue>);

impl EntryJson {
    /// The JSON form of an entry of a record whose dice are of this protocol.
    pub(super) fn of<G: JsonAdapter>(
        game: &G,
        moment: &ReplayedEntry<'_, G>,
        protocol: Option<Protocol>,
    ) -> Self {
        match moment {
            ReplayedEntry::Ply(step) => {
                let mut ply = PlyJson::of(game, step);
                // Rolls are checked by programs that know no rules.
                if ply.roll.is_some() && protocol == Some(Protocol::ByPosition) {
                    ply.before = Some(game.notation(&step.before));
                }
                EntryJson::Ply(RawPlyJson(raw(&ply)))
            }
            ReplayedEntry::Takeback {
                number, takeback, ..
            } => EntryJson::Takeback(TakebackJson::of(*number, takeback)),
            ReplayedEntry::Contribution {
                number,
                contribution,
                ..
            } => EntryJson::Contribution(EntropyContributionJson::of(*number, contribution)),
        }
    }
}

impl TakebackJson {
    fn of(number: u32, takeback: &Takeback) -> Self {
        TakebackJson {
            ply: number,
            player: takeback.player.number(),
            takeback: takeback.to,
            at: takeback.at_ms,
        }
    }
}

impl EntropyContributionJson {
    fn of(number: u32, contribution: &EntropyContribution) -> Self {
        EntropyContributionJson {
            ply: number,
            player: contribution.player.number(),
            entropy: contribution.words.as_str().to_owned(),
            at: contribution.at_ms,
        }
    }
}

/// One ply as those hear it who follow a game: the ply, and what it takes to show it happen.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(bound = "")]
pub struct PlyEventJson<A = JsonFields, R = Box<RawValue>, E = JsonFields> {
    /// The ply, as a record has it.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    ply: PlyJson<A, R>,
    /// What it takes to show it, as its game writes it.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    shown: E,
    /// Whether the rules end the game with this ply.
    over: bool,
    /// Which game it is.
    game: &'static str,
}

impl<A, R, E> PlyEventJson<A, R, E> {
    /// The JSON form of a ply, as it is sent.
    pub(super) fn of<G>(game: &G, step: &ReplayedPly<'_, G>) -> Self
    where
        G: JsonAdapter<ActionJson = A, RollJson = R, EventJson = E>,
    {
        PlyEventJson {
            ply: PlyJson::of(game, step),
            shown: game.event_json(step),
            over: game.status(&step.after).is_over(),
            game: G::NAME,
        }
    }
}

/// How the game stands after an entry, as programs hear it beside the entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AfterJson {
    /// The number of the next entry.
    ply: u32,
    /// Whose turn it is then, counted from 0; null when over.
    player: Option<u8>,
    /// The position after the entry.
    #[schema(value_type = Object)]
    state: Box<RawValue>,
    /// Whether the rules end the game with it.
    over: bool,
    /// Who wins, in the book's order, counted from 0; null until over, and empty after a draw.
    winners: Option<Vec<u8>>,
    /// `rules` with the ply by which the rules end the game; any other ending is told by the event `over`.
    #[schema(value_type = Option<EndingName>)]
    ending: Option<EndReason>,
}

impl AfterJson {
    fn of<G: JsonAdapter>(game: &G, moment: &ReplayedEntry<'_, G>) -> Self {
        let position = moment.after();
        let status = game.status(position);
        let over = status.is_over();
        AfterJson {
            ply: moment.number() + 1,
            player: status.mover().map(Player::number),
            state: raw(&game.to_setup(position)),
            over,
            winners: over.then(|| numbers(&game.winners(position))),
            ending: EndReason::of(over, None),
        }
    }
}

/// An entry as it is sent: a ply with what it takes to show it, or another entry with `over`, for which
/// there is nothing to show but the position after it. Programs are told how the game stands then.
pub(super) fn sent<G: JsonAdapter>(
    game: &G,
    moment: &ReplayedEntry<'_, G>,
    heard_by: EventFormat,
) -> Box<RawValue> {
    #[derive(Serialize)]
    struct Sent<E> {
        #[serde(flatten)]
        entry: E,
        over: bool,
        game: &'static str,
    }
    let after = (heard_by == EventFormat::Programs).then(|| AfterJson::of(game, moment));
    match moment {
        ReplayedEntry::Ply(step) => told(PlyEventJson::of(game, step), after),
        ReplayedEntry::Takeback {
            number, takeback, ..
        } => {
            let entry = TakebackJson::of(*number, takeback);
            let (over, game) = (false, G::NAME);
            told(Sent { entry, over, game }, after)
        }
        ReplayedEntry::Contribution {
            number,
            contribution,
            ..
        } => {
            let entry = EntropyContributionJson::of(*number, contribution);
            let (over, game) = (false, G::NAME);
            told(Sent { entry, over, game }, after)
        }
    }
}

fn told<E: Serialize>(event: E, after: Option<AfterJson>) -> Box<RawValue> {
    #[derive(Serialize)]
    struct EventWithAfter<E> {
        #[serde(flatten)]
        event: E,
        after: AfterJson,
    }
    match after {
        Some(after) => raw(&EventWithAfter { event, after }),
        None => raw(&event),
    }
}
