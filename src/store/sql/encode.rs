//! From what an archive keeps to the columns of its tables, which SQLite and PostgreSQL share. What reads them
//! back is [`super::decode`].

use std::borrow::Cow;

use crate::game::Player;
use crate::seats::{Invitation, Keys, Seat, Seats, Sitter};
use crate::secret::{Nonce, SecretHash};
use crate::store::Entry;
use crate::store::hash_chain::Seal;

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
    pub(in crate::store) fn of(sitter: &'a Sitter) -> Self {
        match sitter {
            Sitter::Open { invitation } => SeatColumns {
                sitter: "open",
                invite: invitation.as_ref().map(Invitation::token).copied(),
                nonce: match invitation {
                    Some(Invitation::Derived(link)) => Some(link.nonce),
                    Some(Invitation::Told(_) | Invitation::Program { .. }) | None => None,
                },
                ..SeatColumns::default()
            },
            Sitter::Person { .. } | Sitter::Program { .. } => SeatColumns {
                sitter: "human",
                ..SeatColumns::of_keys(sitter.keys())
            },
            Sitter::Level { level, left } => SeatColumns {
                sitter: "level",
                level: Some(level.name()),
                ..SeatColumns::of_keys(*left)
            },
        }
    }

    fn of_keys(keys: Option<Keys>) -> Self {
        match keys {
            None => SeatColumns::default(),
            Some(Keys::Person(keys)) => {
                let back = keys.back;
                SeatColumns {
                    browser: Some(keys.browser),
                    token: back.map(|link| link.token),
                    joined: keys.joined,
                    nonce: back.map(|link| link.nonce),
                    ..SeatColumns::default()
                }
            }
            Some(Keys::Program(keys)) => SeatColumns {
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
    let seal = Seal::of_seats(&Seats { revision, seats });
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
    pub(in crate::store) fn of(entry: &'a Entry) -> Self {
        match entry {
            Entry::Ply(row) | Entry::FinalPly(row) => EntryColumns {
                action: Some(&row.action),
                roll: Some(&row.roll),
                ..EntryColumns::of_player(row.player, row.at_ms)
            },
            Entry::Takeback(row) => EntryColumns {
                takeback: Some(row.to),
                ..EntryColumns::of_player(row.player, row.at_ms)
            },
            Entry::Contribution(row) => EntryColumns {
                entropy: Some(&row.words),
                ..EntryColumns::of_player(row.player, row.at_ms)
            },
            Entry::Ending(row) => EntryColumns {
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
pub(in crate::store) fn finished_ms(entry: &Entry) -> Option<i64> {
    match entry {
        Entry::Ply(_) | Entry::Takeback(_) | Entry::Contribution(_) => None,
        Entry::FinalPly(ply) => Some(ply.at_ms),
        Entry::Ending(row) => Some(row.at_ms),
    }
}
