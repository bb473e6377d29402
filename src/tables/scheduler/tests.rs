use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::client_network::ClientNetwork;
use crate::tables::compute_account::ComputeAccount;
use tokio::sync::mpsc;

fn scheduler(threads: usize, slots: usize) -> ComputeScheduler {
    let settings = ServiceSettings {
        compute_threads: threads,
        max_queued_turns: slots,
        compute_bytes: 1 << 20,
        ply_deadline: Duration::from_secs(60),
        ..ServiceSettings::default()
    };
    ComputeScheduler::new(&settings, &Environment::default())
}

fn request() -> TurnRequest {
    TurnRequest {
        game: Some(GameId::random()),
        payer: ComputeAccount::default(),
        threads: 1,
        bytes: 0,
        expected: Duration::from_millis(100),
        priority: TurnPriority::Watched,
    }
}

impl ComputeScheduler {
    fn enqueue_one(&self) -> QueueTicket {
        self.enqueue(request()).ok().unwrap()
    }
}

/// Lets all tasks run until they are blocked.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn is_started(ticket: &mut QueueTicket) -> bool {
    ticket.started.try_recv().is_ok()
}

#[tokio::test]
async fn turns_of_one_creator_run_in_request_order() {
    let scheduler = scheduler(1, 1000);
    let (done, mut order) = mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    // The tickets are awaited in reverse order; the order of requests must count.
    let tickets: Vec<_> = (0..200).map(|_| scheduler.enqueue_one()).collect();
    for (number, ticket) in tickets.into_iter().enumerate().rev() {
        let (done, cancel) = (done.clone(), cancel.clone());
        tokio::spawn(async move {
            let result = ticket.run(&cancel, move |_| done.send(number));
            result.await.ok().unwrap().0.unwrap();
        });
    }
    for number in 0..200 {
        assert_eq!(order.recv().await, Some(number));
    }
}

#[tokio::test]
async fn the_memory_of_a_turn_is_accounted_until_it_ends() {
    let scheduler = scheduler(4, 10);
    let large = || TurnRequest {
        bytes: 3 << 18,
        ..request()
    };
    let cancel = CancellationToken::new();
    let ticket = scheduler.enqueue(large()).ok().unwrap();
    let (_, _, turn) = ticket.run(&cancel, |_| ()).await.ok().unwrap();
    let mut second = scheduler.enqueue(large()).ok().unwrap();
    assert!(!is_started(&mut second));
    let mut next = turn.enqueue_next_ply(Duration::from_millis(100), TurnPriority::Watched);
    assert!(is_started(&mut next) && !is_started(&mut second));
    drop(next);
    assert!(is_started(&mut second));
    drop(second);
    assert_eq!(scheduler.stats(), QueueStats::default());
}

#[tokio::test]
async fn queue_slots_are_bounded_and_released_when_a_turn_starts() {
    let scheduler = scheduler(1, 2);
    let cancel = CancellationToken::new();
    let (unblock, blocked) = std::sync::mpsc::channel::<()>();
    let busy = scheduler.enqueue_one();
    let _waiting = scheduler.enqueue_one();
    assert!(scheduler.enqueue(request()).is_err());
    let waiting = tokio::spawn({
        let scheduler = scheduler.clone();
        async move { drop(scheduler.enqueue_when_free(request()).await) }
    });
    settle().await;
    assert!(!waiting.is_finished());
    let running = tokio::spawn({
        let cancel = cancel.clone();
        async move { busy.run(&cancel, move |_| blocked.recv()).await.is_ok() }
    });
    // The computation has started, so its slot went to the waiting request.
    waiting.await.unwrap();
    unblock.send(()).unwrap();
    assert!(running.await.unwrap());
}

#[tokio::test]
async fn a_cancelled_turn_is_removed() {
    let scheduler = scheduler(1, 10);
    let (cancel_running, cancel_queued) = (CancellationToken::new(), CancellationToken::new());
    let (first, second) = (scheduler.enqueue_one(), scheduler.enqueue_one());
    assert_eq!(scheduler.stats().queued_turns, 1);
    cancel_queued.cancel();
    let cancelled = second.run(&cancel_queued, |_| ()).await;
    assert_eq!(cancelled.err(), Some(ComputeError::Cancelled));
    let (started_sender, started) = oneshot::channel();
    let running = tokio::spawn({
        let cancel_running = cancel_running.clone();
        async move {
            let until_stopped = move |stop: &StopToken| {
                started_sender.send(()).unwrap();
                while !stop.is_stop_requested() {
                    std::thread::yield_now();
                }
            };
            first.run(&cancel_running, until_stopped).await.err()
        }
    });
    started.await.unwrap();
    assert_eq!(scheduler.stats().busy_threads, 1);
    cancel_running.cancel();
    assert_eq!(running.await.unwrap(), Some(ComputeError::Cancelled));
    assert_eq!(scheduler.stats(), QueueStats::default());
}

#[tokio::test]
async fn endless_work_is_stopped_and_a_panic_releases_its_thread() {
    let settings = ServiceSettings {
        compute_threads: 1,
        max_queued_turns: 10,
        compute_bytes: 0,
        ply_deadline: Duration::from_millis(1),
        ..ServiceSettings::default()
    };
    let scheduler = ComputeScheduler::new(&settings, &Environment::default());
    let cancel = CancellationToken::new();
    let endless = |stop: &StopToken| {
        while !stop.is_stop_requested() {
            std::thread::yield_now();
        }
        7
    };
    let result = scheduler.enqueue_one().run(&cancel, endless).await;
    assert_eq!(result.ok().map(|(result, ..)| result), Some(7));
    let failed = scheduler
        .enqueue_one()
        .run(&cancel, |_| panic!("on purpose"));
    let failed: Result<((), _, _), _> = failed.await;
    assert_eq!(failed.err(), Some(ComputeError::Failed));
    assert_eq!(scheduler.stats(), QueueStats::default());
}

/// Work that ends when `flag` is set or a stop is requested; returns whether the flag was set.
fn search_until(flag: &Arc<AtomicBool>) -> impl FnOnce(&StopToken) -> bool + Send + use<> {
    let flag = Arc::clone(flag);
    move |stop| {
        while !flag.load(Ordering::Relaxed) && !stop.check() {
            std::thread::yield_now();
        }
        flag.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_long_search_yields_to_turns_of_other_networks() {
    let scheduler = scheduler(1, 10);
    let cancel = CancellationToken::new();
    let is_done = Arc::new(AtomicBool::new(false));
    let of_network = |address: &str| TurnRequest {
        payer: ComputeAccount {
            client_network: Some(ClientNetwork::from_ip(address.parse().unwrap())),
            creator: None,
        },
        expected: Duration::from_secs(5),
        ..request()
    };
    let long = scheduler.enqueue(of_network("192.0.2.1")).ok().unwrap();
    let long = tokio::spawn({
        let (cancel, work) = (cancel.clone(), search_until(&is_done));
        async move { long.run(&cancel, work).await.ok().unwrap().0 }
    });
    // It ends only if it runs while the long search is unfinished, as only one thread computes.
    let other = scheduler.enqueue(of_network("192.0.2.2")).ok().unwrap();
    other.run(&cancel, |_| ()).await.ok().unwrap();
    assert!(!long.is_finished());
    is_done.store(true, Ordering::Relaxed);
    assert!(long.await.unwrap(), "the search was continued");
    assert_eq!(scheduler.stats(), QueueStats::default());
}

#[tokio::test]
async fn a_paused_search_ends_when_it_is_cancelled() {
    let scheduler = scheduler(1, 10);
    let (cancel_long, cancel) = (CancellationToken::new(), CancellationToken::new());
    let never = Arc::new(AtomicBool::new(false));
    let long = scheduler.enqueue_one();
    let long = tokio::spawn({
        let (cancel, work) = (cancel_long.clone(), search_until(&never));
        async move { long.run(&cancel, work).await.err() }
    });
    // It needs no slices, so the long search is paused until it ends.
    let (started_sender, started) = oneshot::channel();
    let (unblock, blocked) = std::sync::mpsc::channel::<()>();
    let awaited = TurnRequest {
        priority: TurnPriority::Awaited,
        ..request()
    };
    let other = scheduler.enqueue(awaited).ok().unwrap();
    let other = tokio::spawn(async move {
        let work = move |_: &_| {
            started_sender.send(()).unwrap();
            blocked.recv()
        };
        other.run(&cancel, work).await.is_ok()
    });
    started.await.unwrap();
    assert_eq!(scheduler.state.lock().paused, 1);
    cancel_long.cancel();
    assert_eq!(long.await.unwrap(), Some(ComputeError::Cancelled));
    assert_eq!(scheduler.state.lock().paused, 0);
    unblock.send(()).unwrap();
    assert!(other.await.unwrap());
    assert_eq!(scheduler.stats(), QueueStats::default());
}
