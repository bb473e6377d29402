//! Decodes rows into values.

use super::connection::{SqlConnection, SqlRow};
use super::queries::{ENTRIES, GAME, SEATS};
use crate::day::Day;
use crate::game::{MAX_PLAYERS, Player};
use crate::provably_fair::{CommittedSeed, Salt};
use crate::record::{Ending, EndingRow, EntropyContributionRow, EntryRow, PlyRow, TakebackRow};
use crate::rng::DiceSeed;
use crate::seats::{
    ComputerPace, DerivedToken, Invitation, PersonCredentials, ProgramCredentials, RematchKind,
    Seat, SeatCredentials, SeatLevel, SeatOccupant, Seats,
};
use crate::secret::{Nonce, SecretHash};
use crate::store::hash_chain::{ChainHash, StoredHashes};
use crate::store::{
    DailyDeal, DailyScore, GameHeader, GameId, GameOrigin, GamePage, GameVersion, ListedTable,
    NetworkKey, OpenTable, PageCursor, PuzzleAnswer, RegisteredProgram, StoredCard, StoredFeed,
    StoredGame, StoredPairingCode,
};

/// A nullable integer column.
fn optional_number<N: TryFrom<i64>>(row: &SqlRow, column: &str) -> Result<Option<N>, RowReadError> {
    let stored = row.integer(column)?;
    let number = stored.map(N::try_from).transpose();
    number.map_err(|_| damaged(format!("{column} is out of range")))
}

/// An integer column that must not be null.
pub(in crate::store) fn required_number<N: TryFrom<i64>>(
    row: &SqlRow,
    column: &str,
) -> Result<N, RowReadError> {
    optional_number(row, column)?.ok_or_else(|| missing(column))
}

fn flag(row: &SqlRow, column: &str) -> Result<bool, RowReadError> {
    Ok(required_number::<i64>(row, column)? != 0)
}

/// A text column that must not be null.
pub(in crate::store) fn required_text<'r>(
    row: &'r SqlRow,
    column: &str,
) -> Result<&'r str, RowReadError> {
    row.text(column)?.ok_or_else(|| missing(column))
}

/// Why a row was not decoded.
#[derive(Debug, thiserror::Error)]
pub(in crate::store) enum RowReadError {
    /// The query failed, or a column has the wrong type.
    #[error(transparent)]
    Storage(#[from] sqlx::Error),
    /// The rows have contents that no release writes.
    #[error("{0}")]
    Damaged(String),
}

/// A game's row with its card, and the rows of its seats.
pub(in crate::store) fn parse_card(
    game: SqlRow,
    seats: Vec<SqlRow>,
) -> Result<StoredCard, RowReadError> {
    let id = parse_game_id(&game, "id").ok_or_else(|| missing("id"))?;
    let (entries, card) = (required_number(&game, "entries")?, game.text("card")?);
    let card = card.map(str::to_owned);
    let rows = GameRows {
        game,
        seats,
        entries: Vec::new(),
    };
    let StoredGame { header, seats, .. } = rows.to_unverified_game(&id)?;
    Ok(StoredCard {
        header,
        seats,
        entries,
        card,
    })
}

fn missing(column: &str) -> RowReadError {
    damaged(format!("{column} is missing"))
}

pub(super) fn damaged(what: impl ToString) -> RowReadError {
    RowReadError::Damaged(what.to_string())
}

/// A page of games with the cursor of its last row.
pub(in crate::store) fn parse_page(rows: &[SqlRow]) -> Result<GamePage, RowReadError> {
    let cursor = |row: &SqlRow| {
        Ok::<_, RowReadError>(PageCursor {
            active_ms: required_number(row, "active_ms")?,
            serial: required_number(row, "serial")?,
        })
    };
    Ok(GamePage {
        games: parse_game_ids(rows, "id"),
        next: rows.last().map(cursor).transpose()?,
    })
}

/// Parses a column of game ids; skips damaged ones so that they do not hide other games.
pub(in crate::store) fn parse_game_ids(rows: &[SqlRow], column: &str) -> Vec<GameId> {
    let ids = rows.iter().map(|row| parse_game_id(row, column));
    ids.flatten().collect()
}

pub(in crate::store) fn parse_game_id(row: &SqlRow, column: &str) -> Option<GameId> {
    row.text(column).ok()??.parse().ok()
}

/// The version of a game; `None` if the row is damaged.
pub(in crate::store) fn parse_version(row: &SqlRow) -> Option<GameVersion> {
    Some(GameVersion {
        id: parse_game_id(row, "id")?,
        entries: required_number(row, "entries").ok()?,
        revision: required_number(row, "seats_revision").ok()?,
        rematch: parse_game_id(row, "rematch"),
    })
}

pub(in crate::store) fn parse_counts(rows: &[SqlRow]) -> Result<Vec<(String, u64)>, RowReadError> {
    let counts = rows.iter().map(|row| {
        let count: i64 = required_number(row, "count")?;
        Ok((required_text(row, "name")?.to_owned(), count.unsigned_abs()))
    });
    counts.collect()
}

/// `None` if the row is damaged: the program then counts as unknown.
pub(in crate::store) fn parse_program(
    row: &SqlRow,
) -> Result<Option<RegisteredProgram>, RowReadError> {
    let id = row.text("id")?.and_then(|id| id.parse().ok());
    let token = row.bytes("token")?;
    let token = token.and_then(|token| <[u8; 32]>::try_from(token).ok());
    let (Some(id), Some(token)) = (id, token) else {
        return Ok(None);
    };
    let (Some(name), Some(game)) = (row.text("name")?, row.text("plays")?) else {
        return Ok(None);
    };
    Ok(Some(RegisteredProgram {
        id,
        name: name.to_owned(),
        token: SecretHash::from_bytes(token),
        game: game.to_owned(),
        created_ms: required_number(row, "created_ms")?,
    }))
}

pub(in crate::store) fn parse_puzzle_answer(row: &SqlRow) -> Result<PuzzleAnswer, RowReadError> {
    Ok(PuzzleAnswer {
        browser: parse_hash(row, "browser")?.ok_or_else(|| missing("browser"))?,
        puzzle: required_text(row, "puzzle")?.to_owned(),
        is_right: required_number::<u8>(row, "is_right")? == 1,
        at_ms: required_number(row, "at_ms")?,
        // Databases of earlier releases lack this column.
        is_counted: !row.has("is_counted") || required_number::<u8>(row, "is_counted")? == 1,
    })
}

pub(in crate::store) fn parse_network_key(row: &SqlRow) -> Result<NetworkKey, RowReadError> {
    Ok(NetworkKey {
        day: parse_day(row, "day")?,
        key: bytes(row.bytes("key")?.ok_or_else(|| missing("key"))?)?,
    })
}

pub(in crate::store) fn parse_feed(row: &SqlRow) -> Result<StoredFeed, RowReadError> {
    Ok(StoredFeed {
        browser: parse_hash(row, "browser")?.ok_or_else(|| missing("browser"))?,
        token: parse_hash(row, "token")?.ok_or_else(|| missing("token"))?,
        nonce: parse_nonce(row)?.ok_or_else(|| missing("nonce"))?,
        language: required_text(row, "language")?.to_owned(),
        created_ms: required_number(row, "created_ms")?,
        // Databases of earlier releases lack this column.
        fetched_ms: match row.has("fetched_ms") {
            true => required_number(row, "fetched_ms")?,
            false => required_number(row, "created_ms")?,
        },
    })
}

pub(in crate::store) fn parse_pairing_code(
    row: &SqlRow,
) -> Result<StoredPairingCode, RowReadError> {
    Ok(StoredPairingCode {
        browser: parse_hash(row, "browser")?.ok_or_else(|| missing("browser"))?,
        code: parse_hash(row, "code")?.ok_or_else(|| missing("code"))?,
        secret: row
            .bytes("secret")?
            .ok_or_else(|| missing("secret"))?
            .to_vec(),
        until_ms: required_number(row, "until_ms")?,
    })
}

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
        let game = snapshot.fetch_all(GAME, &[id.into()]).await?.pop();
        let seats = snapshot.fetch_all(SEATS, &[id.into()]).await?;
        let entries = snapshot.fetch_all(ENTRIES, &[id.into()]).await?;
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

    /// Decodes and verifies the game.
    pub(in crate::store) fn to_verified_game(
        &self,
        id: &GameId,
    ) -> Result<StoredGame, RowReadError> {
        let stored = self.to_unverified_game(id)?;
        self.stored_hashes()?.verify(&stored).map_err(damaged)?;
        Ok(stored)
    }

    /// Decodes the game without verifying its hashes.
    pub(in crate::store) fn to_unverified_game(
        &self,
        id: &GameId,
    ) -> Result<StoredGame, RowReadError> {
        let mut entries = Vec::with_capacity(self.entries.len());
        let mut ending = None;
        for (number, row) in (0_u32..).zip(&self.entries) {
            if required_number::<u32>(row, "number")? != number || ending.is_some() {
                return Err(damaged(format!("there is a gap at entry {number}")));
            }
            match parse_entry(row)? {
                DecodedEntry::Entry(row) => entries.push(row),
                DecodedEntry::Ending(row) => ending = Some(row),
            }
        }
        Ok(StoredGame {
            header: parse_header(id, &self.game)?,
            seats: parse_seats(id, &self.game, &self.seats)?,
            entries,
            ending,
            finished_ms: self.game.integer("finished_ms")?,
        })
    }

    fn stored_hashes(&self) -> Result<StoredHashes, RowReadError> {
        let entry_hashes = self.entries.iter().map(|row| parse_chain_hash(row, "seal"));
        Ok(StoredHashes {
            entries: required_number(&self.game, "entries")?,
            chain_head: parse_chain_hash(&self.game, "tip")?,
            entry_hashes: entry_hashes.collect::<Result<_, _>>()?,
            seats: parse_chain_hash(&self.game, "seats_seal")?,
        })
    }
}

pub(in crate::store) fn parse_chain_hash(
    row: &SqlRow,
    column: &str,
) -> Result<ChainHash, RowReadError> {
    let stored = row.bytes(column)?;
    let hash = stored.and_then(|stored| stored.try_into().ok());
    let hash = hash.ok_or_else(|| missing(column))?;
    Ok(ChainHash::from_bytes(hash))
}

fn parse_header(id: &GameId, row: &SqlRow) -> Result<GameHeader, RowReadError> {
    Ok(GameHeader {
        id: id.clone(),
        game: required_text(row, "game")?.to_owned(),
        start: required_text(row, "start")?.to_owned(),
        dice: parse_dice(row)?,
        pace: parse_pace(required_text(row, "pace")?)?,
        creator: parse_hash(row, "creator")?,
        book_of: parse_hash(row, "book_of")?,
        created_ms: required_number(row, "created_ms")?,
        private: flag(row, "private")?,
        replace_after_s: optional_number(row, "replace_after_s")?,
        rematch_of: parse_rematch(row)?,
        origin: parse_origin(row)?,
        takebacks: flag(row, "takebacks")?,
        hints: row.has("hints") && flag(row, "hints")?,
        turn_s: match row.has("turn_s") {
            true => optional_number(row, "turn_s")?,
            false => None,
        },
    })
}

pub(in crate::store) fn parse_day(row: &SqlRow, column: &str) -> Result<Day, RowReadError> {
    let number = required_number(row, column)?;
    Day::from_number(number).ok_or_else(|| damaged(format!("{column} is no day: {number}")))
}

pub(in crate::store) fn parse_daily_deal(row: &SqlRow) -> Result<DailyDeal, RowReadError> {
    let secret = |column: &str| bytes(row.bytes(column)?.ok_or_else(|| missing(column))?);
    Ok(DailyDeal {
        day: parse_day(row, "day")?,
        secret: CommittedSeed {
            seed: DiceSeed::from_bytes(secret("seed")?),
            salt: Salt::from_bytes(secret("salt")?),
        },
        committed_ms: required_number(row, "committed_ms")?,
    })
}

pub(in crate::store) fn parse_open_table(row: &SqlRow) -> Result<OpenTable, RowReadError> {
    Ok(OpenTable {
        game: required_text(row, "game")?.parse().map_err(damaged)?,
        opened_ms: required_number(row, "opened_ms")?,
        seen_ms: required_number(row, "seen_ms")?,
        network: row.integer("network")?,
    })
}

pub(in crate::store) fn parse_listed_table(row: &SqlRow) -> Result<ListedTable, RowReadError> {
    Ok(ListedTable {
        table: parse_open_table(row)?,
        creator: parse_hash(row, "creator")?,
    })
}

pub(in crate::store) fn parse_daily_score(row: &SqlRow) -> Result<DailyScore, RowReadError> {
    Ok(DailyScore {
        browser: parse_hash(row, "browser")?.ok_or_else(|| missing("browser"))?,
        day: parse_day(row, "day")?,
        game: required_text(row, "game")?.parse().map_err(damaged)?,
        hexes: required_number(row, "hexes")?,
        is_won: required_number::<u8>(row, "is_won")? == 1,
        // Databases of earlier releases lack this column.
        is_counted: !row.has("is_counted") || flag(row, "is_counted")?,
    })
}

fn parse_origin(row: &SqlRow) -> Result<Option<GameOrigin>, RowReadError> {
    // Databases of earlier releases lack this column, too.
    if row.has("daily") && row.integer("daily")?.is_some() {
        let day = parse_day(row, "daily")?;
        return Ok(Some(GameOrigin::Daily { day }));
    }
    // Databases of earlier releases lack these columns.
    if !row.has("played_on_of") {
        return Ok(None);
    }
    let Some(of) = row.text("played_on_of")? else {
        let uploaded = flag(row, "uploaded")?;
        let text = |column: &str| match row.has(column) {
            true => row.text(column),
            false => Ok(None),
        };
        let id = text("uploaded_as")?.map(str::parse).transpose();
        let id = id.map_err(damaged)?;
        let provenance = text("told")?.map(str::to_owned);
        return Ok(uploaded.then_some(GameOrigin::Uploaded { id, provenance }));
    };
    let of = of.parse().map_err(damaged)?;
    let ply = required_number(row, "played_on_ply")?;
    Ok(Some(GameOrigin::PlayedOn { of, ply }))
}

/// The stored format of the dice.
pub(super) const DICE_FORMAT: u16 = 3;

fn parse_dice(row: &SqlRow) -> Result<Option<CommittedSeed>, RowReadError> {
    let format = required_number::<u16>(row, "format")?;
    if format != DICE_FORMAT {
        return Err(damaged(format!("format {format} is not known")));
    }
    let seed = bytes(
        row.bytes("dice_seed")?
            .ok_or_else(|| missing("dice_seed"))?,
    )?;
    let Some(salt) = row.bytes("dice_salt")? else {
        return Ok(None);
    };
    Ok(Some(CommittedSeed {
        seed: DiceSeed::from_bytes(seed),
        salt: Salt::from_bytes(bytes(salt)?),
    }))
}

fn parse_pace(text: &str) -> Result<ComputerPace, RowReadError> {
    text.parse()
        .map_err(|()| damaged(format!("unknown pace {text:?}")))
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
        revision: required_number(game, "seats_revision")?,
        seats: seats.collect::<Result<_, _>>()?,
        // Databases of earlier releases lack this column.
        host: match game.has("host") {
            true => parse_hash(game, "host")?,
            false => None,
        },
    })
}

fn parse_seat(id: &GameId, player: u32, row: &SqlRow) -> Result<Seat, RowReadError> {
    if required_number::<u32>(row, "player")? != player {
        return Err(damaged(format!("seat {player} is missing")));
    }
    let occupant = parse_occupant(row)?;
    let occupant = occupant.ok_or_else(|| {
        damaged(format!(
            "the columns of seat {player} of game {id} fit no sitter"
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
        since_ms: row.integer("since_ms")?,
    })
}

/// The occupant of a seat, or `None` if the columns are inconsistent.
fn parse_occupant(row: &SqlRow) -> Result<Option<SeatOccupant>, RowReadError> {
    let name = row.text("name")?.map(str::to_owned);
    let invite = parse_hash(row, "invite")?;
    let keys = CredentialColumns {
        browser: parse_hash(row, "browser")?,
        token: parse_hash(row, "token")?,
        joined: parse_hash(row, "joined")?,
        nonce: parse_nonce(row)?,
    };
    Ok(match required_text(row, "sitter")? {
        "open" => {
            let invitation = match (keys.invitation(invite), name) {
                (invitation, None) => invitation,
                // Only an invited program has a name before it sits down.
                (Some(Some(Invitation::Random(token))), Some(name)) => {
                    Some(Some(Invitation::Program { token, name }))
                }
                _ => None,
            };
            invitation.map(|invitation| SeatOccupant::Open { invitation })
        }
        "human" if invite.is_none() => keys.credentials().map(|keys| match keys {
            SeatCredentials::Person(keys) => SeatOccupant::Person {
                credentials: keys,
                name,
            },
            SeatCredentials::Program(keys) => SeatOccupant::Program {
                credentials: keys,
                name,
            },
        }),
        "level" if invite.is_none() && name.is_none() => {
            let level = SeatLevel::from(required_text(row, "level")?.to_owned());
            match keys {
                CredentialColumns::NONE => Some(SeatOccupant::Level {
                    level,
                    replaced: None,
                }),
                keys => keys.credentials().map(|keys| SeatOccupant::Level {
                    level,
                    replaced: Some(keys),
                }),
            }
        }
        "human" | "level" => None,
        other => return Err(damaged(format!("unknown sitter {other:?}"))),
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

    /// The invitation to an open seat, which has no other credentials. A nonce marks a derived token.
    fn invitation(self, invite: Option<SecretHash>) -> Option<Option<Invitation>> {
        let CredentialColumns {
            browser: None,
            token: None,
            joined: None,
            nonce,
        } = self
        else {
            return None;
        };
        match (invite, nonce) {
            (None, None) => Some(None),
            (Some(token), None) => Some(Some(Invitation::Random(token))),
            (Some(token), Some(nonce)) => {
                Some(Some(Invitation::Derived(DerivedToken { token, nonce })))
            }
            (None, Some(_)) => None,
        }
    }
}

fn parse_nonce(row: &SqlRow) -> Result<Option<Nonce>, RowReadError> {
    let nonce = row.bytes("nonce")?.map(<[u8; 16]>::try_from).transpose();
    Ok(nonce.map_err(damaged)?.map(Nonce::from_bytes))
}

pub(in crate::store) fn parse_rematch(
    row: &SqlRow,
) -> Result<Option<(GameId, RematchKind)>, RowReadError> {
    let Some(of) = row.text("rematch_of")? else {
        return Ok(None);
    };
    let kind = parse_rematch_kind(required_text(row, "rematch_kind")?)?;
    Ok(Some((of.parse().map_err(damaged)?, kind)))
}

pub(in crate::store) fn parse_rematch_kind(text: &str) -> Result<RematchKind, RowReadError> {
    text.parse()
        .map_err(|()| damaged(format!("unknown rematch {text:?}")))
}

enum DecodedEntry {
    Entry(EntryRow),
    Ending(EndingRow),
}

fn parse_entry(row: &SqlRow) -> Result<DecodedEntry, RowReadError> {
    let at_ms = required_number(row, "at_ms")?;
    if let Some(kind) = row.text("ending")? {
        let ending = parse_ending(kind, optional_number(row, "player")?)?;
        return Ok(DecodedEntry::Ending(EndingRow { ending, at_ms }));
    }
    let player = required_number(row, "player")?;
    let entropy = row.text("entropy")?.map(str::to_owned);
    let other = (optional_number(row, "takeback")?, entropy);
    Ok(DecodedEntry::Entry(match other {
        (None, None) => EntryRow::Ply(PlyRow {
            player,
            action: required_text(row, "action")?.to_owned(),
            roll: required_text(row, "roll")?.to_owned(),
            at_ms,
        }),
        (Some(to), None) => EntryRow::Takeback(TakebackRow { player, to, at_ms }),
        (None, Some(entropy)) => EntryRow::Contribution(EntropyContributionRow {
            player,
            text: entropy,
            at_ms,
        }),
        (Some(_), Some(_)) => return Err(damaged("an entry is of two kinds")),
    }))
}

fn parse_ending(kind: &str, player: Option<u8>) -> Result<Ending, RowReadError> {
    let unknown = || damaged(format!("unknown ending {kind:?} of player {player:?}"));
    let resigner = match player {
        Some(number) => Some(Player::try_new(number, MAX_PLAYERS as u8).ok_or_else(unknown)?),
        None => None,
    };
    Ending::from_name(kind, resigner).ok_or_else(unknown)
}

pub(in crate::store) fn parse_hash(
    row: &SqlRow,
    column: &str,
) -> Result<Option<SecretHash>, RowReadError> {
    row.bytes(column)?
        .map(|stored| bytes(stored).map(SecretHash::from_bytes))
        .transpose()
}

fn bytes(stored: &[u8]) -> Result<[u8; 32], RowReadError> {
    stored.try_into().map_err(damaged)
}
