//! What changes a table's record beside plies: takebacks, and words for the dice.

use super::TableActor;
use crate::game::Player;
use crate::game_adapters::ActionError;
use crate::provably_fair::Protocol;
use crate::record::{EntropyText, EntryRow, ReplayErrorKind};
use crate::service::{Credentials, EntryResult, ServiceError};
use crate::store::StoredEntry;

impl TableActor {
    /// Takes back the newest ply of whoever asks, and what others did after it.
    ///
    /// What computers have played since number `expected` is no reason to refuse: it goes, too.
    pub(super) async fn take_back(
        &mut self,
        claim: &Credentials,
        expected: u32,
    ) -> Result<EntryResult, ServiceError> {
        let seats = self.newest().admit(claim)?;
        let is_same = |row: &EntryRow| matches!(row, EntryRow::Takeback(_));
        if let Some(played) = self.since(&seats, expected, is_same)? {
            return Ok(played);
        }
        let snapshot = self.newest();
        let to = match snapshot.takeback(&seats) {
            Ok(Some(to)) => to,
            Ok(None) => return Err(self.refused(ActionError::Over)),
            Err(why) => return Err(ServiceError::TakebackRefused { why, snapshot }),
        };
        let live = &self.now.live;
        let player = live.played(to).map(|(player, _)| player);
        let player = player.ok_or(ServiceError::Damaged)?;
        let (row, next) = live
            .taken_back(player, to, self.shared.machine.now_ms())
            .map_err(|fault| self.not_so(fault))?;
        // No computer plays on from a position that is gone.
        self.turn = None;
        self.keep(StoredEntry::Takeback(row), next, None).await
    }

    /// Adds words of whoever asks to the dice that follow.
    pub(super) async fn contribute(
        &mut self,
        claim: &Credentials,
        expected: u32,
        words: EntropyText,
    ) -> Result<EntryResult, ServiceError> {
        let seats = self.newest().admit(claim)?;
        let is_same = |row: &EntryRow| matches!(row, EntryRow::Contribution(row) if row.words == words.as_str());
        if let Some(played) = self.since(&seats, expected, is_same)? {
            return Ok(played);
        }
        let mover = self.now.live.mover().filter(|mover| seats.contains(mover));
        let player = mover.or_else(|| seats.first().copied());
        let mut player = player.ok_or(ServiceError::Damaged)?;
        let snapshot = self.newest();
        if snapshot.dice.protocol() == Some(Protocol::ByPosition) {
            let (people, live) = (snapshot.people(), &self.now.live);
            let admit = |player| live.admit_words(&people, player, words.as_str());
            // Whoever has several seats tells in each what was fixed there.
            let able = seats.iter().find(|own| admit(**own).is_ok());
            player = able.copied().unwrap_or(player);
            admit(player).map_err(|why| ServiceError::WordsRefused { why, snapshot })?;
        }
        let (row, next) = self
            .now
            .live
            .contributed(player, words, self.shared.machine.now_ms())
            .map_err(|fault| self.not_so(fault))?;
        self.keep(StoredEntry::Contribution(row), next, None).await
    }

    /// Whether what is asked for was done already, at number `expected` or after what others played
    /// there; nothing where it was not, and where nothing else of whoever asks came in between.
    fn since(
        &self,
        seats: &[Player],
        expected: u32,
        is_same: impl Fn(&EntryRow) -> bool,
    ) -> Result<Option<EntryResult>, ServiceError> {
        let (live, snapshot) = (&self.now.live, self.newest());
        if expected > live.ply() {
            return Err(ServiceError::Stale { snapshot });
        }
        let is_own = |row: &EntryRow| seats.iter().any(|own| own.number() == row.player());
        let mut entries = (expected..live.ply()).filter_map(|at| Some((at, live.entry(at)?)));
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

    fn not_so(&self, fault: ReplayErrorKind) -> ServiceError {
        let snapshot = self.newest();
        match fault {
            ReplayErrorKind::TooManyContributions => ServiceError::EnoughWords { snapshot },
            ReplayErrorKind::AfterTheEnd => self.refused(ActionError::Over),
            _ => ServiceError::Stale { snapshot },
        }
    }
}
