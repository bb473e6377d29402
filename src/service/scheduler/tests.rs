use super::*;
use crate::service::client_network::ComputeAccount;
use tokio::sync::mpsc;

fn thinkers(threads: usize, places: usize) -> ComputeScheduler {
    let settings = ServiceSettings {
        thinkers: threads,
        waiting: places,
        thinking_bytes: 1 << 20,
        deadline: Duration::from_secs(60),
        ..ServiceSettings::default()
    };
    ComputeScheduler::new(&settings, &Environment::default())
}

fn wish() -> TurnRequest {
    TurnRequest {
        game: GameId::random(),
        payer: ComputeAccount::default(),
        threads: 1,
        bytes: 0,
        expected: Duration::from_millis(100),
        attention: TurnPriority::Watched,
    }
}

impl ComputeScheduler {
    fn seated(&self) -> QueueTicket {
        self.ask(wish()).ok().unwrap()
    }
}

/// Lets every task run until it waits.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

fn is_called(ticket: &mut QueueTicket) -> bool {
    ticket.called.try_recv().is_ok()
}

#[tokio::test]
async fn of_one_creator_who_asks_first_is_served_first() {
    let thinkers = thinkers(1, 1000);
    let (done, mut order) = mpsc::unbounded_channel();
    let cancel = CancellationToken::new();
    // The last tickets begin to wait first: what counts is when they were asked for.
    let tickets: Vec<_> = (0..200).map(|_| thinkers.seated()).collect();
    for (number, ticket) in tickets.into_iter().enumerate().rev() {
        let (done, cancel) = (done.clone(), cancel.clone());
        tokio::spawn(async move {
            let thought = ticket.think(&cancel, move |_| done.send(number));
            thought.await.ok().unwrap().0.unwrap();
        });
    }
    for number in 0..200 {
        assert_eq!(order.recv().await, Some(number));
    }
}

#[tokio::test]
async fn what_a_turn_remembers_is_counted_until_it_ends() {
    let thinkers = thinkers(4, 10);
    let large = || TurnRequest {
        bytes: 3 << 18,
        ..wish()
    };
    let cancel = CancellationToken::new();
    let ticket = thinkers.ask(large()).ok().unwrap();
    let (_, _, turn) = ticket.think(&cancel, |_| ()).await.ok().unwrap();
    let mut second = thinkers.ask(large()).ok().unwrap();
    assert!(!is_called(&mut second));
    let mut next = turn.go_on(Duration::from_millis(100), TurnPriority::Watched);
    assert!(is_called(&mut next) && !is_called(&mut second));
    drop(next);
    assert!(is_called(&mut second));
    drop(second);
    assert_eq!(thinkers.queue(), QueueStats::default());
}

#[tokio::test]
async fn places_are_bounded_and_come_free_when_thinking_begins() {
    let thinkers = thinkers(1, 2);
    let cancel = CancellationToken::new();
    let (begin, begun) = std::sync::mpsc::channel::<()>();
    let busy = thinkers.seated();
    let _waiting = thinkers.seated();
    assert!(thinkers.ask(wish()).is_err());
    let outside = tokio::spawn({
        let thinkers = thinkers.clone();
        async move { drop(thinkers.ask_patiently(wish()).await) }
    });
    settle().await;
    assert!(!outside.is_finished());
    let thinking = tokio::spawn({
        let cancel = cancel.clone();
        async move { busy.think(&cancel, move |_| begun.recv()).await.is_ok() }
    });
    // Thinking has begun, so its place went to the turn outside.
    outside.await.unwrap();
    begin.send(()).unwrap();
    assert!(thinking.await.unwrap());
}

#[tokio::test]
async fn a_cancelled_turn_leaves_at_once_or_soon() {
    let thinkers = thinkers(1, 10);
    let (working, waiting) = (CancellationToken::new(), CancellationToken::new());
    let (first, second) = (thinkers.seated(), thinkers.seated());
    assert_eq!(thinkers.queue().waiting, 1);
    waiting.cancel();
    let none = second.think(&waiting, |_| ()).await;
    assert_eq!(none.err(), Some(ComputeError::Cancelled));
    let (begun, begin) = oneshot::channel();
    let thinking = tokio::spawn({
        let working = working.clone();
        async move {
            let until_stopped = move |stop: &StopToken| {
                begun.send(()).unwrap();
                while !stop.is_stop_requested() {
                    std::thread::yield_now();
                }
            };
            first.think(&working, until_stopped).await.err()
        }
    });
    begin.await.unwrap();
    assert_eq!(thinkers.queue().thinking, 1);
    working.cancel();
    assert_eq!(thinking.await.unwrap(), Some(ComputeError::Cancelled));
    assert_eq!(thinkers.queue(), QueueStats::default());
}

#[tokio::test]
async fn what_never_ends_is_ended_and_a_panic_gives_its_thread_back() {
    let settings = ServiceSettings {
        thinkers: 1,
        waiting: 10,
        thinking_bytes: 0,
        deadline: Duration::from_millis(1),
        ..ServiceSettings::default()
    };
    let thinkers = ComputeScheduler::new(&settings, &Environment::default());
    let cancel = CancellationToken::new();
    let endless = |stop: &StopToken| {
        while !stop.is_stop_requested() {
            std::thread::yield_now();
        }
        7
    };
    let thought = thinkers.seated().think(&cancel, endless).await;
    assert_eq!(thought.ok().map(|(result, ..)| result), Some(7));
    let failed = thinkers.seated().think(&cancel, |_| panic!("on purpose"));
    let failed: Result<((), _, _), _> = failed.await;
    assert_eq!(failed.err(), Some(ComputeError::Failed));
    assert_eq!(thinkers.queue(), QueueStats::default());
}
