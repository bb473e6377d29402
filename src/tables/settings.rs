//! The settings of a server's games.

use std::time::Duration;

use crate::client_network::LoopbackPolicy;
use crate::tables::retention::RetentionPolicy;
use crate::tables::storage_quota::StorageQuota;

#[derive(Clone, Copy, Debug)]
pub struct ServiceSettings {
    /// Number of compute threads, at least 1. Plies of a few milliseconds have one more.
    pub compute_threads: usize,
    /// Total memory in bytes for the search trees of computers' turns in progress.
    pub compute_bytes: usize,
    /// Maximum number of queued computer turns, at least 1. A request for a ply beyond it is rejected as busy;
    /// computers that move by themselves wait until there is space.
    pub max_queued_turns: usize,
    /// Time after which a search is asked to stop, per ply: far longer than any level needs.
    pub ply_deadline: Duration,
    /// A game between computers is paused if it has not been viewed for this long.
    pub unwatched_after: Duration,
    /// A game without commands for this long is unloaded.
    pub idle_timeout: Duration,
    /// Maximum number of games in memory, at least 1. Beyond it the least recently viewed games are unloaded; games
    /// with subscribers or a running computer count, but stay.
    pub max_tables: usize,
    /// Whether the limits on open tables also apply to clients on this machine.
    pub limit_loopback: bool,
    pub storage_quota: StorageQuota,
    pub retention: RetentionPolicy,
    /// Whether the limits of what one client network adds to public counts apply to this machine.
    pub loopback: LoopbackPolicy,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        // Leaves one core for serving pages while computers run.
        ServiceSettings {
            compute_threads: cores.saturating_sub(1).max(1),
            compute_bytes: 512 << 20,
            max_queued_turns: 10_000,
            ply_deadline: Duration::from_secs(10),
            unwatched_after: Duration::from_secs(60),
            idle_timeout: Duration::from_secs(10 * 60),
            max_tables: 20_000,
            limit_loopback: false,
            storage_quota: StorageQuota::default(),
            retention: RetentionPolicy::default(),
            loopback: LoopbackPolicy::default(),
        }
    }
}
