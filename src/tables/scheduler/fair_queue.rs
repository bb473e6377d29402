//! A two-level fair queue of computers' turns, measured in compute time.
//!
//! Each client network has an account of the time that its turns took, and so has each creator of games within it. The
//! next turn belongs to the network that spent least, and in it to the creator that spent least. Because time is
//! counted instead of turns, thirty games get no more than one, and neither do thirty cookies of one network. A new
//! account starts at the current virtual time instead of zero, and an idle one returns with at most one second of
//! credit: compute time is neither saved up nor owed (start-time fair queueing; Goyal, Vin and Cheng 1996, with the
//! virtual time of Demers, Keshav and Shenker 1989). A ply is charged with its expected duration when it starts, and
//! corrected when it ends.
//!
//! Within one creator turns are ordered by due time: the longer a turn is expected to take, the later it is due, and
//! later still without viewers. So short turns overtake long ones, but not indefinitely. A request that a reader waits
//! for, such as a hint, precedes all turns of the last minute; so does a program's query about a position outside any
//! game, short ones first.
//!
//! Three rules reserve capacity for other networks: one network leaves the last of several threads free and half of the
//! memory, unless a single turn needs more; and one additional thread runs only turns of a few milliseconds, because a
//! ply that has started runs to the end of its slice.
//!
//! A long ply runs in slices: after each it is charged and queued again, with the due time of its turn.
//!
//! A turn holds its memory from its first ply to its last. A turn that waits for memory or for two threads is not
//! overtaken by later turns that need the same.
//!
//! Background work, such as the review of a finished game, comes after all that: it starts when nothing else could, is
//! charged to no account, and runs one piece at a time. To make progress under any load, it gets one part of compute
//! time per [`BACKGROUND_RATIO`] parts of turns.
//!
//! The module is pure: no clock, threads or locks. Selecting a turn visits each waiting creator once, and more turns
//! only where the first ones cannot run.

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use tokio::time::Instant;

use crate::client_network::ClientNetwork;
use crate::secret::SecretHash;
use crate::store::GameId;
use crate::tables::compute_account::ComputeAccount;

mod account;

use account::{TimeAccount, advanced};

/// Plies expected to take at most this long may use the quick thread.
pub(super) const QUICK_THRESHOLD: Duration = Duration::from_millis(10);

/// A turn is due this many times its own expected duration after its request, so that shorter turns of the same creator
/// go first.
const YIELD_FACTOR: u32 = 10;

/// Additional delay of turns in games, behind requests that a reader waits for.
const GAME_DELAY: Duration = Duration::from_secs(60);

/// Additional delay of turns without viewers.
const UNWATCHED_DELAY: Duration = Duration::from_secs(60);

/// Background work starts ahead of turns once turns have taken this many times its expected duration.
const BACKGROUND_RATIO: u32 = 10;

/// Maximum idle accounts of networks, and of creators within one network.
const MAX_IDLE_ACCOUNTS: usize = 4_096;

/// A turn's number, in request order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(in crate::tables) struct TurnId(u64);

/// The scheduling class of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::tables) enum TurnPriority {
    /// A reader waits for exactly this result: due at the time of the request, and exempt from the network's memory
    /// limit.
    Awaited,
    /// A program's query outside any game: due the later, the longer it takes.
    Query,
    /// The game has subscribers or was viewed within the last minute.
    Watched,
    /// The game has no viewers.
    Unwatched,
    /// Background work, behind all turns.
    Background,
}

/// A request for compute time.
#[derive(Clone, Debug)]
pub(in crate::tables) struct TurnRequest {
    /// The game whose computer is to move; `None` for a job.
    pub(in crate::tables) game: Option<GameId>,
    pub(in crate::tables) payer: ComputeAccount,
    pub(in crate::tables) threads: usize,
    /// Maximum memory of the turn in bytes, until its end.
    pub(in crate::tables) bytes: usize,
    /// Expected duration of the next ply, on each of its threads.
    pub(in crate::tables) expected: Duration,
    pub(in crate::tables) priority: TurnPriority,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct ComputeLimits {
    /// Threads for turns of any length, without the quick thread.
    pub(super) threads: usize,
    /// Maximum memory in bytes of all started turns.
    pub(super) bytes: usize,
}

/// All turns, and the accounts.
pub(super) struct FairQueue {
    limits: ComputeLimits,
    next_id: u64,
    turns: HashMap<TurnId, QueuedTurn>,
    networks: HashMap<Option<ClientNetwork>, ClientNetworkShare>,
    /// Virtual time of the networks' accounts.
    virtual_time: Duration,
    threads: usize,
    bytes: usize,
    quick: QuickLane,
    /// Queued turns, longest waiting first.
    waiting_since: BTreeSet<(Instant, TurnId)>,
    quick_waiting: usize,
    /// Queued background work, in request order.
    background: BTreeSet<(Instant, TurnId)>,
    is_background_running: bool,
    /// Compute time of turns since background work last started.
    turn_time_since_background: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum QuickLane {
    Free,
    Occupied,
}

/// A client network's account, and its creators' accounts.
#[derive(Default)]
struct ClientNetworkShare {
    account: TimeAccount,
    creators: HashMap<Option<SecretHash>, CreatorShare>,
    /// Virtual time of the creators' accounts.
    virtual_time: Duration,
    threads: usize,
    bytes: usize,
}

impl ClientNetworkShare {
    /// A turn is no longer queued or running.
    fn finish_turn(&mut self, creator: Option<SecretHash>) {
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
    request: TurnRequest,
    /// When the turn was first requested.
    requested_at: Instant,
    state: TurnState,
    /// Whether its memory is accounted for.
    has_started: bool,
}

enum TurnState {
    Queued { due: Instant, since: Instant },
    Running { on: ThreadClass, charged: Duration },
    Idle,
}

/// When background work may start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum BackgroundStart {
    /// Before all turns, since they have taken enough time.
    Now,
    /// When no turn is queued.
    WhenIdle,
}

/// The kind of thread that runs a ply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ThreadClass {
    General,
    Quick,
}

impl QueuedTurn {
    fn is_background(&self) -> bool {
        self.request.priority == TurnPriority::Background
    }

    fn is_quick(&self) -> bool {
        !self.is_background()
            && self.request.threads == 1
            && self.request.expected <= QUICK_THRESHOLD
    }

    fn due(&self) -> Instant {
        let yielding = self.request.expected.saturating_mul(YIELD_FACTOR);
        self.requested_at
            + match self.request.priority {
                TurnPriority::Awaited => Duration::ZERO,
                TurnPriority::Query => yielding,
                TurnPriority::Watched => GAME_DELAY + yielding,
                TurnPriority::Unwatched | TurnPriority::Background => {
                    GAME_DELAY + yielding + UNWATCHED_DELAY
                }
            }
    }

    fn work(&self, time: Duration) -> Duration {
        time.saturating_mul(u32::try_from(self.request.threads).unwrap_or(u32::MAX))
    }
}

/// A creator with queued turns, and its rank in the queue.
struct RankedCreator<'a> {
    rank: (Duration, Duration, (Instant, TurnId)),
    network_id: Option<ClientNetwork>,
    network: &'a ClientNetworkShare,
    creator: &'a CreatorShare,
}

impl FairQueue {
    pub(super) fn new(limits: ComputeLimits) -> Self {
        FairQueue {
            limits,
            next_id: 0,
            turns: HashMap::new(),
            networks: HashMap::new(),
            virtual_time: Duration::ZERO,
            threads: 0,
            bytes: 0,
            quick: QuickLane::Free,
            waiting_since: BTreeSet::new(),
            quick_waiting: 0,
            background: BTreeSet::new(),
            is_background_running: false,
            turn_time_since_background: Duration::ZERO,
        }
    }

    /// Adds a turn to the queue. Its threads and memory are capped at the limits.
    pub(super) fn enqueue(&mut self, mut request: TurnRequest, now: Instant) -> TurnId {
        request.threads = request.threads.clamp(1, self.limits.threads);
        request.bytes = request.bytes.min(self.limits.bytes);
        self.next_id += 1;
        let number = TurnId(self.next_id);
        let turn = QueuedTurn {
            request,
            requested_at: now,
            state: TurnState::Idle,
            has_started: false,
        };
        self.turns.insert(number, turn);
        self.insert_turn(number, now);
        number
    }

    /// Queues the next ply of an idle turn; its due time still counts from the turn's first request.
    pub(super) fn enqueue_next_ply(
        &mut self,
        number: TurnId,
        expected: Duration,
        priority: TurnPriority,
        now: Instant,
    ) {
        if let Some(turn) = self.turns.get_mut(&number) {
            (turn.request.expected, turn.request.priority) = (expected, priority);
            self.insert_turn(number, now);
        }
    }

    /// Ends a slice of a running ply, which took `elapsed`, and queues the ply again with the same due time.
    pub(super) fn requeue(&mut self, number: TurnId, elapsed: Duration, now: Instant) {
        self.pause_turn(number, elapsed);
        self.insert_turn(number, now);
    }

    /// Starts the next turn, if one can run.
    pub(super) fn next_runnable(&mut self) -> Option<TurnId> {
        let overdue = self
            .first_background()
            .filter(|(_, due)| *due == BackgroundStart::Now);
        if let Some((number, _)) = overdue {
            self.start_background(number);
            return Some(number);
        }
        if let Some((number, on)) = self.first_turn() {
            self.start_turn(number, on);
            return Some(number);
        }
        let (number, _) = self.first_background()?;
        self.start_background(number);
        Some(number)
    }

    /// Ends a turn's ply, which took `elapsed`; the turn becomes idle.
    pub(super) fn pause_turn(&mut self, number: TurnId, elapsed: Duration) {
        let Some(turn) = self.turns.get_mut(&number) else {
            return;
        };
        let state = std::mem::replace(&mut turn.state, TurnState::Idle);
        if turn.is_background() {
            return self.pause_background(number, &state);
        }
        let turn = &self.turns[&number];
        let payer = turn.request.payer;
        let Some(network) = self.networks.get_mut(&payer.client_network) else {
            return;
        };
        let Some(creator) = network.creators.get_mut(&payer.creator) else {
            return;
        };
        match state {
            TurnState::Idle => return,
            TurnState::Queued { due, since } => {
                creator.waiting.remove(&(due, number));
                self.waiting_since.remove(&(since, number));
                self.quick_waiting -= usize::from(turn.is_quick());
            }
            TurnState::Running { on, charged } => {
                let elapsed = turn.work(elapsed);
                self.turn_time_since_background =
                    self.turn_time_since_background.saturating_add(elapsed);
                creator.account.correct(charged, elapsed);
                network.account.correct(charged, elapsed);
                let all = network.creators.values();
                let all = all.map(|creator| &creator.account);
                network.virtual_time = advanced(network.virtual_time, elapsed, all);
                match on {
                    ThreadClass::Quick => self.quick = QuickLane::Free,
                    ThreadClass::General => {
                        network.threads -= turn.request.threads;
                        self.threads -= turn.request.threads;
                    }
                }
                let all = self.networks.values();
                let all = all.map(|network| &network.account);
                self.virtual_time = advanced(self.virtual_time, elapsed, all);
            }
        }
        if let Some(network) = self.networks.get_mut(&payer.client_network) {
            network.finish_turn(payer.creator);
        }
    }

    /// Ends a turn in any state and releases its resources.
    pub(super) fn remove_turn(&mut self, number: TurnId, elapsed: Duration) {
        self.pause_turn(number, elapsed);
        let Some(turn) = self.turns.remove(&number) else {
            return;
        };
        if turn.is_background() {
            self.bytes -= if turn.has_started {
                turn.request.bytes
            } else {
                0
            };
            return self.prune_accounts(turn.request.payer);
        }
        let network = self.networks.get_mut(&turn.request.payer.client_network);
        if let Some(network) = network
            && turn.has_started
        {
            self.bytes -= turn.request.bytes;
            network.bytes -= turn.request.bytes;
        }
        self.prune_accounts(turn.request.payer);
    }

    pub(super) fn waiting(&self) -> usize {
        self.waiting_since.len()
    }

    pub(super) fn thinking(&self) -> usize {
        self.threads + usize::from(self.quick == QuickLane::Occupied)
    }

    /// The time since which the longest-waiting turn has been queued.
    pub(super) fn oldest_queued_at(&self) -> Option<Instant> {
        self.waiting_since.first().map(|(since, _)| *since)
    }

    /// The number of turns queued before this game's, without later requests; `None` if it is not queued.
    pub(super) fn queue_position(&self, game: &GameId) -> Option<usize> {
        let mut before = 0;
        for ranked in self.ranked_creators() {
            for (_, number) in &ranked.creator.waiting {
                if self.turns[number].request.game.as_ref() == Some(game) {
                    return Some(before);
                }
                before += 1;
            }
        }
        None
    }

    pub(super) fn is_queued_or_running(&self, game: &GameId) -> bool {
        let mut turns = self.turns.values();
        turns.any(|turn| {
            !matches!(turn.state, TurnState::Idle) && turn.request.game.as_ref() == Some(game)
        })
    }

    fn insert_turn(&mut self, number: TurnId, now: Instant) {
        let turn = self.turns.get_mut(&number).expect("the turn exists");
        let due = turn.due();
        turn.state = TurnState::Queued { due, since: now };
        if turn.is_background() {
            self.waiting_since.insert((now, number));
            self.background.insert((now, number));
            return;
        }
        let quick = turn.is_quick();
        let payer = turn.request.payer;
        let virtual_time = self.virtual_time;
        let network = self.networks.entry(payer.client_network);
        let network = network.or_insert_with(|| ClientNetworkShare {
            account: TimeAccount::starting_at(virtual_time),
            ..ClientNetworkShare::default()
        });
        network.account.start_waiting(virtual_time);
        let virtual_time = network.virtual_time;
        let creator = network.creators.entry(payer.creator);
        let creator = creator.or_insert_with(|| CreatorShare {
            account: TimeAccount::starting_at(virtual_time),
            waiting: BTreeSet::new(),
        });
        creator.account.start_waiting(network.virtual_time);
        creator.waiting.insert((due, number));
        self.waiting_since.insert((now, number));
        self.quick_waiting += usize::from(quick);
    }

    /// The creators with queued turns, in scheduling order.
    fn ranked_creators(&self) -> Vec<RankedCreator<'_>> {
        let mut creators = Vec::new();
        for (network_id, network) in &self.networks {
            for creator in network.creators.values() {
                if let Some(&first) = creator.waiting.first() {
                    creators.push(RankedCreator {
                        rank: (network.account.spent, creator.account.spent, first),
                        network_id: *network_id,
                        network,
                        creator,
                    });
                }
            }
        }
        creators.sort_by_key(|ranked| ranked.rank);
        creators
    }

    /// The first turn in scheduling order that can run now.
    fn first_turn(&self) -> Option<(TurnId, ThreadClass)> {
        let mut threads = self.limits.threads - self.threads;
        let mut memory = self.limits.bytes - self.bytes;
        let quick = self.quick == QuickLane::Free && self.quick_waiting > 0;
        if threads == 0 && !quick {
            return None;
        }
        // Networks with a turn that waits for memory.
        let mut full = Vec::new();
        for ranked in self.ranked_creators() {
            for &(_, number) in &ranked.creator.waiting {
                if threads == 0 && !quick {
                    return None;
                }
                let turn = &self.turns[&number];
                let request = &turn.request;
                let on = if threads > 0 && self.has_free_threads(ranked.network, request.threads) {
                    ThreadClass::General
                } else if quick && turn.is_quick() {
                    ThreadClass::Quick
                } else {
                    continue;
                };
                if !turn.has_started && request.bytes > 0 {
                    if request.priority != TurnPriority::Awaited {
                        if full.contains(&ranked.network_id) {
                            continue;
                        }
                        if request.bytes > self.available_memory(ranked.network) {
                            full.push(ranked.network_id);
                            continue;
                        }
                    }
                    if request.bytes > memory {
                        memory = 0;
                        continue;
                    }
                }
                if on == ThreadClass::General && request.threads > threads {
                    // Reserves the threads that become free for this turn.
                    threads = 0;
                    continue;
                }
                return Some((number, on));
            }
        }
        None
    }

    /// The first background work, if it can run now.
    fn first_background(&self) -> Option<(TurnId, BackgroundStart)> {
        let &(_, number) = self.background.first()?;
        let request = &self.turns[&number].request;
        let fits = self.threads + request.threads <= self.limits.threads
            && self.bytes.saturating_add(request.bytes) <= self.limits.bytes;
        if self.is_background_running || !fits {
            return None;
        }
        if self.turn_time_since_background >= request.expected.saturating_mul(BACKGROUND_RATIO) {
            Some((number, BackgroundStart::Now))
        } else if self.waiting_since.len() == self.background.len() {
            Some((number, BackgroundStart::WhenIdle))
        } else {
            None
        }
    }

    fn start_background(&mut self, number: TurnId) {
        let turn = self.turns.get_mut(&number).expect("the turn is queued");
        let TurnState::Queued { since, .. } = turn.state else {
            return;
        };
        turn.state = TurnState::Running {
            on: ThreadClass::General,
            charged: Duration::ZERO,
        };
        if !std::mem::replace(&mut turn.has_started, true) {
            self.bytes += turn.request.bytes;
        }
        self.threads += turn.request.threads;
        self.waiting_since.remove(&(since, number));
        self.background.remove(&(since, number));
        self.is_background_running = true;
        self.turn_time_since_background = Duration::ZERO;
    }

    fn pause_background(&mut self, number: TurnId, state: &TurnState) {
        match state {
            TurnState::Idle => {}
            TurnState::Queued { since, .. } => {
                self.waiting_since.remove(&(*since, number));
                self.background.remove(&(*since, number));
            }
            TurnState::Running { .. } => {
                self.threads -= self.turns[&number].request.threads;
                self.is_background_running = false;
            }
        }
    }

    /// Whether a network may occupy this many more threads.
    fn has_free_threads(&self, network: &ClientNetworkShare, threads: usize) -> bool {
        let max = self.limits.threads.saturating_sub(1).max(1);
        network.threads == 0 || network.threads + threads <= max
    }

    /// The memory in bytes that a network may still take.
    fn available_memory(&self, network: &ClientNetworkShare) -> usize {
        if network.bytes == 0 {
            return self.limits.bytes;
        }
        (self.limits.bytes / 2).saturating_sub(network.bytes)
    }

    fn start_turn(&mut self, number: TurnId, on: ThreadClass) {
        let turn = self.turns.get_mut(&number).expect("the turn is queued");
        let TurnState::Queued { due, since } = turn.state else {
            return;
        };
        let charged = turn.work(turn.request.expected);
        turn.state = TurnState::Running { on, charged };
        self.waiting_since.remove(&(since, number));
        self.quick_waiting -= usize::from(turn.is_quick());
        let payer = turn.request.payer;
        let network = self.networks.get_mut(&payer.client_network);
        let network = network.expect("a turn has an account");
        let creator = network.creators.get_mut(&payer.creator);
        let creator = creator.expect("a turn has an account");
        creator.waiting.remove(&(due, number));
        network.account.spent += charged;
        creator.account.spent += charged;
        if !std::mem::replace(&mut turn.has_started, true) {
            self.bytes += turn.request.bytes;
            network.bytes += turn.request.bytes;
        }
        match on {
            ThreadClass::Quick => self.quick = QuickLane::Occupied,
            ThreadClass::General => {
                self.threads += turn.request.threads;
                network.threads += turn.request.threads;
            }
        }
    }

    /// Removes idle accounts that are equivalent to new ones or too many, and all accounts when there are no turns.
    fn prune_accounts(&mut self, payer: ComputeAccount) {
        if self.turns.is_empty() {
            self.networks.clear();
            self.virtual_time = Duration::ZERO;
            return;
        }
        let virtual_time = self.virtual_time;
        if let Some(network) = self.networks.get_mut(&payer.client_network) {
            let (all, network_virtual_time) = (network.creators.len(), network.virtual_time);
            network.creators.retain(|_, creator| {
                let account = &creator.account;
                account.turns > 0
                    || all <= MAX_IDLE_ACCOUNTS && !account.is_default(network_virtual_time)
            });
        }
        let all = self.networks.len();
        self.networks.retain(|_, network| {
            let account = &network.account;
            account.turns > 0
                || network.bytes > 0
                || all <= MAX_IDLE_ACCOUNTS && !account.is_default(virtual_time)
        });
    }
}

#[cfg(test)]
mod tests;
