//! Who thinks next: a fair queue in two levels, counted in processor time.
//!
//! Each household has an account of the time that its turns took, and in it each creator of games. The
//! next turn called is one of the household that spent least, of the creator in it who spent least. What
//! counts is time and not turns, so thirty games get no more of it than one does, and neither do thirty
//! cookies of one household. A newcomer begins where the others stand now and not at nothing, and whoever
//! was away comes back with a second's credit at most: nobody saves up, and nobody pays for yesterday
//! (start-time fair queueing; Goyal, Vin and Cheng 1996, with the virtual time of Demers, Keshav and
//! Shenker 1989). A ply is charged when it begins with what it is expected to take, and corrected when it
//! ends.
//!
//! Within one creator a turn is due the later the longer it is going to take, and later still when nobody
//! looks. So small turns overtake large ones, but not for ever. What a reader waits for, as a hint, comes
//! before all turns that were asked for within the last minute, and so does a program's question that belongs to no
//! game, small ones first.
//!
//! Three rules keep one household from what others need at once. Of several threads one is left to
//! others. Of the memory that turns may hold it takes half at most. And turns of a few milliseconds have
//! a thread more, because a long ply that has begun is not interrupted.
//!
//! A turn holds its memory from its first ply to its last. Whoever waits for memory or for two threads at
//! once is not overtaken by a turn that begins later and needs the same.
//!
//! What nobody waits for at a table, as the review of a finished game, comes behind all that: it begins
//! when nothing else could, costs nobody's account anything, and is one at a time. So that it ends under
//! any load, it gets a tenth of what turns take: [`BEHIND`].
//!
//! Everything here is plain values: no clock, no threads, no locks. A call looks at each creator who
//! waits once; where all that wait are large, it ends there.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::secret::SecretHash;
use crate::service::client_network::{ClientNetwork, ComputeAccount};
use crate::store::GameId;

mod account;

use account::{TimeAccount, advanced};

/// A ply that is expected to take no longer is quick.
pub(super) const QUICK: Duration = Duration::from_millis(10);

/// How many times its own time a turn lets smaller ones of the same creator go before it.
const POLITENESS: u32 = 10;

/// So much later than what a reader waits for a turn is due.
const AT_A_TABLE: Duration = Duration::from_secs(60);

/// So much later a turn is due that nobody looks at.
const UNWATCHED: Duration = Duration::from_secs(60);

/// Turns take so many times as long as what comes behind them before a part of that comes first.
const BEHIND: u32 = 10;

/// The most accounts that are kept of households, and in a household of creators, who ask for nothing
/// now.
const MOST_IDLE: usize = 4_096;

/// The number of a turn, in the order of asking.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::service) struct TurnId(u64);

/// Whether somebody looks at a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::service) enum TurnPriority {
    /// A reader waits for the answer and for nothing else: it is due when it was asked for, and its
    /// household's turns keep no memory from it.
    Awaited,
    /// A program waits for the answer, at no table: it is due the later the longer it takes.
    Question,
    /// Somebody looked within the last minute, or follows the game.
    Watched,
    /// Nobody did.
    Unwatched,
    /// It belongs to no table and comes behind all turns.
    Behind,
}

/// A turn that asks to think.
#[derive(Clone, Debug)]
pub(in crate::service) struct TurnRequest {
    pub(in crate::service) game: GameId,
    pub(in crate::service) payer: ComputeAccount,
    pub(in crate::service) threads: usize,
    /// What it may remember at most until its end.
    pub(in crate::service) bytes: usize,
    /// What its next ply is expected to take, on each of its threads.
    pub(in crate::service) expected: Duration,
    pub(in crate::service) attention: TurnPriority,
}

/// What there is to share.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComputeLimits {
    /// Threads for turns of any length; quick ones have another.
    pub(super) threads: usize,
    /// What all turns that have begun may remember together.
    pub(super) bytes: usize,
}

/// The turns that wait and think, and the accounts.
pub(super) struct FairQueue {
    limits: ComputeLimits,
    next: u64,
    turns: HashMap<TurnId, QueuedTurn>,
    households: HashMap<Option<ClientNetwork>, ClientNetworkShare>,
    /// How far the accounts of households have come.
    reached: Duration,
    threads: usize,
    bytes: usize,
    quick: QuickLane,
    /// Waiting turns by how long they wait.
    since: BTreeSet<(Instant, TurnId)>,
    quick_waiting: usize,
    /// What waits behind all turns, first come, first served.
    behind: BTreeSet<(Instant, TurnId)>,
    is_behind_at_work: bool,
    /// How long turns took since something behind them was called.
    passed: Duration,
}

/// The thread for quick turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum QuickLane {
    Free,
    Taken,
}

/// A household: its account, and what is shared within it.
#[derive(Default)]
struct ClientNetworkShare {
    account: TimeAccount,
    creators: HashMap<Option<SecretHash>, CreatorShare>,
    /// How far the accounts of its creators have come.
    reached: Duration,
    threads: usize,
    bytes: usize,
}

impl ClientNetworkShare {
    /// A turn waits and thinks no more.
    fn close(&mut self, creator: Option<SecretHash>) {
        self.account.turns -= 1;
        if let Some(creator) = self.creators.get_mut(&creator) {
            creator.account.turns -= 1;
        }
    }
}

struct CreatorShare {
    account: TimeAccount,
    waiting: BTreeSet<(Instant, TurnId)>,
}

struct QueuedTurn {
    wish: TurnRequest,
    /// When it was first asked for.
    asked: Instant,
    stage: TurnState,
    /// Its memory is counted.
    has_begun: bool,
}

enum TurnState {
    Waits {
        due: Instant,
        since: Instant,
    },
    Thinks {
        on: ThreadClass,
        charged: Duration,
    },
    /// Between two plies.
    Rests,
}

/// When something begins that comes behind all turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BackgroundStart {
    /// Turns took so much time that it comes first.
    Now,
    /// Nothing else could begin.
    WhenNobodyWaits,
}

/// On what a ply is thought about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ThreadClass {
    Any,
    Quick,
}

impl QueuedTurn {
    fn is_behind(&self) -> bool {
        self.wish.attention == TurnPriority::Behind
    }

    fn is_quick(&self) -> bool {
        !self.is_behind() && self.wish.threads == 1 && self.wish.expected <= QUICK
    }

    fn due(&self) -> Instant {
        let polite = self.wish.expected.saturating_mul(POLITENESS);
        self.asked
            + match self.wish.attention {
                TurnPriority::Awaited => Duration::ZERO,
                TurnPriority::Question => polite,
                TurnPriority::Watched => AT_A_TABLE + polite,
                TurnPriority::Unwatched | TurnPriority::Behind => AT_A_TABLE + polite + UNWATCHED,
            }
    }

    fn work(&self, time: Duration) -> Duration {
        time.saturating_mul(u32::try_from(self.wish.threads).unwrap_or(u32::MAX))
    }
}

/// A creator whose turns wait, in the order of calling.
struct RankedCreator<'a> {
    rank: (Duration, Duration, (Instant, TurnId)),
    of: Option<ClientNetwork>,
    household: &'a ClientNetworkShare,
    creator: &'a CreatorShare,
}

impl FairQueue {
    pub(super) fn new(limits: ComputeLimits) -> Self {
        FairQueue {
            limits,
            next: 0,
            turns: HashMap::new(),
            households: HashMap::new(),
            reached: Duration::ZERO,
            threads: 0,
            bytes: 0,
            quick: QuickLane::Free,
            since: BTreeSet::new(),
            quick_waiting: 0,
            behind: BTreeSet::new(),
            is_behind_at_work: false,
            passed: Duration::ZERO,
        }
    }

    /// A turn begins to wait. What needs more than there is waits for all there is.
    pub(super) fn ask(&mut self, mut wish: TurnRequest, now: Instant) -> TurnId {
        wish.threads = wish.threads.clamp(1, self.limits.threads);
        wish.bytes = wish.bytes.min(self.limits.bytes);
        self.next += 1;
        let number = TurnId(self.next);
        let turn = QueuedTurn {
            wish,
            asked: now,
            stage: TurnState::Rests,
            has_begun: false,
        };
        self.turns.insert(number, turn);
        self.queue(number, now);
        number
    }

    /// A turn that rests waits for its next ply; it counts as asked for when it began.
    pub(super) fn go_on(
        &mut self,
        number: TurnId,
        expected: Duration,
        attention: TurnPriority,
        now: Instant,
    ) {
        if let Some(turn) = self.turns.get_mut(&number) {
            (turn.wish.expected, turn.wish.attention) = (expected, attention);
            self.queue(number, now);
        }
    }

    /// The turn that thinks now, if there is room for one.
    pub(super) fn call(&mut self) -> Option<TurnId> {
        let overdue = self
            .first_behind()
            .filter(|(_, due)| *due == BackgroundStart::Now);
        if let Some((number, _)) = overdue {
            self.begin_behind(number);
            return Some(number);
        }
        if let Some((number, on)) = self.first() {
            self.begin(number, on);
            return Some(number);
        }
        let (number, _) = self.first_behind()?;
        self.begin_behind(number);
        Some(number)
    }

    /// A turn's ply has ended after so long; the turn rests.
    pub(super) fn rest(&mut self, number: TurnId, took: Duration) {
        let Some(turn) = self.turns.get_mut(&number) else {
            return;
        };
        let stage = std::mem::replace(&mut turn.stage, TurnState::Rests);
        if turn.is_behind() {
            return self.rest_behind(number, &stage);
        }
        let turn = &self.turns[&number];
        let payer = turn.wish.payer;
        let Some(household) = self.households.get_mut(&payer.household) else {
            return;
        };
        let Some(creator) = household.creators.get_mut(&payer.creator) else {
            return;
        };
        match stage {
            TurnState::Rests => return,
            TurnState::Waits { due, since } => {
                creator.waiting.remove(&(due, number));
                self.since.remove(&(since, number));
                self.quick_waiting -= usize::from(turn.is_quick());
            }
            TurnState::Thinks { on, charged } => {
                let took = turn.work(took);
                self.passed = self.passed.saturating_add(took);
                creator.account.correct(charged, took);
                household.account.correct(charged, took);
                let all = household.creators.values();
                let all = all.map(|creator| &creator.account);
                household.reached = advanced(household.reached, took, all);
                match on {
                    ThreadClass::Quick => self.quick = QuickLane::Free,
                    ThreadClass::Any => {
                        household.threads -= turn.wish.threads;
                        self.threads -= turn.wish.threads;
                    }
                }
                let all = self.households.values();
                let all = all.map(|household| &household.account);
                self.reached = advanced(self.reached, took, all);
            }
        }
        if let Some(household) = self.households.get_mut(&payer.household) {
            household.close(payer.creator);
        }
    }

    /// A turn ends, whatever it did: it gives back all that it had.
    pub(super) fn leave(&mut self, number: TurnId, took: Duration) {
        self.rest(number, took);
        let Some(turn) = self.turns.remove(&number) else {
            return;
        };
        if turn.is_behind() {
            self.bytes -= if turn.has_begun { turn.wish.bytes } else { 0 };
            return self.tidy(turn.wish.payer);
        }
        let household = self.households.get_mut(&turn.wish.payer.household);
        if let Some(household) = household
            && turn.has_begun
        {
            self.bytes -= turn.wish.bytes;
            household.bytes -= turn.wish.bytes;
        }
        self.tidy(turn.wish.payer);
    }

    /// How many turns wait.
    pub(super) fn waiting(&self) -> usize {
        self.since.len()
    }

    /// How many threads are taken.
    pub(super) fn thinking(&self) -> usize {
        self.threads + usize::from(self.quick == QuickLane::Taken)
    }

    /// Since when the turn waits that has waited longest.
    pub(super) fn waits_since(&self) -> Option<Instant> {
        self.since.first().map(|(since, _)| *since)
    }

    /// How many turns come before this game's, if nobody asks any more; `None` when it does not wait.
    pub(super) fn ahead(&self, game: &GameId) -> Option<usize> {
        let mut before = 0;
        for place in self.order() {
            for (_, number) in &place.creator.waiting {
                if self.turns[number].wish.game == *game {
                    return Some(before);
                }
                before += 1;
            }
        }
        None
    }

    /// Whether a turn of this game waits or thinks.
    pub(super) fn is_at_work(&self, game: &GameId) -> bool {
        let mut turns = self.turns.values();
        turns.any(|turn| !matches!(turn.stage, TurnState::Rests) && turn.wish.game == *game)
    }

    fn queue(&mut self, number: TurnId, now: Instant) {
        let turn = self.turns.get_mut(&number).expect("it was just found");
        let due = turn.due();
        turn.stage = TurnState::Waits { due, since: now };
        if turn.is_behind() {
            self.since.insert((now, number));
            self.behind.insert((now, number));
            return;
        }
        let quick = turn.is_quick();
        let payer = turn.wish.payer;
        let reached = self.reached;
        let household = self.households.entry(payer.household);
        let household = household.or_insert_with(|| ClientNetworkShare {
            account: TimeAccount::begun(reached),
            ..ClientNetworkShare::default()
        });
        household.account.open(reached);
        let reached = household.reached;
        let creator = household.creators.entry(payer.creator);
        let creator = creator.or_insert_with(|| CreatorShare {
            account: TimeAccount::begun(reached),
            waiting: BTreeSet::new(),
        });
        creator.account.open(household.reached);
        creator.waiting.insert((due, number));
        self.since.insert((now, number));
        self.quick_waiting += usize::from(quick);
    }

    /// Who waits, first called first.
    fn order(&self) -> Vec<RankedCreator<'_>> {
        let mut places = Vec::new();
        for (of, household) in &self.households {
            for creator in household.creators.values() {
                if let Some(&first) = creator.waiting.first() {
                    places.push(RankedCreator {
                        rank: (household.account.spent, creator.account.spent, first),
                        of: *of,
                        household,
                        creator,
                    });
                }
            }
        }
        places.sort_by_key(|place| place.rank);
        places
    }

    /// The first turn in the order for which there is room.
    fn first(&self) -> Option<(TurnId, ThreadClass)> {
        let mut threads = self.limits.threads - self.threads;
        let mut memory = self.limits.bytes - self.bytes;
        let quick = self.quick == QuickLane::Free && self.quick_waiting > 0;
        if threads == 0 && !quick {
            return None;
        }
        // Households of which a turn waits for memory already.
        let mut full = Vec::new();
        for place in self.order() {
            for &(_, number) in &place.creator.waiting {
                if threads == 0 && !quick {
                    return None;
                }
                let turn = &self.turns[&number];
                let wish = &turn.wish;
                let on = if threads > 0 && self.may_think(place.household, wish.threads) {
                    ThreadClass::Any
                } else if quick && turn.is_quick() {
                    ThreadClass::Quick
                } else {
                    continue;
                };
                if !turn.has_begun && wish.bytes > 0 {
                    if wish.attention != TurnPriority::Awaited {
                        if full.contains(&place.of) {
                            continue;
                        }
                        if wish.bytes > self.memory_for(place.household) {
                            full.push(place.of);
                            continue;
                        }
                    }
                    if wish.bytes > memory {
                        memory = 0;
                        continue;
                    }
                }
                if on == ThreadClass::Any && wish.threads > threads {
                    // The threads that come free are for this one.
                    threads = 0;
                    continue;
                }
                return Some((number, on));
            }
        }
        None
    }

    /// What comes first behind all turns, if there is room for it.
    fn first_behind(&self) -> Option<(TurnId, BackgroundStart)> {
        let &(_, number) = self.behind.first()?;
        let wish = &self.turns[&number].wish;
        let has_room = self.threads + wish.threads <= self.limits.threads
            && self.bytes.saturating_add(wish.bytes) <= self.limits.bytes;
        if self.is_behind_at_work || !has_room {
            return None;
        }
        if self.passed >= wish.expected.saturating_mul(BEHIND) {
            Some((number, BackgroundStart::Now))
        } else if self.since.len() == self.behind.len() {
            Some((number, BackgroundStart::WhenNobodyWaits))
        } else {
            None
        }
    }

    fn begin_behind(&mut self, number: TurnId) {
        let turn = self.turns.get_mut(&number).expect("it waits");
        let TurnState::Waits { since, .. } = turn.stage else {
            return;
        };
        turn.stage = TurnState::Thinks {
            on: ThreadClass::Any,
            charged: Duration::ZERO,
        };
        if !std::mem::replace(&mut turn.has_begun, true) {
            self.bytes += turn.wish.bytes;
        }
        self.threads += turn.wish.threads;
        self.since.remove(&(since, number));
        self.behind.remove(&(since, number));
        self.is_behind_at_work = true;
        self.passed = Duration::ZERO;
    }

    fn rest_behind(&mut self, number: TurnId, stage: &TurnState) {
        match stage {
            TurnState::Rests => {}
            TurnState::Waits { since, .. } => {
                self.since.remove(&(*since, number));
                self.behind.remove(&(*since, number));
            }
            TurnState::Thinks { .. } => {
                self.threads -= self.turns[&number].wish.threads;
                self.is_behind_at_work = false;
            }
        }
    }

    /// Whether a household may think on so many threads more.
    fn may_think(&self, household: &ClientNetworkShare, threads: usize) -> bool {
        let most = self.limits.threads.saturating_sub(1).max(1);
        household.threads == 0 || household.threads + threads <= most
    }

    /// The memory that a household may still take.
    fn memory_for(&self, household: &ClientNetworkShare) -> usize {
        if household.bytes == 0 {
            return self.limits.bytes;
        }
        (self.limits.bytes / 2).saturating_sub(household.bytes)
    }

    fn begin(&mut self, number: TurnId, on: ThreadClass) {
        let turn = self.turns.get_mut(&number).expect("it waits");
        let TurnState::Waits { due, since } = turn.stage else {
            return;
        };
        let charged = turn.work(turn.wish.expected);
        turn.stage = TurnState::Thinks { on, charged };
        self.since.remove(&(since, number));
        self.quick_waiting -= usize::from(turn.is_quick());
        let payer = turn.wish.payer;
        let household = self.households.get_mut(&payer.household);
        let household = household.expect("a turn has an account");
        let creator = household.creators.get_mut(&payer.creator);
        let creator = creator.expect("a turn has an account");
        creator.waiting.remove(&(due, number));
        household.account.spent += charged;
        creator.account.spent += charged;
        if !std::mem::replace(&mut turn.has_begun, true) {
            self.bytes += turn.wish.bytes;
            household.bytes += turn.wish.bytes;
        }
        match on {
            ThreadClass::Quick => self.quick = QuickLane::Taken,
            ThreadClass::Any => {
                self.threads += turn.wish.threads;
                household.threads += turn.wish.threads;
            }
        }
    }

    /// Forgets accounts that say nothing, and all of them when there is nobody left to compare with.
    fn tidy(&mut self, payer: ComputeAccount) {
        if self.turns.is_empty() {
            self.households.clear();
            self.reached = Duration::ZERO;
            return;
        }
        let reached = self.reached;
        if let Some(household) = self.households.get_mut(&payer.household) {
            let (all, upto) = (household.creators.len(), household.reached);
            household.creators.retain(|_, creator| {
                let account = &creator.account;
                account.turns > 0 || all <= MOST_IDLE && !account.is_spare(upto)
            });
        }
        let all = self.households.len();
        self.households.retain(|_, household| {
            let account = &household.account;
            account.turns > 0
                || household.bytes > 0
                || all <= MOST_IDLE && !account.is_spare(reached)
        });
    }
}

#[cfg(test)]
mod tests;
