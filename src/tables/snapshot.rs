//! Snapshots: immutable states of a game, which readers hold while the game continues.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::value::RawValue;

use crate::day::Day;
use crate::formats::RecordMetadata;
use crate::formats::record::{Provenance, RecordPlayerJson, RecordPlayerKind};
use crate::game::Player;
use crate::games::LiveGameRef;
use crate::games::ParsedRecord;
use crate::level::LevelSpec;
use crate::provably_fair::{AwaitedEntropy, DiceDisclosure, EntropyRejection};
use crate::seats::{ComputerPace, Credentials, SaidPhrase, Seat, SeatOccupant, Seats};
use crate::secret::SecretHash;
use crate::store::{GameHeader, GameId, GameOrigin, ServedTime};

/// How long players have to reveal their committed entropy text once everybody has made a commitment or declined.
const REVEAL_TIME_MS: i64 = 60_000;

/// Distinguishes two snapshots of one game.
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

/// An immutable state of a game; a new one is published after each change.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub id: GameId,
    /// The game's rules, position and record.
    pub live: LiveGameRef,
    pub seats: Arc<Seats>,
    pub pace: ComputerPace,
    pub created_ms: i64,
    /// The browser that created the game.
    pub created_by: Option<SecretHash>,
    /// Whether only its players can see it, as for all games of the book's page.
    pub private: bool,
    /// The time in seconds without a ply after which other players may let a computer play.
    pub replace_after_s: Option<u32>,
    pub takebacks: bool,
    /// Whether hints are available even if several people play.
    pub hints: bool,
    /// The seconds that a person has for a turn; `None` without a clock.
    pub turn_s: Option<u32>,
    /// Whether this game between computers is paused until it is viewed.
    pub paused: bool,
    /// The origin of a game that continues or copies another one.
    pub origin: Option<Arc<GameOrigin>>,
    /// The provenance of an uploaded game, as its record states it.
    pub provenance: Option<Arc<Provenance>>,
    /// The public part of the dice secret.
    pub dice: DiceDisclosure,
    /// What the players have said lately, oldest first.
    pub phrases: Arc<[SaidPhrase]>,
    /// The browsers whose seats the host has freed while this game was in memory.
    pub freed: Arc<[SecretHash]>,
    /// The newest rematch created while this game was in memory; the store lists all of them.
    pub rematch: Option<GameId>,
    /// Which time counts for turns.
    pub(super) served: ServedTime,
}

/// All that can change in a game.
impl Hash for Snapshot {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.id, self.version(), self.paused).hash(state);
        (&self.phrases, &self.freed, &self.rematch).hash(state);
        // It moves while the game's server is down.
        self.turn_deadline_ms().hash(state);
    }
}

impl Snapshot {
    pub(super) fn new(
        header: &GameHeader,
        seats: Seats,
        live: LiveGameRef,
        served: &ServedTime,
    ) -> Self {
        Snapshot {
            id: header.id.clone(),
            live,
            seats: Arc::new(seats),
            pace: header.pace,
            created_ms: header.created_ms,
            created_by: header.creator,
            private: header.private || header.book_of.is_some(),
            replace_after_s: header.replace_after_s,
            takebacks: header.takebacks,
            hints: header.hints,
            turn_s: header.turn_s,
            paused: false,
            origin: header.origin.clone().map(Arc::new),
            provenance: uploaded_provenance(header).map(Arc::new),
            dice: match &header.dice {
                None => DiceDisclosure::Nothing,
                Some(committed) => DiceDisclosure::Committed(committed.commitment()),
            },
            phrases: Arc::default(),
            freed: Arc::default(),
            rematch: None,
            served: served.clone(),
        }
    }

    /// The browser that created the game, or to which the rights of the creator have moved.
    #[must_use]
    pub fn creator(&self) -> Option<&SecretHash> {
        self.seats.host(self.created_by.as_ref())
    }

    /// The complete record with the public part of its dice: seed and salt once the game is over.
    #[must_use]
    pub fn record_json(&self) -> Box<RawValue> {
        self.live.record_json(&self.record_metadata())
    }

    /// The record in text notation.
    #[must_use]
    pub fn record_text(&self) -> String {
        let (live, metadata) = (self.live.clone(), self.record_metadata());
        ParsedRecord { live, metadata }.notation()
    }

    fn record_metadata(&self) -> RecordMetadata {
        RecordMetadata {
            provenance: match (self.is_uploaded(), &self.provenance) {
                (true, Some(provenance)) => Provenance::clone(provenance),
                (true, None) => Provenance::UNKNOWN,
                (false, _) => Provenance {
                    seats: self.record_players(),
                    ..Provenance::UNKNOWN
                },
            },
            id: Some(self.dice_game_id().to_string()),
            dice: self.dice.clone(),
        }
    }

    /// The players, in the form of a record.
    fn record_players(&self) -> Vec<RecordPlayerJson> {
        let record_player = |(player, seat): (u8, &Seat)| {
            let kind = match &seat.occupant {
                // An invited program has not played.
                SeatOccupant::Open { .. } => {
                    return RecordPlayerJson::new(player, RecordPlayerKind::Open);
                }
                SeatOccupant::Person { .. } => RecordPlayerKind::Human,
                SeatOccupant::Program { .. } => RecordPlayerKind::Program,
                SeatOccupant::Level { level, .. } => {
                    return RecordPlayerJson::level(player, level.effective_level());
                }
            };
            RecordPlayerJson {
                name: seat.occupant.name().map(str::to_owned),
                ..RecordPlayerJson::new(player, kind)
            }
        };
        (0..).zip(&self.seats.seats).map(record_player).collect()
    }

    /// The player's provenance in an uploaded game, if its record states it.
    #[must_use]
    pub fn uploaded_name_of(&self, player: Player) -> Option<&RecordPlayerJson> {
        self.provenance
            .as_ref()?
            .seats
            .get(usize::from(player.number()))
    }

    /// Whether people can talk at this table: at least two different people or programs have a seat.
    #[must_use]
    pub fn has_phrases(&self) -> bool {
        let seats = self.seats.seats.iter();
        let people = seats.filter(|seat| seat.occupant.is_human());
        let mut credentials = people.filter_map(|seat| {
            let credentials = seat.occupant.credentials()?;
            credentials.browser().or(credentials.token()).copied()
        });
        let first = credentials.next();
        credentials.any(|key| Some(key) != first)
    }

    /// Whether the host has freed this client's seat lately, and it has no other one.
    #[must_use]
    pub fn was_freed(&self, credentials: &Credentials) -> bool {
        let mut freed = self.freed.iter();
        freed.any(|browser| credentials.matches_browser(Some(browser)))
            && self.seats_of(credentials).is_empty()
    }

    /// Whether somebody else than the game's creator plays here.
    #[must_use]
    pub fn has_joined(&self, occupant: &SeatOccupant) -> bool {
        let credentials = occupant.credentials().filter(|_| occupant.is_human());
        let is_creator = |browser: Option<&SecretHash>| browser == self.creator();
        self.creator().is_some()
            && credentials.is_some_and(|credentials| !is_creator(credentials.browser()))
    }

    /// The client's seats, in order of play.
    #[must_use]
    pub fn seats_of(&self, credentials: &Credentials) -> Vec<Player> {
        Player::all(self.live.players())
            .zip(&self.seats.seats)
            .filter(|(_, seat)| {
                seat.occupant.is_human() && credentials.matches_seat(seat.occupant.credentials())
            })
            .map(|(player, _)| player)
            .collect()
    }

    /// Whether the game was uploaded: such a game is view-only.
    #[must_use]
    pub fn is_uploaded(&self) -> bool {
        matches!(self.origin.as_deref(), Some(GameOrigin::Uploaded { .. }))
    }

    /// The day whose scored game it is.
    #[must_use]
    pub fn day(&self) -> Option<Day> {
        match self.origin.as_deref() {
            Some(GameOrigin::Daily { day }) => Some(*day),
            _ => None,
        }
    }

    /// The game id that the dice are derived from: an uploaded game's original id, that of the day, or its own.
    #[must_use]
    pub fn dice_game_id(&self) -> GameId {
        match self.origin.as_deref() {
            Some(GameOrigin::Uploaded { id: Some(id), .. }) => id.clone(),
            Some(GameOrigin::Daily { day }) => GameId::of_day(*day),
            _ => self.id.clone(),
        }
    }

    #[must_use]
    pub fn seat(&self, player: Player) -> Option<&Seat> {
        self.seats.seats.get(usize::from(player.number()))
    }

    /// The players that are not computers: people, programs and open seats.
    #[must_use]
    pub fn people(&self) -> Vec<Player> {
        Player::all(self.live.players())
            .zip(&self.seats.seats)
            .filter(|(_, seat)| !matches!(seat.occupant, SeatOccupant::Level { .. }))
            .map(|(player, _)| player)
            .collect()
    }

    /// Whether people or programs have seats besides these.
    #[must_use]
    pub fn has_others(&self, own: &[Player]) -> bool {
        self.people().iter().any(|player| !own.contains(player))
    }

    /// Why nobody can add entropy to the dice of this game.
    #[must_use]
    pub fn entropy_ban(&self) -> Option<EntropyRejection> {
        match (self.day(), self.turn_s) {
            (Some(_), _) => Some(EntropyRejection::Fixed),
            (None, Some(_)) => Some(EntropyRejection::Clock),
            (None, None) => None,
        }
    }

    /// The entropy text that the game waits for before the next ply.
    #[must_use]
    pub fn awaited_entropy(&self) -> Option<AwaitedEntropy> {
        self.live.awaited_entropy(&self.people())
    }

    /// The players whom the game waits for: those who owe entropy text, or else the one to move. Nobody before the start.
    #[must_use]
    pub fn awaited_players(&self) -> Vec<Player> {
        if self.is_waiting() {
            return Vec::new();
        }
        match self.awaited_entropy() {
            Some(awaited) => awaited.players().to_vec(),
            None => self.mover().into_iter().collect(),
        }
    }

    /// A player whose committed entropy text is not revealed, and the Unix time in milliseconds from which on the server
    /// declines in the player's name.
    #[must_use]
    pub fn reveal_deadline(&self) -> Option<(Player, i64)> {
        let Some(AwaitedEntropy::Reveals(players)) = self.awaited_entropy() else {
            return None;
        };
        let given = self.live.entropy_entries();
        let seats = Player::all(self.live.players()).zip(&self.seats.seats);
        // The reveals are due when the last player has made a commitment, declined or left.
        let answers_ms = seats.filter_map(|(player, seat)| {
            let first = given.iter().find(|given| given.player == player);
            first.map_or(seat.since_ms, |first| Some(first.at_ms))
        });
        let due_ms = answers_ms.max().unwrap_or(self.created_ms);
        let player = *players.first()?;
        Some((player, self.served.after(due_ms, REVEAL_TIME_MS)))
    }

    /// Whether the game waits for players and has not started.
    #[must_use]
    pub fn is_waiting(&self) -> bool {
        self.seats.waiting.is_some() && !self.live.is_over()
    }

    /// Unix time in milliseconds at which the game starts by itself.
    #[must_use]
    pub fn starts_ms(&self) -> Option<i64> {
        let waiting = self.seats.waiting.as_ref();
        waiting.filter(|_| self.is_waiting())?.start.at_ms()
    }

    /// The player to move; `None` before the start and after the end of the game.
    #[must_use]
    pub fn mover(&self) -> Option<Player> {
        self.live.mover().filter(|_| !self.is_waiting())
    }

    /// The player and level to move, if it is a computer.
    #[must_use]
    pub fn computer_to_move(&self) -> Option<(Player, LevelSpec)> {
        let mover = self.mover()?;
        if self.awaited_entropy().is_some() {
            return None;
        }
        match &self.seat(mover)?.occupant {
            SeatOccupant::Level { level, .. } => Some((mover, level.effective_level())),
            SeatOccupant::Open { .. }
            | SeatOccupant::Person { .. }
            | SeatOccupant::Program { .. } => None,
        }
    }

    /// Whether a computer is to move even without viewers, or the limit on entries is reached.
    pub(super) fn continues_by_itself(&self) -> bool {
        self.live.is_at_limit()
            || self.pace == ComputerPace::AtOnce
                && self.computer_to_move().is_some()
                && !self.is_self_playing()
    }

    /// Unix time in milliseconds at which the turn of the person or program to move ends by itself. `None` without a
    /// clock, before the start, and while a computer is to move.
    #[must_use]
    pub fn turn_deadline_ms(&self) -> Option<i64> {
        let turn_s = self.turn_s.filter(|_| self.pace == ComputerPace::AtOnce)?;
        let mover = self.mover()?;
        let seats = &self.seats.seats;
        let is_free = |seat: &Seat| matches!(seat.occupant, SeatOccupant::Open { .. });
        if !self.seat(mover)?.occupant.is_human() || seats.iter().any(is_free) {
            return None;
        }
        let began_ms = self.live.turn_began_ms().unwrap_or(self.created_ms);
        // The first turn begins when the game starts.
        let seated_ms = seats.iter().filter_map(|seat| seat.since_ms).max();
        let began_ms = seated_ms.map_or(began_ms, |seated_ms| began_ms.max(seated_ms));
        Some(self.served.after(began_ms, i64::from(turn_s) * 1000))
    }

    /// Whether computers play the game in progress among themselves.
    pub(super) fn is_self_playing(&self) -> bool {
        let mut seats = self.seats.seats.iter();
        self.pace == ComputerPace::AtOnce
            && !self.live.is_over()
            && seats.all(|seat| matches!(seat.occupant, SeatOccupant::Level { .. }))
    }

    /// The version for caches: it changes with each entry and each change of seats, but not with `paused` and
    /// `rematch`, which must be compared separately where they matter.
    #[must_use]
    pub fn version(&self) -> SnapshotVersion {
        SnapshotVersion {
            ply: self.live.entry_count(),
            revision: self.seats.revision,
            ended: self.live.ending().is_some(),
        }
    }
}

/// The provenance of an uploaded game.
fn uploaded_provenance(header: &GameHeader) -> Option<Provenance> {
    let Some(GameOrigin::Uploaded { provenance, .. }) = &header.origin else {
        return None;
    };
    let provenance = serde_json::from_str(provenance.as_ref()?);
    // A later release may have written an unknown format.
    provenance.inspect_err(|error| {
        tracing::warn!(id = %header.id, %error, "the provenance of an uploaded game cannot be read");
    })
    .ok()
}

impl Snapshot {
    /// The seats that anybody may take before the start: first the open ones, then those of computers. A seat to which a
    /// program is invited is not one of them.
    #[must_use]
    pub fn free_seats(&self) -> Vec<Player> {
        if !self.is_waiting() {
            return Vec::new();
        }
        let seats = || Player::all(self.live.players()).zip(&self.seats.seats);
        let open = seats().filter(|(_, seat)| seat.occupant.is_open_to_anybody());
        let computers = seats().filter(|(_, seat)| {
            let replaced = match &seat.occupant {
                SeatOccupant::Level { replaced, .. } => Some(replaced),
                _ => None,
            };
            replaced.is_some_and(Option::is_none)
        });
        open.chain(computers).map(|(player, _)| player).collect()
    }

    /// Whether this client may list the game among the open tables.
    #[must_use]
    pub fn can_be_opened_by(&self, credentials: &Credentials) -> bool {
        self.is_host(credentials) && !self.private && !self.free_seats().is_empty()
    }

    /// Whether the player has made a ply that was not taken back.
    #[must_use]
    pub fn has_moved(&self, player: Player) -> bool {
        let last = self.live.last_ply_of([player].into_iter().collect());
        last.is_some()
    }
}
