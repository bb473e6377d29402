use super::*;
use crate::secret::Secret;

const MIB: usize = 1 << 20;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn network(number: u8) -> Option<ClientNetwork> {
    Some(ClientNetwork::from_ip([192, 0, 2, number].into()))
}

/// A turn of the network with this number, without a browser.
fn turn_request(number: u8, expected: Duration) -> TurnRequest {
    TurnRequest {
        game: Some(GameId::random()),
        payer: ComputeAccount {
            client_network: network(number),
            creator: None,
        },
        threads: 1,
        bytes: 0,
        expected,
        priority: TurnPriority::Watched,
    }
}

fn queue(threads: usize, bytes: usize) -> (FairQueue, Instant) {
    (
        FairQueue::new(ComputeLimits { threads, bytes }),
        Instant::now(),
    )
}

/// A simulation of turns that never end, whose plies take exactly their expected time.
struct Simulation {
    queue: FairQueue,
    now: Instant,
    thinking: Vec<(Instant, TurnId)>,
    /// When each turn was queued, and how long each ply waited.
    queued_at: HashMap<TurnId, Instant>,
    waits: Vec<(TurnRequest, Duration)>,
    time: HashMap<ComputeAccount, Duration>,
}

impl Simulation {
    fn new(threads: usize) -> Self {
        let (queue, now) = queue(threads, 512 * MIB);
        Simulation {
            queue,
            now,
            thinking: Vec::new(),
            queued_at: HashMap::new(),
            waits: Vec::new(),
            time: HashMap::new(),
        }
    }

    fn enqueue(&mut self, request: TurnRequest) {
        let number = self.queue.enqueue(request, self.now);
        self.queued_at.insert(number, self.now);
        self.start_runnable();
    }

    fn start_runnable(&mut self) {
        while let Some(number) = self.queue.next_runnable() {
            let request = &self.queue.turns[&number].request;
            self.waits
                .push((request.clone(), self.now - self.queued_at[&number]));
            self.thinking.push((self.now + request.expected, number));
        }
    }

    /// Advances the time; every completed ply queues the next one at once.
    fn run(&mut self, time: Duration) {
        let end = self.now + time;
        loop {
            self.thinking.sort();
            let Some(&(done, number)) = self.thinking.first().filter(|(done, _)| *done <= end)
            else {
                self.now = end;
                return;
            };
            self.thinking.remove(0);
            self.now = done;
            let request = self.queue.turns[&number].request.clone();
            *self.time.entry(request.payer).or_default() += request.expected;
            self.queue.pause_turn(number, request.expected);
            self.queue
                .enqueue_next_ply(number, request.expected, request.priority, self.now);
            self.queued_at.insert(number, self.now);
            self.start_runnable();
        }
    }

    fn time_of(&self, fits: impl Fn(&ComputeAccount) -> bool) -> Duration {
        let own = self.time.iter().filter(|(payer, _)| fits(payer));
        own.map(|(_, time)| *time).sum()
    }

    fn longest_wait(&self, fits: impl Fn(&TurnRequest) -> bool) -> Duration {
        let own = self.waits.iter().filter(|(request, _)| fits(request));
        own.map(|(_, wait)| *wait).max().unwrap_or_default()
    }
}

/// Thirty games with plies of half a second, created by this many browsers of one network.
fn enqueue_thirty_games(simulation: &mut Simulation, browsers: usize) {
    let secrets: Vec<_> = (0..browsers).map(|_| Secret::random().hash()).collect();
    for game in 0..30 {
        let mut request = turn_request(1, ms(500));
        request.payer.creator = Some(secrets[game % browsers]);
        request.bytes = MIB;
        simulation.enqueue(request);
    }
}

#[test]
fn many_games_of_a_network_get_as_much_time_as_one_and_delay_no_quick_ply() {
    for browsers in [1, 30] {
        for threads in [1, 2, 7] {
            let mut simulation = Simulation::new(threads);
            enqueue_thirty_games(&mut simulation, browsers);
            simulation.run(Duration::from_secs(20));
            simulation.enqueue(turn_request(2, ms(500)));
            simulation.enqueue(turn_request(3, ms(2)));
            let before = simulation.time_of(|payer| payer.client_network == network(1));
            simulation.run(Duration::from_secs(60));
            let others = simulation.time_of(|payer| payer.client_network == network(2));
            let quick =
                simulation.longest_wait(|request| request.payer.client_network == network(3));
            assert!(quick <= ms(2), "{browsers} {threads}: {quick:?}");
            let added = simulation.time_of(|payer| payer.client_network == network(1)) - before;
            if threads == 1 {
                // The quick game never stops, so three networks share the thread.
                assert!(
                    others >= added.mul_f64(0.9),
                    "{browsers}: {others:?}, {added:?}"
                );
            } else {
                // Its only turn never waits.
                assert!(others >= ms(58_000), "{browsers} {threads}: {others:?}");
            }
            let longest = simulation.longest_wait(|_| true);
            let all = Duration::from_secs(16) * 3;
            assert!(longest <= all, "{browsers} {threads}: {longest:?}");
        }
    }
}

#[test]
fn creators_of_one_network_share_its_time() {
    let mut simulation = Simulation::new(1);
    enqueue_thirty_games(&mut simulation, 1);
    let mut other = turn_request(1, ms(500));
    other.payer.creator = Some(Secret::random().hash());
    let single = other.payer;
    simulation.enqueue(other);
    simulation.run(Duration::from_secs(60));
    let own = simulation.time_of(|payer| *payer == single);
    assert!(own >= ms(29_000), "{own:?}");
}

#[test]
fn compute_time_is_neither_saved_up_nor_owed() {
    let (mut queue, now) = queue(1, 0);
    // One turn runs for an hour in plies of a second, while another is idle.
    let long = queue.enqueue(turn_request(1, ms(1000)), now);
    let idle = queue.enqueue(turn_request(2, ms(1000)), now);
    assert_eq!(queue.next_runnable(), Some(long));
    queue.pause_turn(long, ms(1000));
    assert_eq!(queue.next_runnable(), Some(idle));
    queue.pause_turn(idle, ms(1000));
    for _ in 0..3600 {
        queue.enqueue_next_ply(long, ms(1000), TurnPriority::Watched, now);
        assert_eq!(queue.next_runnable(), Some(long));
        queue.pause_turn(long, ms(1000));
    }
    // Then both and a new one share the time equally.
    let new = queue.enqueue(turn_request(3, ms(1000)), now);
    for number in [long, idle] {
        queue.enqueue_next_ply(number, ms(1000), TurnPriority::Watched, now);
    }
    let mut starts = HashMap::<TurnId, u32>::new();
    for _ in 0..30 {
        let number = queue.next_runnable().unwrap();
        *starts.entry(number).or_default() += 1;
        queue.pause_turn(number, ms(1000));
        queue.enqueue_next_ply(number, ms(1000), TurnPriority::Watched, now);
    }
    for number in [long, idle, new] {
        assert!((9..=11).contains(&starts[&number]), "{starts:?}");
    }
}

#[test]
fn the_actual_duration_of_a_ply_is_charged() {
    let (mut queue, now) = queue(1, 0);
    let underestimated = queue.enqueue(turn_request(1, ms(11)), now);
    let accurate = queue.enqueue(turn_request(2, ms(100)), now);
    let mut elapsed = HashMap::<TurnId, Duration>::new();
    for _ in 0..110 {
        let number = queue.next_runnable().unwrap();
        let (expected, real) = if number == underestimated {
            (ms(11), ms(1000))
        } else {
            (ms(100), ms(100))
        };
        *elapsed.entry(number).or_default() += real;
        queue.pause_turn(number, real);
        queue.enqueue_next_ply(number, expected, TurnPriority::Watched, now);
    }
    assert!(
        elapsed[&underestimated] <= elapsed[&accurate] + ms(1000),
        "{elapsed:?}"
    );
}

#[test]
fn short_turns_precede_long_ones_but_not_indefinitely() {
    let (mut queue, now) = queue(1, 0);
    let busy = queue.enqueue(turn_request(1, ms(100)), now);
    assert_eq!(queue.next_runnable(), Some(busy));
    let large = queue.enqueue(turn_request(1, ms(500)), now);
    let unwatched = TurnRequest {
        priority: TurnPriority::Unwatched,
        ..turn_request(1, ms(20))
    };
    let unwatched = queue.enqueue(unwatched, now);
    let small = queue.enqueue(turn_request(1, ms(50)), now + ms(1000));
    let late = queue.enqueue(turn_request(1, ms(50)), now + ms(5000));
    let last = queue.enqueue(turn_request(1, ms(50)), now + ms(70_000));
    let mut order = Vec::new();
    let mut done = busy;
    loop {
        queue.remove_turn(done, ms(100));
        match queue.next_runnable() {
            Some(next) => done = next,
            None => break,
        }
        order.push(done);
    }
    assert_eq!(order, [small, large, late, unwatched, last]);
}

#[test]
fn a_turn_keeps_its_queue_position() {
    let (mut queue, now) = queue(1, 0);
    let (first, second) = (turn_request(1, ms(50)), turn_request(1, ms(50)));
    let games = [&first, &second].map(|request| request.game.clone().unwrap());
    let first = queue.enqueue(first, now);
    let second = queue.enqueue(second, now + ms(1));
    assert_eq!(queue.next_runnable(), Some(first));
    assert_eq!(queue.queue_position(&games[0]), None);
    assert!(queue.is_queued_or_running(&games[0]));
    queue.pause_turn(first, ms(50));
    assert!(!queue.is_queued_or_running(&games[0]));
    queue.enqueue_next_ply(first, ms(50), TurnPriority::Watched, now + ms(50));
    assert_eq!(queue.queue_position(&games[0]), Some(0));
    assert_eq!(queue.queue_position(&games[1]), Some(1));
    assert_eq!(queue.oldest_queued_at(), Some(now + ms(1)));
    assert_eq!(queue.next_runnable(), Some(first));
    queue.remove_turn(first, ms(50));
    assert_eq!(queue.next_runnable(), Some(second));
    assert_eq!((queue.waiting(), queue.thinking()), (0, 1));
}

#[test]
fn a_quick_ply_runs_alongside_a_long_one() {
    let (mut queue, now) = queue(1, 0);
    let long = queue.enqueue(turn_request(1, ms(500)), now);
    assert_eq!(queue.next_runnable(), Some(long));
    let other = queue.enqueue(turn_request(2, ms(500)), now);
    let quick = [1, 2].map(|number| queue.enqueue(turn_request(number, QUICK_THRESHOLD), now));
    // The network without spent time comes first.
    assert_eq!(queue.next_runnable(), Some(quick[1]));
    assert_eq!((queue.next_runnable(), queue.thinking()), (None, 2));
    queue.remove_turn(quick[1], ms(5));
    assert_eq!(queue.next_runnable(), Some(quick[0]));
    queue.remove_turn(quick[0], ms(5));
    assert_eq!(queue.next_runnable(), None);
    queue.remove_turn(long, ms(500));
    assert_eq!(queue.next_runnable(), Some(other));
}

#[test]
fn one_network_never_occupies_the_last_thread() {
    let (mut queue, now) = queue(3, 0);
    let own = [0; 3].map(|_| queue.enqueue(turn_request(1, ms(500)), now));
    assert_eq!(queue.next_runnable(), Some(own[0]));
    assert_eq!(queue.next_runnable(), Some(own[1]));
    assert_eq!(queue.next_runnable(), None);
    let other = queue.enqueue(turn_request(2, ms(500)), now);
    assert_eq!(queue.next_runnable(), Some(other));
    // A single turn may occupy all threads.
    let (mut pair, now) = self::queue(2, 0);
    let wide = TurnRequest {
        threads: 2,
        ..turn_request(1, ms(500))
    };
    assert!(pair.enqueue(wide, now) == pair.next_runnable().unwrap());
    assert_eq!(pair.thinking(), 2);
}

#[test]
fn a_turn_that_needs_two_threads_is_not_overtaken() {
    let (mut queue, now) = queue(2, 0);
    let one = queue.enqueue(turn_request(1, ms(500)), now);
    let wide = TurnRequest {
        threads: 2,
        ..turn_request(2, ms(500))
    };
    let wide = queue.enqueue(wide, now);
    assert_eq!(queue.next_runnable(), Some(one));
    let late = queue.enqueue(turn_request(3, ms(500)), now + ms(60_000));
    assert_eq!(queue.next_runnable(), None);
    queue.remove_turn(one, ms(500));
    assert_eq!(queue.next_runnable(), Some(wide));
    assert_eq!(queue.next_runnable(), None);
    queue.remove_turn(wide, ms(500));
    assert_eq!(queue.next_runnable(), Some(late));
    queue.remove_turn(late, ms(500));
    // With a single thread, a turn that requests two runs on that one.
    let (mut single, now) = self::queue(1, 0);
    let wide = TurnRequest {
        threads: 2,
        ..turn_request(2, ms(500))
    };
    assert!(single.enqueue(wide, now) == single.next_runnable().unwrap());
    assert_eq!(single.thinking(), 1);
}

#[test]
fn a_request_that_a_reader_waits_for_is_next() {
    let (mut queue, now) = queue(1, 100);
    let busy = queue.enqueue(request_with_memory(1, 60), now);
    assert_eq!(queue.next_runnable(), Some(busy));
    // Twenty games of the same network have waited for half a minute, and their memory limit is reached.
    let games = [0; 20].map(|_| queue.enqueue(request_with_memory(1, 25), now));
    let hint = TurnRequest {
        priority: TurnPriority::Awaited,
        ..request_with_memory(1, 25)
    };
    let hint = queue.enqueue(hint, now + ms(30_000));
    queue.pause_turn(busy, ms(500));
    queue.enqueue_next_ply(busy, ms(500), TurnPriority::Watched, now + ms(30_000));
    assert_eq!(queue.next_runnable(), Some(hint));
    queue.remove_turn(hint, ms(300));
    assert_eq!(queue.next_runnable(), Some(busy));
    queue.remove_turn(busy, ms(500));
    assert_eq!(queue.next_runnable(), Some(games[0]));
}

#[test]
fn queries_precede_games_of_the_same_client_short_ones_first() {
    let (mut queue, now) = queue(1, 0);
    let query = |expected| TurnRequest {
        priority: TurnPriority::Query,
        ..turn_request(1, expected)
    };
    let busy = queue.enqueue(turn_request(1, ms(500)), now);
    assert_eq!(queue.next_runnable(), Some(busy));
    // Thirty games of the client are queued, with a ply of the strongest level each.
    let games: Vec<_> = (0..30)
        .map(|_| queue.enqueue(turn_request(1, ms(500)), now))
        .collect();
    let large = queue.enqueue(query(ms(5000)), now + ms(1000));
    let small = queue.enqueue(query(ms(20)), now + ms(30_000));
    let mut order = Vec::new();
    let mut done = busy;
    for _ in 0..3 {
        queue.remove_turn(done, ms(500));
        done = queue.next_runnable().unwrap();
        order.push(done);
    }
    assert_eq!(order, [small, large, games[0]]);
}

fn request_with_memory(number: u8, bytes: usize) -> TurnRequest {
    TurnRequest {
        bytes,
        ..turn_request(number, ms(500))
    }
}

#[test]
fn a_turn_starts_when_its_memory_is_available() {
    let (mut queue, now) = queue(8, 100);
    let large = queue.enqueue(request_with_memory(1, 70), now);
    assert_eq!(queue.next_runnable(), Some(large));
    let second = queue.enqueue(request_with_memory(2, 40), now);
    let small = queue.enqueue(request_with_memory(3, 20), now + ms(60_000));
    let none = queue.enqueue(turn_request(4, ms(500)), now + ms(60_000));
    // A turn without memory may run; one that would take the memory that the second waits for may not.
    assert_eq!(queue.next_runnable(), Some(none));
    assert_eq!(queue.next_runnable(), None);
    // Between its plies a turn keeps its memory.
    queue.pause_turn(large, ms(500));
    assert_eq!(queue.next_runnable(), None);
    queue.enqueue_next_ply(large, ms(500), TurnPriority::Watched, now);
    assert_eq!(queue.next_runnable(), Some(large));
    assert_eq!(queue.bytes, 70);
    queue.remove_turn(large, ms(500));
    assert_eq!(queue.next_runnable(), Some(second));
    assert_eq!(queue.next_runnable(), Some(small));
    assert_eq!(queue.bytes, 60);
    // A turn that requests more than the limit gets all memory, alone.
    let huge = queue.enqueue(request_with_memory(5, 1000), now);
    assert_eq!(queue.next_runnable(), None);
    for number in [second, small, none] {
        queue.remove_turn(number, ms(500));
    }
    assert_eq!(queue.next_runnable(), Some(huge));
    assert_eq!(queue.bytes, 100);
    queue.remove_turn(huge, ms(500));
    assert_eq!(queue.bytes, 0);
}

#[test]
fn a_network_gets_at_most_half_of_the_memory() {
    let (mut queue, now) = queue(8, 100);
    let own = [0; 3].map(|_| queue.enqueue(request_with_memory(1, 25), now));
    let last = request_with_memory(1, 5);
    let last = queue.enqueue(last, now + ms(60_000));
    assert_eq!(queue.next_runnable(), Some(own[0]));
    assert_eq!(queue.next_runnable(), Some(own[1]));
    assert_eq!(queue.next_runnable(), None);
    let other = queue.enqueue(request_with_memory(2, 50), now);
    assert_eq!(queue.next_runnable(), Some(other));
    queue.remove_turn(own[0], ms(500));
    assert_eq!(queue.next_runnable(), Some(own[2]));
    assert_eq!(queue.next_runnable(), None);
    queue.remove_turn(own[1], ms(500));
    assert_eq!(queue.next_runnable(), Some(last));
}

#[test]
fn idle_accounts_are_removed() {
    let (mut queue, now) = queue(1, 0);
    let stays = queue.enqueue(turn_request(255, ms(500)), now);
    assert_eq!(queue.next_runnable(), Some(stays));
    for number in 0..3 * MAX_IDLE_ACCOUNTS as u32 {
        let mut request = turn_request(1, ms(1));
        let address = std::net::Ipv4Addr::from_bits(0x0a00_0000 + number);
        request.payer.client_network =
            (number % 2 == 0).then(|| ClientNetwork::from_ip(address.into()));
        request.payer.creator = Some(Secret::random().hash());
        let turn = queue.enqueue(request, now);
        assert_eq!(queue.next_runnable(), Some(turn));
        queue.remove_turn(turn, ms(1));
        assert!(queue.networks.len() <= MAX_IDLE_ACCOUNTS + 1);
        if number % 64 == 0 {
            let known = queue.networks.values();
            let known = known.map(|network| network.creators.len()).max();
            assert!(known <= Some(MAX_IDLE_ACCOUNTS + 1));
        }
    }
    queue.remove_turn(stays, ms(500));
    assert!(queue.networks.is_empty() && queue.turns.is_empty());
    assert_eq!((queue.threads, queue.bytes, queue.quick_waiting), (0, 0, 0));
}

/// Background work: one decision of a review.
fn background_request(expected: Duration) -> TurnRequest {
    TurnRequest {
        priority: TurnPriority::Background,
        bytes: MIB,
        ..turn_request(9, expected)
    }
}

#[test]
fn background_work_waits_for_all_turns() {
    let (mut queue, now) = queue(1, 512 * MIB);
    let review = queue.enqueue(background_request(ms(100)), now);
    let other = queue.enqueue(background_request(ms(100)), now);
    let turn = queue.enqueue(turn_request(1, ms(500)), now);
    assert_eq!(queue.next_runnable(), Some(turn));
    assert_eq!(queue.next_runnable(), None);
    queue.remove_turn(turn, ms(500));
    assert_eq!(queue.next_runnable(), Some(review));
    assert_eq!(queue.next_runnable(), None, "one at a time");
    let turn = queue.enqueue(turn_request(1, ms(500)), now);
    queue.remove_turn(review, ms(100));
    assert_eq!(queue.next_runnable(), Some(turn));
    queue.remove_turn(turn, ms(400));
    queue.remove_turn(other, ms(0));
    assert_eq!(
        (queue.next_runnable(), queue.bytes, queue.waiting()),
        (None, 0, 0)
    );
}

#[test]
fn background_work_progresses_under_any_load() {
    let mut simulation = Simulation::new(1);
    for number in 0..5 {
        simulation.enqueue(turn_request(number, ms(50)));
    }
    simulation.enqueue(background_request(ms(100)));
    simulation.run(Duration::from_secs(60));
    let plies = simulation
        .waits
        .iter()
        .filter(|(request, _)| request.priority == TurnPriority::Background);
    let waits: Vec<Duration> = plies.map(|(_, waited)| *waited).collect();
    assert!(
        (40..60).contains(&waits.len()),
        "{} of 600 parts",
        waits.len()
    );
    assert!(waits.iter().all(|waited| *waited < Duration::from_secs(2)));
}
