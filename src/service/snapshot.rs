//! Snapshots: a game at one moment, which readers hold while the game goes on.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Credentials, ServiceError};
use crate::game::Player;
use crate::game_adapters::json::parser::ParsedRecord;
use crate::game_adapters::json::{Provenance, RecordMetadata, RecordPlayerJson, RecordPlayerKind};
use crate::game_adapters::{ActionError, LiveGameRef};
use crate::level::LevelSpec;
use crate::provably_fair::{DiceDisclosure, GameDice, Protocol};
use crate::rng::DiceSeed;
use crate::seats::{ComputerPace, Seat, SeatOccupant, Seats};
use crate::secret::{SecretHash, random_bytes};
use crate::store::{GameHeader, GameId, GameOrigin};

/// What tells two snapshots of one game apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SnapshotVersion {
    ply: u32,
    revision: u32,
    ended: bool,
}

impl fmt::Display for SnapshotVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let SnapshotVersion {
            ply,
            revision,
            ended,
        } = self;
        write!(f, "{ply}.{revision}.{}", u8::from(*ended))
    }
}

/// A game at one moment. It never changes; a new one is published after each change of the game.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The public id.
    pub id: GameId,
    /// The game itself.
    pub live: LiveGameRef,
    /// Who sits where.
    pub seats: Arc<Seats>,
    /// Whether computers move by themselves.
    pub pace: ComputerPace,
    /// When it was created, in milliseconds since 1970.
    pub created_ms: i64,
    /// The browser that made it.
    pub creator: Option<SecretHash>,
    /// Whether only its players see it, as all games of the book's page.
    pub private: bool,
    /// After so many seconds without a ply the others may let a computer play.
    pub replace_after_s: Option<u32>,
    /// Whether plies may be taken back.
    pub takebacks: bool,
    /// Whether people get hints although other people play.
    pub hints: bool,
    /// Nobody looks at this game of computers alone, so it rests until somebody does.
    pub paused: bool,
    /// Where it comes from, unless it was set up anew.
    pub origin: Option<Arc<GameOrigin>>,
    /// Who played it elsewhere, as the record that was brought here says.
    pub told: Option<Arc<Provenance>>,
    /// What everybody may see of the dice.
    pub dice: DiceDisclosure,
    /// The newest rematch that was begun while this game is in memory; the archive knows all of them.
    pub rematch: Option<GameId>,
}

impl Snapshot {
    /// A game with its header.
    pub(super) fn of(header: &GameHeader, seats: Seats, live: LiveGameRef) -> Self {
        Snapshot {
            id: header.id.clone(),
            live,
            seats: Arc::new(seats),
            pace: header.pace,
            created_ms: header.created_ms,
            creator: header.creator,
            private: header.private || header.book_of.is_some(),
            replace_after_s: header.replace_after_s,
            takebacks: header.takebacks,
            hints: header.hints,
            paused: false,
            origin: header.origin.clone().map(Arc::new),
            told: told(header).map(Arc::new),
            dice: DiceDisclosure::of(&header.dice),
            rematch: None,
        }
    }

    /// The whole record with what may be told of its dice; seed and salt when the game is over.
    #[must_use]
    pub fn record_json(&self) -> Box<RawValue> {
        self.live.record_json(&self.about())
    }

    /// The same in notation.
    #[must_use]
    pub fn record_text(&self) -> String {
        let (live, about) = (self.live.clone(), self.about());
        ParsedRecord { live, about }.notation()
    }

    fn about(&self) -> RecordMetadata {
        RecordMetadata {
            provenance: match (self.is_uploaded(), &self.told) {
                (true, Some(told)) => Provenance::clone(told),
                (true, None) => Provenance::UNKNOWN,
                (false, _) => Provenance {
                    seats: self.sat(),
                    ..Provenance::UNKNOWN
                },
            },
            id: Some(self.rolled_as().to_string()),
            dice: self.dice.clone(),
        }
    }

    /// Who sits at this table, as records say it.
    fn sat(&self) -> Vec<RecordPlayerJson> {
        let sat = |(player, seat): (u8, &Seat)| {
            let kind = match &seat.sitter {
                // Who is asked to play has not played.
                SeatOccupant::Open { .. } => {
                    return RecordPlayerJson::new(player, RecordPlayerKind::Open);
                }
                SeatOccupant::Person { .. } => RecordPlayerKind::Human,
                SeatOccupant::Program { .. } => RecordPlayerKind::Program,
                SeatOccupant::Level { level, .. } => {
                    return RecordPlayerJson::level(player, level.plays());
                }
            };
            RecordPlayerJson {
                name: seat.sitter.name().map(str::to_owned),
                ..RecordPlayerJson::new(player, kind)
            }
        };
        (0..).zip(&self.seats.seats).map(sat).collect()
    }

    /// Who played as this player elsewhere, where the record that was brought here says so.
    #[must_use]
    pub fn told_of(&self, player: Player) -> Option<&RecordPlayerJson> {
        self.told.as_ref()?.seats.get(usize::from(player.number()))
    }

    /// The seats that this claim opens, in order of play.
    #[must_use]
    pub fn seats_of(&self, claim: &Credentials) -> Vec<Player> {
        Player::all(self.live.players())
            .zip(&self.seats.seats)
            .filter(|(_, seat)| seat.sitter.is_human() && claim.opens(seat.sitter.keys()))
            .map(|(player, _)| player)
            .collect()
    }

    /// The seats of somebody who wants to play, before anything is said about what they want to play.
    ///
    /// # Errors
    /// [`ServiceError::NotYourSeat`] when the claim opens none.
    pub fn admit(self: &Arc<Self>, claim: &Credentials) -> Result<Vec<Player>, ServiceError> {
        let seats = self.seats_of(claim);
        if seats.is_empty() {
            let snapshot = Arc::clone(self);
            return Err(ServiceError::NotYourSeat { snapshot });
        }
        Ok(seats)
    }

    /// Whether its record was brought here: it is looked at, and nobody plays at it.
    #[must_use]
    pub fn is_uploaded(&self) -> bool {
        matches!(self.origin.as_deref(), Some(GameOrigin::Uploaded { .. }))
    }

    /// The id that the rolls of this game name: that of the game whose record was brought here, or its own.
    #[must_use]
    pub fn rolled_as(&self) -> &GameId {
        match self.origin.as_deref() {
            Some(GameOrigin::Uploaded { id: Some(id), .. }) => id,
            _ => &self.id,
        }
    }

    /// Who sits in this player's seat.
    #[must_use]
    pub fn seat(&self, player: Player) -> Option<&Seat> {
        self.seats.seats.get(usize::from(player.number()))
    }

    /// Whether whoever is to move may play this action, in the game's notation. Nothing is played.
    ///
    /// # Errors
    /// Why not.
    pub fn judge(&self, action: &str) -> Result<(), ActionError> {
        let mover = self.live.mover().ok_or(ActionError::Over)?;
        // Only what is legal is rolled for; these dice are thrown away.
        let dice = GameDice::Streams(DiceSeed::from_bytes(random_bytes()));
        let decided = self.live.decide(mover, action, &dice, self.created_ms);
        decided.map(drop)
    }

    /// The players whose seats are no computer's: people and programs, and seats that are open.
    #[must_use]
    pub fn people(&self) -> Vec<Player> {
        Player::all(self.live.players())
            .zip(&self.seats.seats)
            .filter(|(_, seat)| !matches!(seat.sitter, SeatOccupant::Level { .. }))
            .map(|(player, _)| player)
            .collect()
    }

    /// Whether no ply is played before words that were fixed for the dice are told.
    #[must_use]
    pub fn awaits_words(&self) -> bool {
        self.dice.protocol() == Some(Protocol::ByPosition) && self.live.awaits_words(&self.people())
    }

    /// The level whose turn it is, if a computer is to move.
    #[must_use]
    pub fn computer_to_move(&self) -> Option<(Player, LevelSpec)> {
        let mover = self.live.mover().filter(|_| !self.awaits_words())?;
        match &self.seat(mover)?.sitter {
            SeatOccupant::Level { level, .. } => Some((mover, level.plays())),
            SeatOccupant::Open { .. }
            | SeatOccupant::Person { .. }
            | SeatOccupant::Program { .. } => None,
        }
    }

    /// Whether the game goes on by itself, without anybody at the table.
    pub(super) fn plays_itself(&self) -> bool {
        let mut seats = self.seats.seats.iter();
        self.pace == ComputerPace::AtOnce
            && !self.live.is_over()
            && seats.all(|seat| matches!(seat.sitter, SeatOccupant::Level { .. }))
    }

    /// The version for caches: it changes with each entry and each change of seats, but not with `paused` and
    /// `rematch`. Whatever shows one of these compares it as well.
    #[must_use]
    pub fn version(&self) -> SnapshotVersion {
        SnapshotVersion {
            ply: self.live.ply(),
            revision: self.seats.revision,
            ended: self.live.ending().is_some(),
        }
    }
}

/// Who played a game that was brought here, as its record said.
fn told(header: &GameHeader) -> Option<Provenance> {
    let Some(GameOrigin::Uploaded { told, .. }) = &header.origin else {
        return None;
    };
    let told = serde_json::from_str(told.as_ref()?);
    // A later release may have written more than this one knows.
    told.inspect_err(|error| {
        tracing::warn!(id = %header.id, %error, "who played a game elsewhere cannot be read");
    })
    .ok()
}
