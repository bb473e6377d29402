//! Seats taken at open tables whose players have not moved yet, as this server remembers them.
//!
//! A browser and a client network may have a few of them, so that one client cannot occupy all tables. They are
//! remembered in memory: a restart forgets them, and each server counts its own.

use std::collections::VecDeque;

use parking_lot::Mutex;

use crate::seats::Credentials;
use crate::secret::SecretHash;
use crate::site::shared::app::{App, FeatureState};
use crate::store::GameId;
use crate::tables::{ClientNetwork, Service, ServiceError};

/// How many of these seats a browser may have, and a client network.
pub(super) const MAX_UNPLAYED_SEATS: usize = 3;

/// How many seats are remembered; the oldest are forgotten first.
const MAX_REMEMBERED: usize = 10_000;

/// The seats, oldest first.
#[derive(Debug, Default)]
pub(super) struct UnplayedSeats(Mutex<VecDeque<UnplayedSeat>>);

#[derive(Clone, Debug)]
struct UnplayedSeat {
    number: u64,
    game: GameId,
    browser: SecretHash,
    network: Option<ClientNetwork>,
    /// Whether the seat was taken; before that it is only reserved.
    is_taken: bool,
}

impl FeatureState for UnplayedSeats {
    fn new(_: &App) -> Self {
        UnplayedSeats::default()
    }
}

impl UnplayedSeats {
    /// Reserves a seat at a table; `None` if the browser or its network has the maximum already.
    pub(super) fn reserve(
        &self,
        game: &GameId,
        browser: SecretHash,
        network: Option<ClientNetwork>,
    ) -> Option<SeatReservation<'_>> {
        let mut seats = self.0.lock();
        // A repeated request, such as a double click, takes the same seat.
        let others = || {
            let is_same = |seat: &&UnplayedSeat| seat.browser == browser && seat.game == *game;
            seats.iter().filter(move |seat| !is_same(seat))
        };
        let of_browser = others().filter(|seat| seat.browser == browser);
        let of_network = others().filter(|seat| seat.network == network);
        let is_full = of_browser.count() >= MAX_UNPLAYED_SEATS
            || network.is_some() && of_network.count() >= MAX_UNPLAYED_SEATS;
        if is_full {
            return None;
        }
        let number = seats.back().map_or(0, |newest| newest.number + 1);
        if seats.len() >= MAX_REMEMBERED {
            seats.pop_front();
        }
        seats.push_back(UnplayedSeat {
            number,
            game: game.clone(),
            browser,
            network,
            is_taken: false,
        });
        Some(SeatReservation {
            seats: self,
            number,
            is_taken: false,
        })
    }
}

/// A reserved seat; it is given back on drop, unless it was taken.
pub(super) struct SeatReservation<'s> {
    seats: &'s UnplayedSeats,
    number: u64,
    is_taken: bool,
}

impl SeatReservation<'_> {
    pub(super) fn keep(mut self) {
        self.is_taken = true;
        let mut seats = self.seats.0.lock();
        let Some(own) = seats.iter_mut().find(|seat| seat.number == self.number) else {
            return;
        };
        own.is_taken = true;
        let (game, browser) = (own.game.clone(), own.browser);
        seats.retain(|seat| {
            seat.number == self.number || seat.game != game || seat.browser != browser
        });
    }
}

impl Drop for SeatReservation<'_> {
    fn drop(&mut self) {
        if !self.is_taken {
            let mut seats = self.seats.0.lock();
            seats.retain(|seat| seat.number != self.number);
        }
    }
}

/// Forgets the seats of this browser and network in which their players have moved, or which they no longer have.
pub(super) async fn forget_played_seats(
    service: &Service,
    remembered: &UnplayedSeats,
    browser: &SecretHash,
    network: Option<ClientNetwork>,
) {
    let own: Vec<UnplayedSeat> = remembered
        .0
        .lock()
        .iter()
        .filter(|seat| {
            let is_of_network = network.is_some() && seat.network == network;
            seat.is_taken && (seat.browser == *browser || is_of_network)
        })
        .cloned()
        .collect();
    let mut forgotten = Vec::new();
    for seat in own {
        let credentials = Credentials {
            browser: Some(seat.browser),
            ..Credentials::default()
        };
        let still_waits = match service.snapshot_unloaded(&seat.game).await {
            Ok(game) => {
                let mut players = game.seats_of(&credentials).into_iter();
                !game.live.is_over() && players.any(|player| !game.has_moved(player))
            }
            Err(error) => !matches!(error, ServiceError::NotFound | ServiceError::Damaged),
        };
        if !still_waits {
            forgotten.push(seat.number);
        }
    }
    remembered
        .0
        .lock()
        .retain(|seat| !forgotten.contains(&seat.number));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn a_reservation_that_is_not_kept_is_given_back() {
        let seats = UnplayedSeats::default();
        let browser = Secret::random().hash();
        let reserve = || seats.reserve(&GameId::random(), browser, None);
        let reserved: Vec<_> = (0..MAX_UNPLAYED_SEATS).map(|_| reserve()).collect();
        assert!(reserved.iter().all(Option::is_some));
        assert!(reserve().is_none());
        drop(reserved);
        for _ in 0..MAX_UNPLAYED_SEATS {
            reserve().expect("a seat").keep();
        }
        assert!(reserve().is_none());
    }

    #[test]
    fn a_repeated_request_reserves_the_same_seat() {
        let seats = UnplayedSeats::default();
        let (browser, game) = (Secret::random().hash(), GameId::random());
        let reserve = || seats.reserve(&game, browser, None).expect("a seat");
        for reserved in [(); MAX_UNPLAYED_SEATS + 1].map(|()| reserve()) {
            reserved.keep();
        }
        assert_eq!(seats.0.lock().len(), 1);
        for _ in 1..MAX_UNPLAYED_SEATS {
            let other = seats.reserve(&GameId::random(), browser, None);
            other.expect("a seat").keep();
        }
        assert!(seats.reserve(&GameId::random(), browser, None).is_none());
    }

    #[test]
    fn the_number_of_remembered_seats_is_bounded() {
        let seats = UnplayedSeats::default();
        for _ in 0..2 * MAX_REMEMBERED {
            let browser = Secret::random().hash();
            let reserved = seats.reserve(&GameId::random(), browser, None);
            reserved.expect("a seat").keep();
        }
        assert_eq!(seats.0.lock().len(), MAX_REMEMBERED);
    }
}
