//! Decodes the rows of a game; [`super::encode`] is the inverse.

use crate::game::{MAX_PLAYERS, Player};
use crate::provably_fair::{CommittedSeed, Salt};
use crate::record::{Ending, EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::rng::DiceSeed;
use crate::seats::{
    AwaitedStart, DerivedToken, FormerOccupant, Invitation, PersonCredentials, ProgramCredentials,
    Seat, SeatCredentials, SeatLevel, SeatOccupant, Seats, Waiting,
};
use crate::secret::{Nonce, SecretHash};
use crate::store::database::connection::{SqlConnection, SqlRow, params};
use crate::store::database::row::{RowReadError, damaged};
use crate::store::hash_chain::StoredHashes;
use crate::store::id::GameId;
use crate::store::stored_game::{GameHeader, GameOrigin, StoredGame};

pub(in crate::store) struct GameRows {
    game: SqlRow,
    seats: Vec<SqlRow>,
    entries: Vec<SqlRow>,
}

impl GameRows {
    /// Reads the rows of a game; `None` if the id is unknown. The connection must be in a transaction that sees
    /// one snapshot.
    pub(in crate::store) async fn read(
        snapshot: &mut dyn SqlConnection,
        id: &GameId,
    ) -> Result<Option<Self>, RowReadError> {
        let query = "SELECT * FROM game WHERE id = $1";
        let game = snapshot.fetch_all(query, params![id]).await?.pop();
        let query = "SELECT * FROM seat WHERE game = $1 ORDER BY player";
        let seats = snapshot.fetch_all(query, params![id]).await?;
        let query = "SELECT * FROM entry WHERE game = $1 ORDER BY number";
        let entries = snapshot.fetch_all(query, params![id]).await?;
        match game {
            Some(game) => Ok(Some(GameRows {
                game,
                seats,
                entries,
            })),
            None if seats.is_empty() && entries.is_empty() => Ok(None),
            None => Err(damaged("its header is missing")),
        }
    }

    /// A game without its entries.
    pub(in crate::store) fn without_entries(game: SqlRow, seats: Vec<SqlRow>) -> Self {
        GameRows {
            game,
            seats,
            entries: Vec::new(),
        }
    }

    /// Decodes and verifies the game.
    pub(in crate::store) fn to_verified_game(&self) -> Result<StoredGame, RowReadError> {
        let stored = self.decode()?;
        self.stored_hashes()?.verify(&stored).map_err(damaged)?;
        Ok(stored)
    }

    /// Decodes the game without verifying its hashes.
    pub(in crate::store) fn decode(&self) -> Result<StoredGame, RowReadError> {
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut ending = None;
        for (number, row) in (0_u32..).zip(&self.entries) {
            if row.get::<u32>("number")? != number || ending.is_some() {
                return Err(damaged(format!("there is a gap at entry {number}")));
            }
            match parse_entry(row)? {
                DecodedEntry::Entry(row) => entries.push(row),
                DecodedEntry::Ending(row) => ending = Some(row),
            }
        }
        Ok(StoredGame {
            seats: parse_seats(&self.game.get("id")?, &self.game, &self.seats)?,
            header: parse_header(&self.game)?,
            entries,
            ending,
            finished_ms: self.game.get("finished_ms")?,
        })
    }

    fn stored_hashes(&self) -> Result<StoredHashes, RowReadError> {
        let entry_hashes = self.entries.iter().map(|row| row.get("hash"));
        Ok(StoredHashes {
            entries: self.game.get("entries")?,
            chain_head: self.game.get("chain_head")?,
            entry_hashes: entry_hashes.collect::<Result<_, _>>()?,
            seats: self.game.get("seats_hash")?,
        })
    }
}

fn parse_header(row: &SqlRow) -> Result<GameHeader, RowReadError> {
    let rematch_of = match row.get("rematch_of")? {
        Some(of) => Some((of, row.get("rematch_kind")?)),
        None => None,
    };
    Ok(GameHeader {
        id: row.get("id")?,
        game: row.get("game")?,
        start: row.get("start")?,
        dice: parse_dice(row)?,
        pace: row.get("pace")?,
        creator: row.get("creator")?,
        book_of: row.get("book_of")?,
        created_ms: row.get("created_ms")?,
        private: row.get("private")?,
        replace_after_s: row.get("replace_after_s")?,
        rematch_of,
        origin: parse_origin(row)?,
        takebacks: row.get("takebacks")?,
        hints: row.get("hints")?,
        turn_s: row.get("turn_s")?,
    })
}

fn parse_origin(row: &SqlRow) -> Result<Option<GameOrigin>, RowReadError> {
    let daily: Option<_> = row.get("daily")?;
    let played_on_of: Option<_> = row.get("played_on_of")?;
    Ok(match (daily, played_on_of, row.get("uploaded")?) {
        (Some(day), ..) => Some(GameOrigin::Daily { day }),
        (None, Some(of), _) => {
            let ply = row.get("played_on_ply")?;
            Some(GameOrigin::PlayedOn { of, ply })
        }
        (None, None, true) => Some(GameOrigin::Uploaded {
            id: row.get("uploaded_id")?,
            provenance: row.get("provenance")?,
        }),
        (None, None, false) => None,
    })
}

fn parse_dice(row: &SqlRow) -> Result<Option<CommittedSeed>, RowReadError> {
    let Some(seed) = row.get("dice_seed")? else {
        return Ok(None);
    };
    Ok(Some(CommittedSeed {
        seed: DiceSeed::from_bytes(seed),
        salt: Salt::from_bytes(row.get("dice_salt")?),
    }))
}

/// The seats of a game, from its row and those of its seats.
pub(in crate::store) fn parse_seats(
    id: &GameId,
    game: &SqlRow,
    seats: &[SqlRow],
) -> Result<Seats, RowReadError> {
    let seats = (0_u32..).zip(seats);
    let seats = seats.map(|(player, row)| parse_seat(id, player, row));
    Ok(Seats {
        revision: game.get("seats_revision")?,
        seats: seats.collect::<Result<_, _>>()?,
        host: game.get("host")?,
        waiting: parse_waiting(game)?.map(Box::new),
    })
}

fn parse_waiting(game: &SqlRow) -> Result<Option<Waiting>, RowReadError> {
    let Some(waits_for) = game.text("waits_for")? else {
        return Ok(None);
    };
    let start = AwaitedStart::from_name(waits_for, game.get("starts_ms")?);
    let start = start.ok_or_else(|| damaged(format!("a game waits for {waits_for:?}")))?;
    let link = match game.get("join_token")? {
        Some(token) => Some(DerivedToken {
            token,
            nonce: game.get("join_nonce")?,
        }),
        None => None,
    };
    Ok(Some(Waiting { link, start }))
}

fn parse_seat(id: &GameId, player: u32, row: &SqlRow) -> Result<Seat, RowReadError> {
    if row.get::<u32>("player")? != player {
        return Err(damaged(format!("seat {player} is missing")));
    }
    let occupant = parse_occupant(row)?;
    let occupant = occupant.ok_or_else(|| {
        damaged(format!(
            "the columns of seat {player} of game {id} fit no occupant"
        ))
    })?;
    if let SeatOccupant::Level { level, .. } = &occupant
        && let SeatLevel::Unknown(name) = level
    {
        let plays = level.effective_level();
        tracing::warn!(%id, player, name, %plays, "a seat has a level that is not known");
    }
    Ok(Seat {
        occupant,
        since_ms: row.get("since_ms")?,
    })
}

/// The occupant of a seat, or `None` if the columns are inconsistent.
fn parse_occupant(row: &SqlRow) -> Result<Option<SeatOccupant>, RowReadError> {
    let name: Option<String> = row.get("name")?;
    let invitation = row.get("invitation")?;
    let columns = CredentialColumns {
        browser: row.get("browser")?,
        token: row.get("token")?,
        joined: row.get("joined_by")?,
        nonce: row.get("nonce")?,
    };
    Ok(match row.get::<String>("occupant")?.as_str() {
        "open" => {
            let invitation = match (columns.invitation(invitation), name) {
                (invitation, None) => invitation,
                // Only an invited program has a name before it sits down.
                (Some(Some(Invitation::Random(token))), Some(name)) => {
                    Some(Some(Invitation::Program { token, name }))
                }
                _ => None,
            };
            invitation.map(|invitation| SeatOccupant::Open { invitation })
        }
        "human" if invitation.is_none() => {
            columns.credentials().map(|credentials| match credentials {
                SeatCredentials::Person(credentials) => SeatOccupant::Person { credentials, name },
                SeatCredentials::Program(credentials) => {
                    SeatOccupant::Program { credentials, name }
                }
            })
        }
        "level" if invitation.is_none() => {
            let level = SeatLevel::from(row.get::<String>("level")?);
            match (columns, name) {
                (CredentialColumns::NONE, None) => Some(SeatOccupant::Level {
                    level,
                    replaced: None,
                }),
                (columns, name) => columns
                    .credentials()
                    .map(|credentials| SeatOccupant::Level {
                        level,
                        replaced: Some(Box::new(FormerOccupant { credentials, name })),
                    }),
            }
        }
        "human" | "level" => None,
        other => return Err(damaged(format!("unknown occupant {other:?}"))),
    })
}

/// The credential columns of a seat, without the invitation.
#[derive(PartialEq, Eq)]
struct CredentialColumns {
    browser: Option<SecretHash>,
    token: Option<SecretHash>,
    joined: Option<SecretHash>,
    nonce: Option<Nonce>,
}

impl CredentialColumns {
    const NONE: CredentialColumns = CredentialColumns {
        browser: None,
        token: None,
        joined: None,
        nonce: None,
    };

    /// The credentials of an occupied seat: a token without a nonce belongs to a program.
    fn credentials(self) -> Option<SeatCredentials> {
        let CredentialColumns {
            browser,
            token,
            joined,
            nonce,
        } = self;
        let person = |browser, back| {
            Some(SeatCredentials::Person(PersonCredentials {
                browser,
                return_link: back,
                joined_by: joined,
            }))
        };
        match (browser, token, nonce) {
            (Some(browser), None, None) => person(browser, None),
            (Some(browser), Some(token), Some(nonce)) => {
                person(browser, Some(DerivedToken { token, nonce }))
            }
            (browser, Some(token), None) => Some(SeatCredentials::Program(ProgramCredentials {
                token,
                browser,
                joined_by: joined,
            })),
            _ => None,
        }
    }

    /// The invitation to an open seat, which has no other credentials.
    fn invitation(self, token: Option<SecretHash>) -> Option<Option<Invitation>> {
        let CredentialColumns {
            browser: None,
            token: None,
            joined: None,
            nonce: None,
        } = self
        else {
            return None;
        };
        Some(token.map(Invitation::Random))
    }
}

enum DecodedEntry {
    Entry(EntryRow),
    Ending(EndingRow),
}

fn parse_entry(row: &SqlRow) -> Result<DecodedEntry, RowReadError> {
    let at_ms = row.get("at_ms")?;
    if let Some(kind) = row.text("ending")? {
        let ending = parse_ending(kind, row.get("player")?)?;
        return Ok(DecodedEntry::Ending(EndingRow { ending, at_ms }));
    }
    let player = row.get("player")?;
    Ok(DecodedEntry::Entry(
        match (row.get("takeback")?, row.get("entropy")?) {
            (None, None) => EntryRow::Ply(PlyRow {
                player,
                action: row.get("action")?,
                roll: row.get("roll")?,
                at_ms,
            }),
            (Some(to), None) => EntryRow::Takeback(TakebackRow { player, to, at_ms }),
            (None, Some(entropy)) => EntryRow::Contribution(EntropyContributionRow {
                player,
                text: entropy,
                at_ms,
            }),
            (Some(_), Some(_)) => return Err(damaged("an entry is of two kinds")),
        },
    ))
}

fn parse_ending(kind: &str, player: Option<u8>) -> Result<Ending, RowReadError> {
    let unknown = || damaged(format!("unknown ending {kind:?} of player {player:?}"));
    let resigner = match player {
        Some(number) => Some(Player::try_new(number, MAX_PLAYERS as u8).ok_or_else(unknown)?),
        None => None,
    };
    Ending::from_name(kind, resigner).ok_or_else(unknown)
}
