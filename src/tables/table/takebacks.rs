//! Takebacks and entropy text: the entries of a record other than plies.

use super::TableActor;
use crate::game::Player;
use crate::games::ActionError;
use crate::provably_fair::{EntropyRejection, NO_ENTROPY};
use crate::record::{EntropyText, EntryRow, ReplayErrorKind};
use crate::seats::Credentials;
use crate::store::{FencingToken, StoredEntry};
use crate::tables::command::EntryResult;
use crate::tables::error::ServiceError;

impl TableActor {
    /// Takes back the client's newest ply and everything after it.
    ///
    /// Computer plies since entry `expected` are taken back, too.
    pub(super) async fn take_back(
        &mut self,
        credentials: &Credentials,
        expected: u32,
    ) -> Result<EntryResult, ServiceError> {
        let seats = self.newest().check_started(credentials)?;
        let is_same = |row: &EntryRow| matches!(row, EntryRow::Takeback(_));
        if let Some(played) = self.find_repeated(&seats, expected, is_same)? {
            return Ok(played);
        }
        let snapshot = self.newest();
        let to = match snapshot.takeback(&seats) {
            Ok(Some(to)) => to,
            Ok(None) => return Err(self.action_rejected(ActionError::Over)),
            Err(why) => return Err(ServiceError::TakebackRejected { why, snapshot }),
        };
        let live = &self.current.live;
        let player = live.ply_player(to);
        let player = player.ok_or(ServiceError::Damaged)?;
        let (row, next) = live
            .with_takeback(player, to, self.shared.environment.now_ms())
            .map_err(|error| self.entry_error(error))?;
        // A computer's turn does not continue across a takeback.
        self.turn = None;
        self.append_entry(StoredEntry::Takeback(row), next, None)
            .await
    }

    /// Adds the client's entropy text to all later dice.
    pub(super) async fn add_entropy(
        &mut self,
        credentials: &Credentials,
        expected: u32,
        text: EntropyText,
    ) -> Result<EntryResult, ServiceError> {
        let seats = self.newest().check_started(credentials)?;
        let is_same = |row: &EntryRow| matches!(row, EntryRow::Contribution(row) if row.text == text.as_str());
        let repeated = self.find_repeated(&seats, expected, is_same);
        if let Ok(Some(played)) = repeated {
            return Ok(played);
        }
        let player = match self.entropy_player(&seats, &text) {
            // The server's entry for this player makes the request stale, too, which would not state the reason.
            Err(
                late @ ServiceError::EntropyRejected {
                    why: EntropyRejection::RevealedTooLate,
                    ..
                },
            ) => return Err(late),
            player => player,
        };
        repeated?;
        let (row, next) = self
            .current
            .live
            .with_entropy(player?, text, self.shared.environment.now_ms())
            .map_err(|error| self.entry_error(error))?;
        self.append_entry(StoredEntry::Contribution(row), next, None)
            .await
    }

    /// The client's seat that may add this text now.
    fn entropy_player(&self, seats: &[Player], text: &EntropyText) -> Result<Player, ServiceError> {
        let mover = self
            .current
            .live
            .mover()
            .filter(|mover| seats.contains(mover));
        let player = mover.or_else(|| seats.first().copied());
        let player = player.ok_or(ServiceError::Damaged)?;
        let snapshot = self.newest();
        if let Some(why) = snapshot.entropy_ban() {
            return Err(ServiceError::EntropyRejected { why, snapshot });
        }
        let (people, live) = (snapshot.people(), &self.current.live);
        let admit = |player| live.admit_entropy(&people, player, text.as_str());
        // A client with several seats reveals the text committed in each of them.
        let able = seats.iter().find(|own| admit(**own).is_ok());
        let player = able.copied().unwrap_or(player);
        match admit(player) {
            Ok(()) => Ok(player),
            Err(why) => Err(ServiceError::EntropyRejected { why, snapshot }),
        }
    }

    /// The player whose time to reveal the committed text is over.
    pub(super) fn overdue_reveal(&self) -> Option<Player> {
        let (player, deadline_ms) = self.current.reveal_deadline()?;
        (deadline_ms <= self.known_ms()).then_some(player)
    }

    /// Declines in the name of a player whose time to reveal the committed text is over.
    pub(super) async fn decline_entropy(
        &mut self,
        player: Player,
        fence: Option<FencingToken>,
    ) -> Result<(), ServiceError> {
        let text = NO_ENTROPY.parse().expect("it is a visible character");
        let now_ms = self.shared.environment.now_ms();
        let declined = self.current.live.with_entropy(player, text, now_ms);
        let (row, next) = declined.map_err(|error| self.entry_error(error))?;
        let appended = self.append_entry(StoredEntry::Contribution(row), next, fence);
        appended.await.map(drop)
    }

    /// Detects a repeated request: the client's first entry from `expected` on, if it is the same. `None` if the client
    /// has made no entry since; an error if it has made another one.
    fn find_repeated(
        &self,
        seats: &[Player],
        expected: u32,
        is_same: impl Fn(&EntryRow) -> bool,
    ) -> Result<Option<EntryResult>, ServiceError> {
        let (live, snapshot) = (&self.current.live, self.newest());
        if expected > live.entry_count() {
            return Err(ServiceError::Stale { snapshot });
        }
        let is_own = |row: &EntryRow| seats.iter().any(|own| own.number() == row.player());
        let mut entries =
            (expected..live.entry_count()).filter_map(|at| Some((at, live.entry(at)?)));
        match entries.find(|(_, row)| is_own(row)) {
            None => Ok(None),
            Some((number, row)) if is_same(&row) => Ok(Some(EntryResult {
                number,
                repeated: true,
                snapshot,
            })),
            Some(_) => Err(ServiceError::Stale { snapshot }),
        }
    }

    fn entry_error(&self, error: ReplayErrorKind) -> ServiceError {
        let snapshot = self.newest();
        match error {
            ReplayErrorKind::AfterTheEnd => self.action_rejected(ActionError::Over),
            _ => ServiceError::Stale { snapshot },
        }
    }
}
