//! What the button says is what happens: random games, and the turn ended wherever it may be.

use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha20Rng;

use crate::game::{Game, Player, Status};
use crate::game_adapters::Registry;
use crate::game_adapters::dice_of_doom::move_options::{self, AttackSelection};
use crate::game_adapters::form::FormFields;
use crate::game_adapters::hint::{HintContent, RankedAction};
use crate::game_adapters::page::{MoveOptions, PageAdapter};
use crate::game_adapters::position_analysis::AnalysedAction;
use crate::games::dice_of_doom::{Action, DiceOfDoom, Outcome, Position, Rules, Setup};
use crate::search::WinShares;
use crate::session::Session;
use crate::templates::controls::TableContext;
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::localization::{Language, Translations};
use crate::templates::players::{OccupantView, PlayerNames, PlayerView};
use crate::templates::preferences::DisplayOptions;
use crate::tree::GameTree;

/// Positions for each preset, at least.
const POSITIONS: usize = 200;

/// How often each kind of button was seen.
#[derive(Default, Debug)]
struct Seen {
    positions: usize,
    no_room: usize,
    nothing_left: usize,
    won: usize,
    lost: usize,
    tied: usize,
    asked: usize,
    no_land: usize,
    needed: usize,
}

/// The page of the player to move: everybody is called by colour.
struct Shown {
    board: HexBoardView,
    offer: MoveOptions,
    corner: String,
}

fn players(game: &DiceOfDoom) -> Vec<PlayerView> {
    let seats = Player::all(game.players());
    let seat = |player: Player| PlayerView {
        number: player.number(),
        who: OccupantView::YouToo,
        ..PlayerView::default()
    };
    seats.map(seat).collect()
}

fn shown(session: &Session<DiceOfDoom>, chosen: AttackSelection, text: &Translations) -> Shown {
    let (game, tree) = (session.game(), session.tree());
    let mut board = game.preview(session.position());
    let offer = move_options::offer(&tree, chosen, "/g/a", &mut board);
    let players = players(game);
    let cast = PlayerNames::new(text, &players);
    let table = TableContext {
        text,
        look: &DisplayOptions::default(),
        cast: &cast,
        id: "a",
        ply: session.record().len(),
    };
    let corner = offer.corner.as_ref().expect("the turn may be ended");
    let corner = corner.draw(&table).into_string();
    Shown {
        board,
        offer,
        corner,
    }
}

/// The words of some HTML.
fn words(html: &str) -> String {
    let texts = html.split('<').filter_map(|tag| tag.split_once('>'));
    let words: String = texts.map(|(_, text)| format!("{text} ")).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hexes_where(board: &HexBoardView, is: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..board.hexes.len()).filter(|hex| is(*hex)).collect()
}

/// What each player has, counted hex by hex.
fn land(game: &DiceOfDoom, position: &Position) -> Vec<u32> {
    let mut land = vec![0; usize::from(game.players())];
    for hex in game.all_hexes() {
        land[usize::from(position.owner(hex).number())] += 1;
    }
    land
}

/// Compares what the page says of the end of the turn with what the end of the turn does.
fn check(session: &Session<DiceOfDoom>, text: &Translations, seen: &mut Seen, about: &str) {
    let (game, before) = (session.game(), session.position());
    let page = shown(session, AttackSelection::Nothing, text);
    let said = words(&page.corner);
    let mover = before.player();
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    let ply = session.prepare_ply(mover, Action::EndTurn, &mut rng, 0);
    let next = session.with_ply(ply.expect("legal")).expect("it follows");
    let after = next.position();
    let can_attack = session
        .tree()
        .branches()
        .any(|(action, _)| action != Action::EndTurn);
    let about = format!("{about}: {said:?}");
    seen.positions += 1;
    seen.nothing_left += usize::from(!can_attack);

    let came = |hex: usize| {
        let hex = game.hex(hex as u8).expect("on the board");
        after.dice(hex) - before.dice(hex)
    };
    let is_over = matches!(next.status(), Status::Over(_));
    let next_branches = next.tree().branches().count();
    let stuck = hexes_where(&page.board, |hex| page.board.hexes[hex].stuck);
    if !is_over {
        assert!(next_branches > 0, "{about}");
        assert!(said.contains("End turn"), "{about}");
        assert!(stuck.is_empty(), "{about}");
        let coming: Vec<u8> = page.board.hexes.iter().map(|hex| hex.coming).collect();
        let fell: Vec<u8> = (0..page.board.hexes.len()).map(came).collect();
        assert_eq!(coming, fell, "{about}");
        let dice: u32 = fell.iter().map(|dice| u32::from(*dice)).sum();
        let number = if dice == 1 { "die" } else { "dice" };
        assert!(said.contains(&format!("+{dice} {number}")), "{about}");
        assert_eq!(
            said.contains("no hex of yours can attack"),
            !can_attack,
            "{about}"
        );
        seen.no_room += usize::from(said.contains(" no room"));
        let pays = hexes_where(&page.board, |hex| page.board.hexes[hex].pays);
        if matches!(game.rules(), Rules::V4 | Rules::Conquest) {
            let own = |hex: &usize| page.board.hexes[*hex].owner == mover.number();
            assert!(pays.iter().all(own), "{about}");
            let due = game.reinforcements(before) as usize;
            assert_eq!(pays.len(), due, "{about}");
            let hexes = if due == 1 { "one hex" } else { "hexes" };
            assert!(said.contains(hexes), "{about}");
        } else {
            assert!(pays.is_empty(), "{about}");
        }
        return;
    }

    assert!(said.starts_with("End the game"), "{about}");
    assert!(!said.contains('+'), "{about}");
    let land = land(game, after);
    let most = *land.iter().max().expect("players");
    let name = |player: usize| ["Red", "Blue", "Green", "Purple"][player];
    let best: Vec<usize> = (0..land.len()).filter(|one| land[*one] == most).collect();
    let mine = usize::from(mover.number());
    let wins = best == [mine];
    let sentence = match best[..] {
        [winner] if winner == mine => {
            let others = (0..land.len()).filter(|one| *one != mine);
            let second = others.map(|one| land[one]).max().expect("others");
            format!("{} wins {most}–{second}", name(mine))
        }
        [winner] => format!("{} wins {most}–{}", name(winner), land[mine]),
        _ if best.contains(&mine) => format!("a tie at {most} with "),
        _ => format!("a tie at {most}: "),
    };
    assert!(said.contains(&sentence), "{about}, not {sentence:?}");
    for other in best.iter().filter(|one| best.len() > 1 && **one != mine) {
        assert!(said.contains(name(*other)), "{about}");
    }
    seen.won += usize::from(wins);
    seen.lost += usize::from(!wins && best.len() == 1);
    seen.tied += usize::from(best.len() > 1);
    assert_eq!(page.corner.contains("stop"), !wins, "{about}");

    // Only conquest ends without anybody being stuck.
    if game.rules() == Rules::Conquest {
        assert!(said.contains("Nobody attacked for too long."), "{about}");
        assert!(stuck.is_empty(), "{about}");
    } else {
        assert_eq!(next_branches, 0, "{about}");
        let loser = after.player();
        let own = |hex: usize| page.board.hexes[hex].owner == loser.number();
        assert_eq!(stuck, hexes_where(&page.board, own), "{about}");
        let who = name(usize::from(loser.number()));
        assert!(
            said.contains(&format!("{who} has ")) // no land left, only single dice
                || said.contains(&format!("{who} cannot attack"))
                || said.contains(&format!("{who}’s lone die")),
            "{about}"
        );
        let landless = land[usize::from(loser.number())] == 0;
        assert_eq!(said.contains("no land left"), landless, "{about}");
        seen.no_land += usize::from(landless);
    }

    let asks = page.corner.contains("?end=1");
    assert_eq!(asks, !wins && can_attack, "{about}");
    assert_eq!(page.corner.contains("<form"), !asks, "{about}");
    if asks {
        seen.asked += 1;
        check_question(session, text, seen, &about);
    }
}

/// The page that asks once more has both answers, and says what would turn the game only where that
/// is so.
fn check_question(
    session: &Session<DiceOfDoom>,
    text: &Translations,
    seen: &mut Seen,
    about: &str,
) {
    let game = session.game();
    let page = shown(session, AttackSelection::End, text);
    assert_eq!(words(&page.corner), "Keep attacking Esc End the game");
    let players = players(game);
    let said = page
        .offer
        .asked
        .sub
        .told(text, &PlayerNames::new(text, &players));
    assert!(said.contains("if the game ends now."), "{about}: {said}");
    if !said.contains("and you would win") {
        return;
    }
    seen.needed += 1;
    let counts = ["one", "two", "three"].iter().zip(1..);
    let needed = counts
        .filter(|(word, _)| said.contains(&format!(" {word} more ")))
        .map(|(_, count)| count)
        .next();
    let needed = needed.unwrap_or_else(|| {
        let mut words = said.split(' ').filter_map(|word| word.parse().ok());
        words.next_back().expect("a number")
    });
    let position = session.position();
    let mover = position.player();
    let winners = winners_after(game, position);
    let winner = *winners
        .iter()
        .find(|one| **one != mover)
        .expect("somebody else");
    for (taken, wins) in [(needed, true), (needed - 1, false)] {
        let mut setup = game.setup(position);
        let own = |cell: &&mut (u8, u8)| cell.0 == winner.number();
        for cell in setup.board.iter_mut().filter(own).take(taken) {
            cell.0 = mover.number();
        }
        let taken = game.position(&setup).expect("a position");
        assert_eq!(
            winners_after(game, &taken) == [mover],
            wins,
            "{about}: {said}"
        );
    }
}

/// Who wins when the turn is ended here; nobody where the game goes on.
fn winners_after(game: &DiceOfDoom, position: &Position) -> Vec<Player> {
    let after = game.apply(position, Action::EndTurn, Outcome::Sure);
    match game.status(&after) {
        Status::Over(_) => game.winners(&after),
        Status::Turn(_) => Vec::new(),
    }
}

/// Random games of one preset, each to its end.
fn played(rules: Rules) -> Seen {
    let game = DiceOfDoom::preset(rules);
    let houses = Registry::builtin();
    let text = houses.translations(Language::English);
    let mut seen = Seen::default();
    let mut seed = 0;
    while seen.positions < POSITIONS || seed < 12 {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let start = game.deal(&mut rng).expect("a board");
        let mut session = Session::new(game, start);
        // Some like to attack and some to rest, so that there are tall and short piles.
        let rest = [0.08, 0.25, 0.6][(seed % 3) as usize];
        while let Some(mover) = session.status().mover().filter(|_| !session.is_at_limit()) {
            let branches = session.tree();
            let actions = || branches.branches().map(|(action, _)| action);
            let may_end = actions().any(|action| action == Action::EndTurn);
            if may_end {
                let about = format!("{rules}, seed {seed}, ply {}", session.record().len());
                check(&session, text, &mut seen, &about);
            }
            let attack = actions()
                .filter(|action| *action != Action::EndTurn)
                .choose(&mut rng);
            let action = match attack {
                Some(attack) if !may_end || !rng.random_bool(rest) => attack,
                _ => Action::EndTurn,
            };
            let ply = session.prepare_ply(mover, action, &mut rng, 0).expect("legal");
            session = session.with_ply(ply).expect("it follows");
        }
        seed += 1;
    }
    seen
}

#[test]
fn in_version_4_the_button_says_what_happens() {
    let seen = played(Rules::V4);
    let kinds = [
        seen.no_room,
        seen.nothing_left,
        seen.won,
        seen.lost,
        seen.tied,
        seen.asked,
        seen.no_land,
        seen.needed,
    ];
    assert!(kinds.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn without_luck_the_button_says_what_happens() {
    for rules in [Rules::V1, Rules::V2, Rules::V3] {
        let seen = played(rules);
        assert!(seen.won + seen.lost > 0, "{rules}: {seen:?}");
        assert_eq!(
            seen.needed, 0,
            "{rules}: taking hexes may free who is stuck"
        );
    }
}

#[test]
fn in_conquest_the_button_says_what_happens() {
    let seen = played(Rules::Conquest);
    assert!(seen.nothing_left > 0, "{seen:?}");
}

/// Red can attack, and Blue’s lone die cannot.
fn lone_die(red: &[u8]) -> Session<DiceOfDoom> {
    let game = DiceOfDoom::new(Rules::V4, 3, 3, 5).expect("a game");
    let mut setup = Setup::start(vec![(2, 2); 9]);
    setup.board[8] = (1, 1);
    for hex in red {
        setup.board[usize::from(*hex)] = (0, 3);
    }
    setup.first_move = false;
    Session::new(game, game.position(&setup).expect("a position"))
}

fn corner(session: &Session<DiceOfDoom>) -> String {
    let houses = Registry::builtin();
    words(
        &shown(
            session,
            AttackSelection::Nothing,
            houses.translations(Language::English),
        )
        .corner,
    )
}

#[test]
fn the_end_is_told_with_its_reason() {
    assert_eq!(
        corner(&lone_die(&[0, 1, 2, 3, 4])),
        "End the game Red wins 5–3 Blue’s lone die cannot attack."
    );
    assert_eq!(
        corner(&lone_die(&[0, 1, 2])),
        "End the game Green wins 5–3 Blue’s lone die cannot attack. Red can still attack, from 3 hexes."
    );
    assert_eq!(
        corner(&lone_die(&[0, 1, 2, 3])),
        "End the game a tie at 4 with Green Blue’s lone die cannot attack. Red can still attack, from 4 hexes."
    );
}

#[test]
fn asking_once_more_says_what_would_turn_it() {
    let houses = Registry::builtin();
    let text = houses.translations(Language::English);
    let asked = |red: &[u8]| {
        let session = lone_die(red);
        let players = players(session.game());
        let page = shown(&session, AttackSelection::End, text);
        page.offer
            .asked
            .sub
            .told(text, &PlayerNames::new(text, &players))
    };
    assert_eq!(
        asked(&[0, 1, 2]),
        "Green wins 5–3 if the game ends now. Take two more hexes from Green and you would win."
    );
    assert_eq!(
        asked(&[0, 1, 2, 3]),
        "It is a tie at 4 with Green if the game ends now. Take one more hex from Green and you would win."
    );
}

/// The hint of the lone die's position if ending the turn is the best there is, or the second best.
fn hinted(red: &[u8], rank: usize) -> (HexBoardView, HintContent, String) {
    let session = lone_die(red);
    let (game, position) = (session.game(), session.position());
    let mut actions: Vec<Action> = game.legal_actions(position).collect();
    let end = actions.iter().position(|action| *action == Action::EndTurn);
    let end = actions.remove(end.expect("the turn may be ended"));
    actions.insert(rank, end);
    let weighed = AnalysedAction {
        action: String::new(),
        outcomes: Vec::new(),
        shares: WinShares::default(),
        is_exact: false,
        ends_in: None,
    };
    let ranked = actions.iter().map(|&action| RankedAction {
        action,
        weighed: &weighed,
    });
    let ranked: Vec<_> = ranked.collect();
    let mut board = game.preview(position);
    let advice = game.hint_content(position, &ranked, &mut board).expect("a hint");
    let houses = Registry::builtin();
    let text = houses.translations(Language::English);
    let (players, look) = (players(game), DisplayOptions::default());
    let table = TableContext {
        text,
        look: &look,
        cast: &PlayerNames::new(text, &players),
        id: "a",
        ply: 0,
    };
    let corner = advice
        .corner
        .as_ref()
        .map(|one| one.draw(&table).into_string());
    (board, advice, corner.unwrap_or_default())
}

#[test]
fn a_hint_that_ends_the_game_says_so_and_asks() {
    let (board, advice, corner) = hinted(&[0, 1, 2], 0);
    assert_eq!(
        words(&corner),
        "End the game Green wins 5–3 Blue’s lone die cannot attack. Red can still attack, from 3 hexes."
    );
    assert!(corner.contains(r#"href="/g/a?end=1""#), "{corner}");
    assert_eq!(advice.rows[0].asked, Some(("end", "1")));
    assert!(advice.rows[1..].iter().all(|row| row.asked.is_none()));
    let ranks: Vec<_> = board.pointers.iter().map(|pointer| pointer.rank).collect();
    assert_eq!(ranks, [2, 3, 4], "numbered as in the list");
    assert!(board.hexes.iter().any(|hex| hex.stuck));

    let (board, advice, corner) = hinted(&[0, 1, 2], 1);
    assert_eq!(corner, "");
    assert_eq!(advice.rows[1].asked, Some(("end", "1")));
    let ranks: Vec<_> = board.pointers.iter().map(|pointer| pointer.rank).collect();
    assert_eq!(ranks, [1, 3, 4]);

    // Nobody is asked before a victory.
    let (_, advice, corner) = hinted(&[0, 1, 2, 3, 4], 0);
    assert!(words(&corner).starts_with("End the game"), "{corner}");
    assert_eq!(advice.rows[0].asked, None);
}

#[test]
fn a_query_asks_only_where_the_game_would_be_given_away() {
    let query = FormFields(vec![("end".to_owned(), "1".to_owned())]);
    let houses = Registry::builtin();
    let text = houses.translations(Language::English);
    for (red, is_asked) in [(&[0, 1, 2][..], true), (&[0, 1, 2, 3, 4], false)] {
        let session = lone_die(red);
        let chosen = move_options::choose(&session.tree(), &query).expect("a choice");
        let page = shown(&session, chosen, text);
        assert_eq!(page.corner.contains("data-back"), is_asked, "{red:?}");
    }
}

/// What stands under the question which hex attacks, at a position of version 4.
fn under(owners: [u8; 9], first_move: bool) -> String {
    let game = DiceOfDoom::new(Rules::V4, 3, 3, 5).expect("a game");
    let mut setup = Setup::start(owners.map(|owner| (owner, 2)).to_vec());
    setup.board[0].1 = 5;
    setup.first_move = first_move;
    let session = Session::new(game, game.position(&setup).expect("a position"));
    let houses = Registry::builtin();
    let text = houses.translations(Language::English);
    let mut board = game.preview(session.position());
    let offer = move_options::offer(
        &session.tree(),
        AttackSelection::Nothing,
        "/g/a",
        &mut board,
    );
    offer
        .asked
        .sub
        .told(text, &PlayerNames::new(text, &players(&game)))
}

#[test]
fn who_has_no_land_is_told_before_an_attack() {
    let everybody = [0, 1, 2, 0, 1, 2, 0, 1, 2];
    assert_eq!(
        under(everybody, true),
        "Hexes with a white rim can attack. After an attack you may end your turn."
    );
    assert_eq!(
        under(everybody, false),
        "Hexes with a white rim can attack."
    );
    for first_move in [true, false] {
        assert_eq!(
            under([0, 1, 1, 0, 1, 1, 0, 1, 1], first_move),
            "Green has no land left: the game ends when Green’s turn comes. Most hexes win."
        );
    }
}
