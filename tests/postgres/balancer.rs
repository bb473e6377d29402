//! Two servers on one PostgreSQL database behind Debian's HAProxy with the configuration of
//! packaging/containers: rolling restarts cause no errors for players and watchers, and a kill loses nothing.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::balanced::{BalancedServers, is_without_balancer};
use crate::bots::{Seen, start_bots, stop_bots, wait_for_progress};
use crate::common::loops::{promised, times};
use crate::common::{Api, assert_contains, program};
use crate::server::Postgres;

/// Time limit for every game to continue after any failure of a server.
const TAKEOVER_LIMIT: Duration = Duration::from_secs(3);

/// Time limit for every game to continue after the return of the database.
const RECOVERY_LIMIT: Duration = Duration::from_secs(5);

/// `DOD_RESTARTS=20 cargo test --test postgres one_after_the_other -- --nocapture`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_restarted_one_after_the_other_cause_no_errors() {
    if is_without_balancer() {
        return;
    }
    let restarts = times("DOD_RESTARTS", 40);
    let mut servers = BalancedServers::new().await;
    let seen = Arc::new(Seen::default());
    let bots = start_bots(&servers, &seen);
    for restart in 0..restarts {
        let begun = Instant::now();
        servers.restart(restart as usize % 2).await;
        wait_for_progress(&bots, begun).await;
    }
    stop_bots(bots, &seen).await;
    let errors = seen.error_texts.lock().unwrap();
    assert!(errors.is_empty(), "{errors:#?}");
    println!(
        "{restarts} restarts: {} plies acknowledged, {} errors, {} streams begun",
        seen.plies.load(Ordering::Relaxed),
        errors.len(),
        seen.streams.load(Ordering::Relaxed)
    );
}

/// `DOD_BALANCED_KILLS=50 cargo test --test postgres balancer::after_a_kill_9 -- --nocapture`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_9_all_games_continue_at_the_other_server() {
    if is_without_balancer() {
        return;
    }
    let kills = times("DOD_BALANCED_KILLS", 50);
    let bound = promised("DOD_BALANCED_KILLS", TAKEOVER_LIMIT);
    let mut servers = BalancedServers::new().await;
    let seen = Arc::new(Seen::default());
    let bots = start_bots(&servers, &seen);
    let mut longest = Duration::ZERO;
    for kill in 0..kills {
        let begun = Instant::now();
        let killing = servers.kill(kill as usize % 2);
        let (took, ()) = tokio::join!(wait_for_progress(&bots, begun), killing);
        longest = longest.max(took);
        assert!(
            took < bound,
            "{took:?}; {:?}",
            seen.error_texts.lock().unwrap()
        );
    }
    stop_bots(bots, &seen).await;
    println!(
        "{kills} kills: {} plies acknowledged, {} of them asked for twice, none lost, none twice; {} errors were asked again; all games had gone on after {longest:?}",
        seen.plies.load(Ordering::Relaxed),
        seen.repeated.load(Ordering::Relaxed),
        seen.errors.load(Ordering::Relaxed)
    );
}

/// `DOD_BALANCED_DATABASE_KILLS=10 cargo test --test postgres balancer::after_a_kill_9_of -- --nocapture` kills
/// PostgreSQL ten times under both servers; by default once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn after_a_kill_9_of_the_database_all_games_continue() {
    if is_without_balancer() {
        return;
    }
    let kills = times("DOD_BALANCED_DATABASE_KILLS", 20);
    let bound = promised("DOD_BALANCED_DATABASE_KILLS", RECOVERY_LIMIT);
    let mut postgres = Postgres::start(true);
    let servers = BalancedServers::on_database(postgres.database().await).await;
    let seen = Arc::new(Seen::default());
    let bots = start_bots(&servers, &seen);
    let mut longest = Duration::ZERO;
    for _ in 0..kills {
        wait_for_progress(&bots, Instant::now()).await;
        postgres.kill();
        postgres.start_again();
        let took = wait_for_progress(&bots, Instant::now()).await;
        longest = longest.max(took);
        assert!(
            took < bound,
            "{took:?}; {:?}",
            seen.error_texts.lock().unwrap()
        );
    }
    stop_bots(bots, &seen).await;
    println!(
        "{kills} kills of the database under two servers: {} plies acknowledged, {} of them asked for twice, none lost, none twice; {} errors were asked again; all games had gone on {longest:?} after it was there again",
        seen.plies.load(Ordering::Relaxed),
        seen.repeated.load(Ordering::Relaxed),
        seen.errors.load(Ordering::Relaxed)
    );
}

#[test]
fn only_a_server_process_can_be_drained() {
    let run = |pid: u32| {
        let run = program()
            .args(["drain", &pid.to_string()])
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!(run.status.code(), Some(1), "{message}");
        message
    };
    let message = run(std::process::id());
    assert_contains(&message, &["is not a dice-of-doom server"]);
    // The largest process id on Linux is 4,194,304.
    assert!(run(4_194_305).contains("is not a dice-of-doom server"));
}

/// A balancer that buffers events delays them by 40 to 200 ms.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_delivered_without_delay() {
    if is_without_balancer() {
        return;
    }
    let servers = BalancedServers::new().await;
    let delay = Api::new(servers.url.clone()).event_delay().await;
    assert!(delay < Duration::from_millis(35), "{delay:?}");
}
