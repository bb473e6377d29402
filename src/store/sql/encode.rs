//! From what an archive keeps to the columns of its tables, which SQLite and PostgreSQL share. What reads them
//! back is [`super::decode`].

use std::borrow::Cow;

use crate::game::Player;
use crate::seats::{Invitation, Seat, SeatCredentials, SeatOccupant, Seats};
use crate::secret::{Nonce, SecretHash};
use crate::store::StoredEntry;
use crate::store::hash_chain::ChainHash;

/// The columns of a seat that tell who sits there.
#[derive(Default)]
pub(in crate::store) struct SeatColumns<'a> {
    pub(in crate::store) sitter: &'static str,
    pub(in crate::store) level: Option<Cow<'a, str>>,
    pub(in crate::store) browser: Option<SecretHash>,
    pub(in crate::store) token: Option<SecretHash>,
    pub(in crate::store) invite: Option<SecretHash>,
    pub(in crate::store) joined: Option<SecretHash>,
    pub(in crate::store) nonce: Option<Nonce>,
}

impl<'a> SeatColumns<'a> {
    pub(in crate::store) fn of(sitter: &'a SeatOccupant) -> Self {
        match sitter {
            SeatOccupant::Open { invitation } => SeatColumns {
                sitter: "open",
                invite: invitation.as_ref().map(Invitation::token).copied(),
                nonce: match invitation {
                    Some(Invitation::Derived(link)) => Some(link.nonce),
                    Some(Invitation::Told(_) | Invitation::Program { .. }) | None => None,
                },
                ..SeatColumns::default()
            },
            SeatOccupant::Person { .. } | SeatOccupant::Program { .. } => SeatColumns {
                sitter: "human",
                ..SeatColumns::of_keys(sitter.keys())
            },
            SeatOccupant::Level { level, left } => SeatColumns {
                sitter: "level",
                level: Some(level.name()),
                ..SeatColumns::of_keys(*left)
            },
        }
    }

    fn of_keys(keys: Option<SeatCredentials>) -> Self {
        match keys {
            None => SeatColumns::default(),
            Some(SeatCredentials::Person(keys)) => {
                let back = keys.back;
                SeatColumns {
                    browser: Some(keys.browser),
                    token: back.map(|link| link.token),
                    joined: keys.joined,
                    nonce: back.map(|link| link.nonce),
                    ..SeatColumns::default()
                }
            }
            Some(SeatCredentials::Program(keys)) => SeatColumns {
                browser: keys.browser,
                token: Some(keys.token),
                joined: keys.joined,
                ..SeatColumns::default()
            },
        }
    }
}

/// The seal of the seats at this revision.
pub(in crate::store) fn seats_seal(revision: u32, seats: &[Seat]) -> Vec<u8> {
    let seats = seats.to_vec();
    let seal = ChainHash::of_seats(&Seats { revision, seats });
    seal.as_bytes().to_vec()
}

/// What the columns of an entry hold beside its place and its seal.
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
    pub(in crate::store) fn of(entry: &'a StoredEntry) -> Self {
        match entry {
            StoredEntry::Ply(row) | StoredEntry::FinalPly(row) => EntryColumns {
                action: Some(&row.action),
                roll: Some(&row.roll),
                ..EntryColumns::of_player(row.player, row.at_ms)
            },
            StoredEntry::Takeback(row) => EntryColumns {
                takeback: Some(row.to),
                ..EntryColumns::of_player(row.player, row.at_ms)
            },
            StoredEntry::Contribution(row) => EntryColumns {
                entropy: Some(&row.words),
                ..EntryColumns::of_player(row.player, row.at_ms)
            },
            StoredEntry::Ending(row) => EntryColumns {
                player: row.ending.player().map(Player::number),
                ending: Some(row.ending.name()),
                at_ms: row.at_ms,
                ..EntryColumns::default()
            },
        }
    }

    /// An entry of a player; one that is no ply has neither action nor roll.
    fn of_player(player: u8, at_ms: i64) -> Self {
        EntryColumns {
            player: Some(player),
            action: Some(""),
            roll: Some(""),
            at_ms,
            ..EntryColumns::default()
        }
    }
}

/// As of when a game is finished, if this entry ends it.
pub(in crate::store) fn finished_ms(entry: &StoredEntry) -> Option<i64> {
    match entry {
        StoredEntry::Ply(_) | StoredEntry::Takeback(_) | StoredEntry::Contribution(_) => None,
        StoredEntry::FinalPly(ply) => Some(ply.at_ms),
        StoredEntry::Ending(row) => Some(row.at_ms),
    }
}
