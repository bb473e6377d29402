//! Resignations and changes of seats at a table.

use std::sync::Arc;

use super::{TableActor, is_lost};
use crate::games::ActionError;
use crate::record::Ending;
use crate::seats::{Credentials, SeatOccupant, Seats};
use crate::store::StoreError;
use crate::tables::command::SeatChange;
use crate::tables::error::{SeatChangeError, ServiceError};
use crate::tables::seat_changes::ResignationEffect;
use crate::tables::snapshot::Snapshot;

/// Maximum attempts at a seat change or resignation that conflicts with other instances' writes.
const MAX_ATTEMPTS: u32 = 8;

/// How many browsers whose seats were freed are remembered; the oldest are forgotten first.
const MAX_FREED: usize = 16;

impl TableActor {
    /// Without `expected` the resignation is retried when other instances' entries get in between.
    pub(super) async fn resign(
        &mut self,
        credentials: &Credentials,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        for _ in 0..MAX_ATTEMPTS {
            let resigned = self.resign_now(credentials, expected).await;
            let is_overtaken = matches!(resigned, Err(ServiceError::Stale { .. }));
            if expected.is_some() || !is_overtaken {
                return resigned;
            }
        }
        Err(ServiceError::Unavailable)
    }

    async fn resign_now(
        &mut self,
        credentials: &Credentials,
        expected: Option<u32>,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        self.newest().check_can_play(credentials)?;
        let Some((resigner, effect)) = self.current.resignation_effect(credentials) else {
            return Err(self.action_rejected(ActionError::Over));
        };
        if expected.is_some_and(|expected| expected != self.current.live.entry_count()) {
            return Err(ServiceError::Stale {
                snapshot: self.newest(),
            });
        }
        match effect {
            ResignationEffect::EndsGame => {
                self.end(Ending::Resigned(resigner)).await?;
                // Another instance wrote first, and the game is still in progress.
                if !self.current.live.is_over() {
                    return Err(ServiceError::Stale {
                        snapshot: self.newest(),
                    });
                }
            }
            ResignationEffect::ReplacedByLevel | ResignationEffect::LeavesTable => {
                let now_ms = self.shared.environment.now_ms();
                let seats = match effect {
                    ResignationEffect::LeavesTable => self.current.left(resigner, now_ms),
                    _ => self.current.replaced_by_level(resigner, now_ms),
                };
                if !self.commit_seats(seats).await? {
                    return Err(ServiceError::Stale {
                        snapshot: self.newest(),
                    });
                }
                // Nobody else freed the seat.
                let mut freed = self.current.freed.to_vec();
                freed.retain(|browser| !credentials.matches_browser(Some(browser)));
                self.current.freed = freed.into();
                self.publish();
            }
        }
        Ok(self.newest())
    }

    pub(super) async fn change_seat(
        &mut self,
        credentials: &Credentials,
        change: &SeatChange,
    ) -> Result<Arc<Snapshot>, ServiceError> {
        for _ in 0..MAX_ATTEMPTS {
            if let SeatChange::Replace { ply, .. } = change
                && *ply != self.current.live.entry_count()
            {
                return Err(ServiceError::Stale {
                    snapshot: self.newest(),
                });
            }
            let changed = self
                .current
                .seats_after(credentials, change, &self.shared.environment);
            let seats = changed.map_err(|why| self.seat_change_rejected(why))?;
            let Some(seats) = seats else {
                return Ok(self.newest());
            };
            if self.commit_seats(seats).await? {
                return Ok(self.newest());
            }
        }
        Err(ServiceError::Stale {
            snapshot: self.newest(),
        })
    }

    /// Starts a game that waited for players once its time has come.
    pub(super) async fn start_if_due(&mut self) {
        let starts_ms = self.current.starts_ms();
        if starts_ms.is_none_or(|starts_ms| starts_ms > self.shared.environment.now_ms()) {
            return;
        }
        let server = Credentials::default();
        let started = self.change_seat(&server, &SeatChange::StartDue).await;
        if let Err(error) = started {
            tracing::error!(id = %self.current.id, %error, "a game could not be started");
            self.is_lost = is_lost(&error);
            self.back_off().await;
        }
    }

    /// Stores and publishes a change of seats. `false` if another instance wrote first; its changes are loaded then.
    pub(super) async fn commit_seats(&mut self, seats: Seats) -> Result<bool, ServiceError> {
        let revision = self.current.seats.revision;
        match self
            .shared
            .store
            .change_table(
                &self.current.id,
                revision,
                seats.seats.clone(),
                seats.waiting.as_deref().copied(),
            )
            .await
        {
            Ok(revision) => {
                let before = self.replace_seats(Seats { revision, ..seats });
                self.publish_after(&before.seats);
                Ok(true)
            }
            Err(StoreError::StaleSeats { .. }) => {
                self.reload().await?;
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Replaces the seats, and remembers the browsers whose seats were freed, here or at another instance. Returns the
    /// seats before the change.
    pub(super) fn replace_seats(&mut self, seats: Seats) -> Arc<Seats> {
        let changed = self.current.seats.seats.iter().zip(&seats.seats);
        let freed = changed.filter_map(|(before, now)| {
            let is_open = matches!(now.occupant, SeatOccupant::Open { .. });
            let is_freed = before.occupant.is_human() && is_open;
            let credentials = before.occupant.credentials().filter(|_| is_freed)?;
            credentials.browser().copied()
        });
        let freed: Vec<_> = self.current.freed.iter().copied().chain(freed).collect();
        let forgotten = freed.len().saturating_sub(MAX_FREED);
        self.current.freed = freed[forgotten..].into();
        std::mem::replace(&mut self.current.seats, Arc::new(seats))
    }

    fn seat_change_rejected(&self, why: SeatChangeError) -> ServiceError {
        ServiceError::SeatChangeRejected {
            why,
            snapshot: self.newest(),
        }
    }
}
