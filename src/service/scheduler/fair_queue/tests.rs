use super::*;
use crate::secret::Secret;

const MIB: usize = 1 << 20;

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn household(number: u8) -> Option<ClientNetwork> {
    Some(ClientNetwork::of([192, 0, 2, number].into()))
}

/// A turn of the household with this number, of nobody's browser.
fn of(number: u8, expected: Duration) -> TurnRequest {
    TurnRequest {
        game: GameId::random(),
        payer: ComputeAccount {
            household: household(number),
            creator: None,
        },
        threads: 1,
        bytes: 0,
        expected,
        attention: TurnPriority::Watched,
    }
}

fn shares(threads: usize, bytes: usize) -> (FairQueue, Instant) {
    (
        FairQueue::new(ComputeLimits { threads, bytes }),
        Instant::now(),
    )
}

/// Turns whose plies take as long as they are expected to, and which never end.
struct Rush {
    shares: FairQueue,
    now: Instant,
    thinking: Vec<(Instant, TurnId)>,
    /// Since when each turn waits, and how long each ply waited.
    asked: HashMap<TurnId, Instant>,
    waits: Vec<(TurnRequest, Duration)>,
    time: HashMap<ComputeAccount, Duration>,
}

impl Rush {
    fn new(threads: usize) -> Self {
        let (shares, now) = shares(threads, 512 * MIB);
        Rush {
            shares,
            now,
            thinking: Vec::new(),
            asked: HashMap::new(),
            waits: Vec::new(),
            time: HashMap::new(),
        }
    }

    fn ask(&mut self, wish: TurnRequest) {
        let number = self.shares.ask(wish, self.now);
        self.asked.insert(number, self.now);
        self.call();
    }

    fn call(&mut self) {
        while let Some(number) = self.shares.call() {
            let wish = &self.shares.turns[&number].wish;
            self.waits
                .push((wish.clone(), self.now - self.asked[&number]));
            self.thinking.push((self.now + wish.expected, number));
        }
    }

    /// Until so much later; every ply that ends asks for the next one at once.
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
            let wish = self.shares.turns[&number].wish.clone();
            *self.time.entry(wish.payer).or_default() += wish.expected;
            self.shares.rest(number, wish.expected);
            self.shares
                .go_on(number, wish.expected, wish.attention, self.now);
            self.asked.insert(number, self.now);
            self.call();
        }
    }

    fn time_of(&self, fits: impl Fn(&ComputeAccount) -> bool) -> Duration {
        let own = self.time.iter().filter(|(payer, _)| fits(payer));
        own.map(|(_, time)| *time).sum()
    }

    fn longest_wait(&self, fits: impl Fn(&TurnRequest) -> bool) -> Duration {
        let own = self.waits.iter().filter(|(wish, _)| fits(wish));
        own.map(|(_, wait)| *wait).max().unwrap_or_default()
    }
}

/// Thirty games with plies of half a second, of so many browsers of one household.
fn thirty_games(rush: &mut Rush, browsers: usize) {
    let secrets: Vec<_> = (0..browsers).map(|_| Secret::random().hash()).collect();
    for game in 0..30 {
        let mut wish = of(1, ms(500));
        wish.payer.creator = Some(secrets[game % browsers]);
        wish.bytes = MIB;
        rush.ask(wish);
    }
}

#[test]
fn thirty_games_get_as_much_time_as_one_and_delay_no_quick_ply() {
    for browsers in [1, 30] {
        for threads in [1, 2, 7] {
            let mut rush = Rush::new(threads);
            thirty_games(&mut rush, browsers);
            rush.run(Duration::from_secs(20));
            rush.ask(of(2, ms(500)));
            rush.ask(of(3, ms(2)));
            let before = rush.time_of(|payer| payer.household == household(1));
            rush.run(Duration::from_secs(60));
            let others = rush.time_of(|payer| payer.household == household(2));
            let quick = rush.longest_wait(|wish| wish.payer.household == household(3));
            assert!(quick <= ms(2), "{browsers} {threads}: {quick:?}");
            let rest = rush.time_of(|payer| payer.household == household(1)) - before;
            if threads == 1 {
                // The quick game never stops, so the three share what there is.
                assert!(
                    others >= rest.mul_f64(0.9),
                    "{browsers}: {others:?}, {rest:?}"
                );
            } else {
                // One turn of its own is all it has, and that never waits.
                assert!(others >= ms(58_000), "{browsers} {threads}: {others:?}");
            }
            let longest = rush.longest_wait(|_| true);
            let all = Duration::from_secs(16) * 3;
            assert!(longest <= all, "{browsers} {threads}: {longest:?}");
        }
    }
}

#[test]
fn within_a_household_creators_share() {
    let mut rush = Rush::new(1);
    thirty_games(&mut rush, 1);
    let mut other = of(1, ms(500));
    other.payer.creator = Some(Secret::random().hash());
    let single = other.payer;
    rush.ask(other);
    rush.run(Duration::from_secs(60));
    let own = rush.time_of(|payer| *payer == single);
    assert!(own >= ms(29_000), "{own:?}");
}

#[test]
fn nobody_saves_up_and_nobody_pays_for_yesterday() {
    let (mut shares, now) = shares(1, 0);
    // One thinks for an hour in plies of a second, while another is away.
    let long = shares.ask(of(1, ms(1000)), now);
    let away = shares.ask(of(2, ms(1000)), now);
    assert_eq!(shares.call(), Some(long));
    shares.rest(long, ms(1000));
    assert_eq!(shares.call(), Some(away));
    shares.rest(away, ms(1000));
    for _ in 0..3600 {
        shares.go_on(long, ms(1000), TurnPriority::Watched, now);
        assert_eq!(shares.call(), Some(long));
        shares.rest(long, ms(1000));
    }
    // Now both, and a third who is new: they take turns.
    let new = shares.ask(of(3, ms(1000)), now);
    for number in [long, away] {
        shares.go_on(number, ms(1000), TurnPriority::Watched, now);
    }
    let mut called = HashMap::<TurnId, u32>::new();
    for _ in 0..30 {
        let number = shares.call().unwrap();
        *called.entry(number).or_default() += 1;
        shares.rest(number, ms(1000));
        shares.go_on(number, ms(1000), TurnPriority::Watched, now);
    }
    for number in [long, away, new] {
        assert!((9..=11).contains(&called[&number]), "{called:?}");
    }
}

#[test]
fn what_a_ply_really_took_is_charged() {
    let (mut shares, now) = shares(1, 0);
    let cheat = shares.ask(of(1, ms(11)), now);
    let honest = shares.ask(of(2, ms(100)), now);
    let mut took = HashMap::<TurnId, Duration>::new();
    for _ in 0..110 {
        let number = shares.call().unwrap();
        let (expected, real) = if number == cheat {
            (ms(11), ms(1000))
        } else {
            (ms(100), ms(100))
        };
        *took.entry(number).or_default() += real;
        shares.rest(number, real);
        shares.go_on(number, expected, TurnPriority::Watched, now);
    }
    assert!(took[&cheat] <= took[&honest] + ms(1000), "{took:?}");
}

#[test]
fn small_turns_come_before_large_ones_but_not_for_ever() {
    let (mut shares, now) = shares(1, 0);
    let busy = shares.ask(of(1, ms(100)), now);
    assert_eq!(shares.call(), Some(busy));
    let large = shares.ask(of(1, ms(500)), now);
    let unwatched = TurnRequest {
        attention: TurnPriority::Unwatched,
        ..of(1, ms(20))
    };
    let unwatched = shares.ask(unwatched, now);
    let small = shares.ask(of(1, ms(50)), now + ms(1000));
    let late = shares.ask(of(1, ms(50)), now + ms(5000));
    let last = shares.ask(of(1, ms(50)), now + ms(70_000));
    let mut order = Vec::new();
    let mut done = busy;
    loop {
        shares.leave(done, ms(100));
        match shares.call() {
            Some(next) => done = next,
            None => break,
        }
        order.push(done);
    }
    assert_eq!(order, [small, large, late, unwatched, last]);
}

#[test]
fn a_turn_keeps_its_place() {
    let (mut shares, now) = shares(1, 0);
    let (first, second) = (of(1, ms(50)), of(1, ms(50)));
    let games = [first.game.clone(), second.game.clone()];
    let first = shares.ask(first, now);
    let second = shares.ask(second, now + ms(1));
    assert_eq!(shares.call(), Some(first));
    assert_eq!(shares.ahead(&games[0]), None);
    assert!(shares.is_at_work(&games[0]));
    shares.rest(first, ms(50));
    assert!(!shares.is_at_work(&games[0]));
    shares.go_on(first, ms(50), TurnPriority::Watched, now + ms(50));
    assert_eq!(shares.ahead(&games[0]), Some(0));
    assert_eq!(shares.ahead(&games[1]), Some(1));
    assert_eq!(shares.waits_since(), Some(now + ms(1)));
    assert_eq!(shares.call(), Some(first));
    shares.leave(first, ms(50));
    assert_eq!(shares.call(), Some(second));
    assert_eq!((shares.waiting(), shares.thinking()), (0, 1));
}

#[test]
fn a_long_ply_keeps_no_quick_one_from_thinking() {
    let (mut shares, now) = shares(1, 0);
    let long = shares.ask(of(1, ms(500)), now);
    assert_eq!(shares.call(), Some(long));
    let other = shares.ask(of(2, ms(500)), now);
    let quick = [1, 2].map(|number| shares.ask(of(number, QUICK), now));
    // The household that has not thought yet comes first.
    assert_eq!(shares.call(), Some(quick[1]));
    assert_eq!((shares.call(), shares.thinking()), (None, 2));
    shares.leave(quick[1], ms(5));
    assert_eq!(shares.call(), Some(quick[0]));
    shares.leave(quick[0], ms(5));
    assert_eq!(shares.call(), None);
    shares.leave(long, ms(500));
    assert_eq!(shares.call(), Some(other));
}

#[test]
fn the_last_thread_is_for_others() {
    let (mut shares, now) = shares(3, 0);
    let own = [0; 3].map(|_| shares.ask(of(1, ms(500)), now));
    assert_eq!(shares.call(), Some(own[0]));
    assert_eq!(shares.call(), Some(own[1]));
    assert_eq!(shares.call(), None);
    let other = shares.ask(of(2, ms(500)), now);
    assert_eq!(shares.call(), Some(other));
    // A single turn may have all threads.
    let (mut pair, now) = self::shares(2, 0);
    let wide = TurnRequest {
        threads: 2,
        ..of(1, ms(500))
    };
    assert!(pair.ask(wide, now) == pair.call().unwrap());
    assert_eq!(pair.thinking(), 2);
}

#[test]
fn nobody_overtakes_whoever_needs_two_threads() {
    let (mut shares, now) = shares(2, 0);
    let one = shares.ask(of(1, ms(500)), now);
    let wide = TurnRequest {
        threads: 2,
        ..of(2, ms(500))
    };
    let wide = shares.ask(wide, now);
    assert_eq!(shares.call(), Some(one));
    let late = shares.ask(of(3, ms(500)), now + ms(60_000));
    assert_eq!(shares.call(), None);
    shares.leave(one, ms(500));
    assert_eq!(shares.call(), Some(wide));
    assert_eq!(shares.call(), None);
    shares.leave(wide, ms(500));
    assert_eq!(shares.call(), Some(late));
    shares.leave(late, ms(500));
    // Where there is only one thread, a turn that wants two takes that one.
    let (mut single, now) = self::shares(1, 0);
    let wide = TurnRequest {
        threads: 2,
        ..of(2, ms(500))
    };
    assert!(single.ask(wide, now) == single.call().unwrap());
    assert_eq!(single.thinking(), 1);
}

#[test]
fn what_a_reader_waits_for_is_called_next() {
    let (mut shares, now) = shares(1, 100);
    let busy = shares.ask(remembers(1, 60), now);
    assert_eq!(shares.call(), Some(busy));
    // Twenty games of the same visitor have waited for half a minute, and their memory is full.
    let games = [0; 20].map(|_| shares.ask(remembers(1, 25), now));
    let hint = TurnRequest {
        attention: TurnPriority::Awaited,
        ..remembers(1, 25)
    };
    let hint = shares.ask(hint, now + ms(30_000));
    shares.rest(busy, ms(500));
    shares.go_on(busy, ms(500), TurnPriority::Watched, now + ms(30_000));
    assert_eq!(shares.call(), Some(hint));
    shares.leave(hint, ms(300));
    assert_eq!(shares.call(), Some(busy));
    shares.leave(busy, ms(500));
    assert_eq!(shares.call(), Some(games[0]));
}

#[test]
fn a_clients_questions_come_before_its_games_small_ones_first() {
    let (mut shares, now) = shares(1, 0);
    let question = |expected| TurnRequest {
        attention: TurnPriority::Question,
        ..of(1, expected)
    };
    let busy = shares.ask(of(1, ms(500)), now);
    assert_eq!(shares.call(), Some(busy));
    // Thirty games of the client wait, with a ply of the strongest level each.
    let games: Vec<_> = (0..30).map(|_| shares.ask(of(1, ms(500)), now)).collect();
    let large = shares.ask(question(ms(5000)), now + ms(1000));
    let small = shares.ask(question(ms(20)), now + ms(30_000));
    let mut order = Vec::new();
    let mut done = busy;
    for _ in 0..3 {
        shares.leave(done, ms(500));
        done = shares.call().unwrap();
        order.push(done);
    }
    assert_eq!(order, [small, large, games[0]]);
}

fn remembers(number: u8, bytes: usize) -> TurnRequest {
    TurnRequest {
        bytes,
        ..of(number, ms(500))
    }
}

#[test]
fn a_turn_begins_when_its_memory_has_room() {
    let (mut shares, now) = shares(8, 100);
    let large = shares.ask(remembers(1, 70), now);
    assert_eq!(shares.call(), Some(large));
    let second = shares.ask(remembers(2, 40), now);
    let small = shares.ask(remembers(3, 20), now + ms(60_000));
    let none = shares.ask(of(4, ms(500)), now + ms(60_000));
    // Who remembers nothing goes on; who would take what the second waits for does not.
    assert_eq!(shares.call(), Some(none));
    assert_eq!(shares.call(), None);
    // Between its plies a turn keeps what it remembers, and goes on with it.
    shares.rest(large, ms(500));
    assert_eq!(shares.call(), None);
    shares.go_on(large, ms(500), TurnPriority::Watched, now);
    assert_eq!(shares.call(), Some(large));
    assert_eq!(shares.bytes, 70);
    shares.leave(large, ms(500));
    assert_eq!(shares.call(), Some(second));
    assert_eq!(shares.call(), Some(small));
    assert_eq!(shares.bytes, 60);
    // A turn that asks for more than there is gets all there is, alone.
    let huge = shares.ask(remembers(5, 1000), now);
    assert_eq!(shares.call(), None);
    for number in [second, small, none] {
        shares.leave(number, ms(500));
    }
    assert_eq!(shares.call(), Some(huge));
    assert_eq!(shares.bytes, 100);
    shares.leave(huge, ms(500));
    assert_eq!(shares.bytes, 0);
}

#[test]
fn a_household_leaves_half_of_the_memory_to_others() {
    let (mut shares, now) = shares(8, 100);
    let own = [0; 3].map(|_| shares.ask(remembers(1, 25), now));
    let last = remembers(1, 5);
    let last = shares.ask(last, now + ms(60_000));
    assert_eq!(shares.call(), Some(own[0]));
    assert_eq!(shares.call(), Some(own[1]));
    assert_eq!(shares.call(), None);
    let other = shares.ask(remembers(2, 50), now);
    assert_eq!(shares.call(), Some(other));
    shares.leave(own[0], ms(500));
    assert_eq!(shares.call(), Some(own[2]));
    assert_eq!(shares.call(), None);
    shares.leave(own[1], ms(500));
    assert_eq!(shares.call(), Some(last));
}

#[test]
fn accounts_of_those_who_have_gone_are_forgotten() {
    let (mut shares, now) = shares(1, 0);
    let stays = shares.ask(of(255, ms(500)), now);
    assert_eq!(shares.call(), Some(stays));
    for number in 0..3 * MOST_IDLE as u32 {
        let mut wish = of(1, ms(1));
        let address = std::net::Ipv4Addr::from_bits(0x0a00_0000 + number);
        wish.payer.household = (number % 2 == 0).then(|| ClientNetwork::of(address.into()));
        wish.payer.creator = Some(Secret::random().hash());
        let guest = shares.ask(wish, now);
        assert_eq!(shares.call(), Some(guest));
        shares.leave(guest, ms(1));
        assert!(shares.households.len() <= MOST_IDLE + 1);
        if number % 64 == 0 {
            let known = shares.households.values();
            let known = known.map(|household| household.creators.len()).max();
            assert!(known <= Some(MOST_IDLE + 1));
        }
    }
    shares.leave(stays, ms(500));
    assert!(shares.households.is_empty() && shares.turns.is_empty());
    assert_eq!(
        (shares.threads, shares.bytes, shares.quick_waiting),
        (0, 0, 0)
    );
}

/// A ply of a review.
fn behind(expected: Duration) -> TurnRequest {
    TurnRequest {
        attention: TurnPriority::Behind,
        bytes: MIB,
        ..of(9, expected)
    }
}

#[test]
fn a_review_waits_for_all_turns() {
    let (mut shares, now) = shares(1, 512 * MIB);
    let review = shares.ask(behind(ms(100)), now);
    let other = shares.ask(behind(ms(100)), now);
    let turn = shares.ask(of(1, ms(500)), now);
    assert_eq!(shares.call(), Some(turn));
    assert_eq!(shares.call(), None);
    shares.leave(turn, ms(500));
    assert_eq!(shares.call(), Some(review));
    assert_eq!(shares.call(), None, "one at a time");
    let turn = shares.ask(of(1, ms(500)), now);
    shares.leave(review, ms(100));
    assert_eq!(shares.call(), Some(turn));
    shares.leave(turn, ms(400));
    shares.leave(other, ms(0));
    assert_eq!(
        (shares.call(), shares.bytes, shares.waiting()),
        (None, 0, 0)
    );
}

#[test]
fn a_review_comes_to_its_end_under_any_load() {
    let mut rush = Rush::new(1);
    for number in 0..5 {
        rush.ask(of(number, ms(50)));
    }
    rush.ask(behind(ms(100)));
    rush.run(Duration::from_secs(60));
    let plies = rush
        .waits
        .iter()
        .filter(|(wish, _)| wish.attention == TurnPriority::Behind);
    let waits: Vec<Duration> = plies.map(|(_, waited)| *waited).collect();
    assert!(
        (40..60).contains(&waits.len()),
        "{} of 600 parts",
        waits.len()
    );
    assert!(waits.iter().all(|waited| *waited < Duration::from_secs(2)));
}
