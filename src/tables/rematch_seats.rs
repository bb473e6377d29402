//! The seats of a rematch, as a function of a finished game.

use super::environment::Environment;
use super::seat_changes::new_return_link;
use super::snapshot::Snapshot;
use crate::game::Player;
use crate::level::Level;
use crate::seats::{
    PersonCredentials, ProgramCredentials, RematchKind, RematchLevels, Seat, SeatLevel,
    SeatOccupant,
};
use crate::secret::Secret;
use crate::store::GameId;

impl Snapshot {
    /// The levels of an easier or harder rematch, if possible.
    #[must_use]
    pub fn other_levels(&self, kind: RematchKind) -> Option<RematchLevels> {
        let occupants = self.seats.seats.iter().map(|seat| &seat.occupant);
        let game_levels = self.live.configured_game().levels();
        RematchLevels::for_rematch(occupants, kind, game_levels)
    }

    #[must_use]
    pub fn allows_rematch(&self, kind: RematchKind) -> bool {
        match kind {
            RematchKind::New | RematchKind::Same => true,
            RematchKind::Easier | RematchKind::Harder => self.other_levels(kind).is_some(),
        }
    }

    /// The seats of a rematch, with the same occupants or other levels; for the same start, rotated by one seat.
    pub(super) fn rematch_seats(
        &self,
        id: &GameId,
        kind: RematchKind,
        requester: Option<&Secret>,
        environment: &Environment,
    ) -> Vec<Seat> {
        let now_ms = environment.now_ms();
        let others = self.other_levels(kind).map(|others| others.levels);
        let mut others = others.unwrap_or_default().into_iter();
        let seats = self.seats.seats.iter();
        let mut seats: Vec<Seat> = seats
            .map(|seat| rematch_seat(seat, &mut others, now_ms))
            .collect();
        if kind == RematchKind::Same && !seats.is_empty() {
            seats.rotate_right(1);
        }
        let Some(secret) = requester else {
            return seats;
        };
        let browser = secret.hash();
        for (player, seat) in Player::all(self.live.players()).zip(&mut seats) {
            if let SeatOccupant::Person {
                credentials: seated,
                ..
            } = &mut seat.occupant
                && seated.browser.matches(&browser)
            {
                seated.return_link = Some(new_return_link(secret, id, player, environment));
            }
        }
        seats
    }
}

/// A seat of a rematch. Links are valid for one game, so a person requests new ones; a program keeps its token. Each
/// computer player takes the next of the `others`, if there are any.
fn rematch_seat(seat: &Seat, others: &mut impl Iterator<Item = Level>, now_ms: i64) -> Seat {
    let occupant = match &seat.occupant {
        SeatOccupant::Open { .. } => SeatOccupant::Open { invitation: None },
        SeatOccupant::Person {
            credentials: seated,
            name,
        } => SeatOccupant::Person {
            credentials: PersonCredentials {
                browser: seated.browser,
                return_link: None,
                joined_by: None,
            },
            name: name.clone(),
        },
        SeatOccupant::Program {
            credentials: seated,
            name,
        } => SeatOccupant::Program {
            credentials: ProgramCredentials {
                joined_by: None,
                ..*seated
            },
            name: name.clone(),
        },
        SeatOccupant::Level { level, .. } => SeatOccupant::Level {
            level: match others.next() {
                Some(other) if other != level.effective_level().level => {
                    SeatLevel::Known(other.into())
                }
                _ => level.clone(),
            },
            replaced: None,
        },
    };
    Seat {
        occupant,
        since_ms: Some(now_ms),
    }
}
