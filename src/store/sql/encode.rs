//! Encodes values as the columns that SQLite and PostgreSQL share; [`super::decode`] is the inverse.

use std::borrow::Cow;

use crate::game::Player;
use crate::seats::{Invitation, SeatCredentials, SeatOccupant, Waiting};
use crate::secret::{Nonce, SecretHash};
use crate::store::stored_game::StoredEntry;

/// The columns of a seat that describe its occupant.
#[derive(Default)]
pub(in crate::store) struct SeatColumns<'a> {
    pub(in crate::store) occupant: &'static str,
    pub(in crate::store) level: Option<Cow<'a, str>>,
    pub(in crate::store) name: Option<&'a str>,
    pub(in crate::store) browser: Option<SecretHash>,
    pub(in crate::store) token: Option<SecretHash>,
    pub(in crate::store) invitation: Option<SecretHash>,
    pub(in crate::store) joined_by: Option<SecretHash>,
    pub(in crate::store) nonce: Option<Nonce>,
}

impl<'a> SeatColumns<'a> {
    pub(in crate::store) fn from_occupant(occupant: &'a SeatOccupant) -> Self {
        match occupant {
            SeatOccupant::Open { invitation } => SeatColumns {
                occupant: "open",
                invitation: invitation.as_ref().map(Invitation::token).copied(),
                name: occupant.name(),
                ..SeatColumns::default()
            },
            SeatOccupant::Person { .. } | SeatOccupant::Program { .. } => SeatColumns {
                occupant: "human",
                name: occupant.name(),
                ..SeatColumns::from_credentials(occupant.credentials())
            },
            SeatOccupant::Level { level, replaced } => SeatColumns {
                occupant: "level",
                level: Some(level.name()),
                name: replaced.as_ref().and_then(|former| former.name.as_deref()),
                ..SeatColumns::from_credentials(occupant.credentials())
            },
        }
    }

    fn from_credentials(credentials: Option<SeatCredentials>) -> Self {
        match credentials {
            None => SeatColumns::default(),
            Some(SeatCredentials::Person(credentials)) => {
                let back = credentials.return_link;
                SeatColumns {
                    browser: Some(credentials.browser),
                    token: back.map(|link| link.token),
                    joined_by: credentials.joined_by,
                    nonce: back.map(|link| link.nonce),
                    ..SeatColumns::default()
                }
            }
            Some(SeatCredentials::Program(credentials)) => SeatColumns {
                browser: credentials.browser,
                token: Some(credentials.token),
                joined_by: credentials.joined_by,
                ..SeatColumns::default()
            },
        }
    }
}

/// The columns of a game that waits for players; all are empty once it has started.
#[derive(Default)]
pub(in crate::store) struct WaitingColumns {
    pub(in crate::store) waits_for: Option<&'static str>,
    pub(in crate::store) starts_ms: Option<i64>,
    pub(in crate::store) join_token: Option<SecretHash>,
    pub(in crate::store) join_nonce: Option<Nonce>,
}

impl WaitingColumns {
    pub(in crate::store) fn new(waiting: Option<&Waiting>) -> Self {
        let Some(Waiting { link, start }) = waiting else {
            return WaitingColumns::default();
        };
        WaitingColumns {
            waits_for: Some(start.name()),
            starts_ms: start.at_ms(),
            join_token: link.map(|link| link.token),
            join_nonce: link.map(|link| link.nonce),
        }
    }
}

/// The columns of an entry other than its key and its hash.
#[derive(Default)]
pub(in crate::store) struct EntryColumns<'a> {
    pub(in crate::store) player: Option<u8>,
    pub(in crate::store) action: Option<&'a str>,
    pub(in crate::store) roll: Option<&'a str>,
    pub(in crate::store) ending: Option<&'static str>,
    pub(in crate::store) takeback: Option<u32>,
    pub(in crate::store) entropy: Option<&'a str>,
    pub(in crate::store) at_ms: i64,
}

impl<'a> EntryColumns<'a> {
    pub(in crate::store) fn from_entry(entry: &'a StoredEntry) -> Self {
        match entry {
            StoredEntry::Ply(row) | StoredEntry::FinalPly(row) => EntryColumns {
                action: Some(&row.action),
                roll: Some(&row.roll),
                ..EntryColumns::for_player(row.player, row.at_ms)
            },
            StoredEntry::Takeback(row) => EntryColumns {
                takeback: Some(row.to),
                ..EntryColumns::for_player(row.player, row.at_ms)
            },
            StoredEntry::Contribution(row) => EntryColumns {
                entropy: Some(&row.text),
                ..EntryColumns::for_player(row.player, row.at_ms)
            },
            StoredEntry::Ending(row) => EntryColumns {
                player: row.ending.player().map(Player::number),
                ending: Some(row.ending.name()),
                at_ms: row.at_ms,
                ..EntryColumns::default()
            },
        }
    }

    /// The columns of an entry by a player. Only plies have an action and a roll.
    fn for_player(player: u8, at_ms: i64) -> Self {
        EntryColumns {
            player: Some(player),
            action: Some(""),
            roll: Some(""),
            at_ms,
            ..EntryColumns::default()
        }
    }
}

/// The time at which this entry finishes the game, if it does.
pub(in crate::store) fn finished_ms(entry: &StoredEntry) -> Option<i64> {
    match entry {
        StoredEntry::Ply(_) | StoredEntry::Takeback(_) | StoredEntry::Contribution(_) => None,
        StoredEntry::FinalPly(ply) => Some(ply.at_ms),
        StoredEntry::Ending(row) => Some(row.at_ms),
    }
}
