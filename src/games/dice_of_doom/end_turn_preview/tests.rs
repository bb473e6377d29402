//! Compares the button's text with what happens: random games, ending the turn wherever that is legal.

use rand::rngs::ChaCha20Rng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

use crate::game::{Game, Player, Status};
use crate::games::Registry;
use crate::games::dice_of_doom::hint;
use crate::games::dice_of_doom::move_options::{self, AttackSelection};
use crate::games::form::FormFields;
use crate::games::hint::{HintContent, RankedAction};
use crate::games::page::{BoardPage, MoveOptions, MoveOptionsRequest};
use crate::games::position_analysis::AnalysedAction;
use crate::search::WinShares;
use crate::session::Session;
use crate::templates::controls::TableContext;
use crate::templates::dice_of_doom::HexBoardView;
use crate::templates::localization::{Language, Translations};
use crate::templates::players::{OccupantView, PlayerNames, PlayerView};
use crate::templates::preferences::DisplayOptions;
use crate::tree::GameTree;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Outcome, Position, Rules, Setup};

/// Minimum number of positions for each preset.
const POSITIONS: usize = 200;

/// How often each kind of button occurred.
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

/// The rendered page of the player to move; players are named by their colours.
struct Shown {
    board: HexBoardView,
    offer: MoveOptions,
    corner: String,
}

fn players(game: &DiceOfDoom) -> Vec<PlayerView> {
    let seats = Player::all(game.players());
    let seat = |player: Player| PlayerView {
        number: player.number(),
        occupant: OccupantView::YouToo,
        ..PlayerView::default()
    };
    seats.map(seat).collect()
}

fn request(selection: AttackSelection) -> MoveOptionsRequest<'static, AttackSelection> {
    MoveOptionsRequest {
        selection,
        here: "/g/a",
        first_turn: None,
    }
}

fn shown(session: &Session<DiceOfDoom>, chosen: AttackSelection, text: &Translations) -> Shown {
    let (game, tree) = (session.game(), session.tree());
    let mut board = game.preview(session.position());
    let offer = move_options::add_move_links(&tree, &request(chosen), &mut board);
    let players = players(game);
    let names = PlayerNames::new(text, &players);
    let table = TableContext {
        text,
        display: &DisplayOptions::default(),
        names: &names,
        id: "a",
        ply: session.record().len(),
    };
    let corner = offer
        .primary_action
        .as_ref()
        .expect("the turn may be ended");
    let corner = corner.draw(&table).into_string();
    Shown {
        board,
        offer,
        corner,
    }
}

/// The text of an HTML fragment.
fn text_of(html: &str) -> String {
    let texts = html.split('<').filter_map(|tag| tag.split_once('>'));
    let text: String = texts.map(|(_, text)| format!("{text} ")).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn hexes_where(board: &HexBoardView, is: impl Fn(usize) -> bool) -> Vec<usize> {
    (0..board.hexes.len()).filter(|hex| is(*hex)).collect()
}

/// The number of hexes of each player, counted one by one.
fn land(game: &DiceOfDoom, position: &Position) -> Vec<u32> {
    let mut land = vec![0; usize::from(game.players())];
    for hex in game.all_hexes() {
        land[usize::from(position.owner(hex).number())] += 1;
    }
    land
}

/// Compares the page's preview of ending the turn with the result of ending it.
fn check(session: &Session<DiceOfDoom>, text: &Translations, seen: &mut Seen, about: &str) {
    let (game, before) = (session.game(), session.position());
    let page = shown(session, AttackSelection::Nothing, text);
    let label = text_of(&page.corner);
    let mover = before.player();
    let mut rng = ChaCha20Rng::seed_from_u64(0);
    let ply = session.prepare_ply(mover, Action::EndTurn, &mut rng, 0);
    let next = session
        .with_ply(ply.expect("legal"))
        .expect("the ply was prepared here");
    let after = next.position();
    let can_attack = session
        .tree()
        .branches()
        .any(|(action, _)| action != Action::EndTurn);
    let about = format!("{about}: {label:?}");
    seen.positions += 1;
    seen.nothing_left += usize::from(!can_attack);

    let gained = |hex: usize| {
        let hex = game.hex(hex as u8).expect("on the board");
        after.dice(hex) - before.dice(hex)
    };
    let is_over = matches!(next.status(), Status::Over(_));
    let next_branches = next.tree().branches().count();
    let stuck = hexes_where(&page.board, |hex| page.board.hexes[hex].stuck);
    if !is_over {
        assert!(next_branches > 0, "{about}");
        assert!(label.contains("End turn"), "{about}");
        assert!(stuck.is_empty(), "{about}");
        let coming: Vec<u8> = page
            .board
            .hexes
            .iter()
            .map(|hex| hex.pending_dice)
            .collect();
        let placed: Vec<u8> = (0..page.board.hexes.len()).map(gained).collect();
        assert_eq!(coming, placed, "{about}");
        let dice: u32 = placed.iter().map(|dice| u32::from(*dice)).sum();
        let number = if dice == 1 { "die" } else { "dice" };
        assert!(label.contains(&format!("+{dice} {number}")), "{about}");
        assert_eq!(
            label.contains("no hex of yours can attack"),
            !can_attack,
            "{about}"
        );
        seen.no_room += usize::from(label.contains(" no room"));
        let pays = hexes_where(&page.board, |hex| page.board.hexes[hex].in_pending_cluster);
        if matches!(game.rules(), Rules::V4 | Rules::Conquest) {
            let own = |hex: &usize| page.board.hexes[*hex].owner == mover.number();
            assert!(pays.iter().all(own), "{about}");
            let due = game.reinforcements(before) as usize;
            assert_eq!(pays.len(), due, "{about}");
            let hexes = if due == 1 { "one hex" } else { "hexes" };
            assert!(label.contains(hexes), "{about}");
        } else {
            assert!(pays.is_empty(), "{about}");
        }
        return;
    }

    assert!(label.starts_with("End the game"), "{about}");
    assert!(!label.contains('+'), "{about}");
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
    assert!(label.contains(&sentence), "{about}, not {sentence:?}");
    for other in best.iter().filter(|one| best.len() > 1 && **one != mine) {
        assert!(label.contains(name(*other)), "{about}");
    }
    seen.won += usize::from(wins);
    seen.lost += usize::from(!wins && best.len() == 1);
    seen.tied += usize::from(best.len() > 1);
    assert_eq!(page.corner.contains("stop"), !wins, "{about}");

    // Only conquest ends without a player who cannot attack.
    if game.rules() == Rules::Conquest {
        assert!(label.contains("Nobody attacked for too long."), "{about}");
        assert!(stuck.is_empty(), "{about}");
    } else {
        assert_eq!(next_branches, 0, "{about}");
        let loser = after.player();
        let own = |hex: usize| page.board.hexes[hex].owner == loser.number();
        assert_eq!(stuck, hexes_where(&page.board, own), "{about}");
        let who = name(usize::from(loser.number()));
        assert!(
            label.contains(&format!("{who} has ")) // no land left, only single dice
                || label.contains(&format!("{who} cannot attack"))
                || label.contains(&format!("{who}’s lone die")),
            "{about}"
        );
        let landless = land[usize::from(loser.number())] == 0;
        assert_eq!(label.contains("no land left"), landless, "{about}");
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

/// The confirmation page has both answers, and states how many hexes would change the winner only where that is
/// possible.
fn check_question(
    session: &Session<DiceOfDoom>,
    text: &Translations,
    seen: &mut Seen,
    about: &str,
) {
    let game = session.game();
    let page = shown(session, AttackSelection::End, text);
    assert_eq!(text_of(&page.corner), "Keep attacking Esc End the game");
    let players = players(game);
    let label = page
        .offer
        .prompt
        .sub
        .render(text, &PlayerNames::new(text, &players));
    assert!(label.contains("if the game ends now."), "{about}: {label}");
    if !label.contains("and you would win") {
        return;
    }
    seen.needed += 1;
    let counts = ["one", "two", "three"].iter().zip(1..);
    let needed = counts
        .filter(|(word, _)| label.contains(&format!(" {word} more ")))
        .map(|(_, count)| count)
        .next();
    let needed = needed.unwrap_or_else(|| {
        let mut words = label.split(' ').filter_map(|word| word.parse().ok());
        words.next_back().expect("a number")
    });
    let position = session.position();
    let mover = position.player();
    let winners = winners_after(game, position);
    let winner = *winners
        .iter()
        .find(|one| **one != mover)
        .expect("another winner");
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
            "{about}: {label}"
        );
    }
}

/// The winners when the turn is ended here; empty if the game continues.
fn winners_after(game: &DiceOfDoom, position: &Position) -> Vec<Player> {
    let after = game.apply(position, Action::EndTurn, Outcome::Certain);
    match game.status(&after) {
        Status::Over(_) => game.winners(&after),
        Status::Turn(_) => Vec::new(),
    }
}

/// Plays random games of one preset to their ends.
fn check_random_games(rules: Rules) -> Seen {
    let game = DiceOfDoom::preset(rules);
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    let mut seen = Seen::default();
    let mut seed = 0;
    while seen.positions < POSITIONS || seed < 12 {
        let mut rng = ChaCha20Rng::seed_from_u64(seed);
        let start = game.deal(&mut rng).expect("a board");
        let mut session = Session::new(game, start);
        // Players are more or less aggressive, so that both high and low piles occur.
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
            let ply = session
                .prepare_ply(mover, action, &mut rng, 0)
                .expect("legal");
            session = session.with_ply(ply).expect("the ply was prepared here");
        }
        seed += 1;
    }
    seen
}

#[test]
fn the_preview_is_correct_in_version_4() {
    let seen = check_random_games(Rules::V4);
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
fn the_preview_is_correct_without_dice() {
    for rules in [Rules::V1, Rules::V2, Rules::V3] {
        let seen = check_random_games(rules);
        assert!(seen.won + seen.lost > 0, "{rules}: {seen:?}");
        assert_eq!(
            seen.needed, 0,
            "{rules}: capturing hexes may let a stuck player attack"
        );
    }
}

#[test]
fn the_preview_is_correct_in_conquest() {
    let seen = check_random_games(Rules::Conquest);
    assert!(seen.nothing_left > 0, "{seen:?}");
}

/// Red can attack; Blue has a single die and cannot.
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
    let games = Registry::builtin();
    text_of(
        &shown(
            session,
            AttackSelection::Nothing,
            games.translations(Language::English),
        )
        .corner,
    )
}

#[test]
fn the_button_shows_the_result_with_its_reason() {
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
fn the_confirmation_shows_what_would_change_the_winner() {
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    let confirmation = |red: &[u8]| {
        let session = lone_die(red);
        let players = players(session.game());
        let page = shown(&session, AttackSelection::End, text);
        page.offer
            .prompt
            .sub
            .render(text, &PlayerNames::new(text, &players))
    };
    assert_eq!(
        confirmation(&[0, 1, 2]),
        "Green wins 5–3 if the game ends now. Take two more hexes from Green and you would win."
    );
    assert_eq!(
        confirmation(&[0, 1, 2, 3]),
        "It is a tie at 4 with Green if the game ends now. Take one more hex from Green and you would win."
    );
}

/// The hint at the position of `lone_die` with ending the turn at this rank.
fn hint_at(red: &[u8], rank: usize) -> (HexBoardView, HintContent, String) {
    let session = lone_die(red);
    let (game, position) = (session.game(), session.position());
    let mut actions: Vec<Action> = game.legal_actions(position).collect();
    let end = actions.iter().position(|action| *action == Action::EndTurn);
    let end = actions.remove(end.expect("the turn may be ended"));
    actions.insert(rank, end);
    let analysed = AnalysedAction {
        outcomes: Vec::new(),
        shares: WinShares::default(),
        is_exact: false,
        ends_in: None,
    };
    let ranked = actions.iter().map(|&action| RankedAction {
        action,
        analysis: &analysed,
    });
    let ranked: Vec<_> = ranked.collect();
    let mut board = game.preview(position);
    let hint = hint::hint_content(game, position, &ranked, &mut board).expect("a hint");
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    let (players, look) = (players(game), DisplayOptions::default());
    let table = TableContext {
        text,
        display: &look,
        names: &PlayerNames::new(text, &players),
        id: "a",
        ply: 0,
    };
    let corner = hint
        .primary_action
        .as_ref()
        .map(|one| one.draw(&table).into_string());
    (board, hint, corner.unwrap_or_default())
}

#[test]
fn a_hint_that_ends_the_game_shows_it_and_needs_confirmation() {
    let (board, hint, corner) = hint_at(&[0, 1, 2], 0);
    assert_eq!(
        text_of(&corner),
        "End the game Green wins 5–3 Blue’s lone die cannot attack. Red can still attack, from 3 hexes."
    );
    assert!(corner.contains(r#"href="/g/a?end=1""#), "{corner}");
    assert_eq!(hint.rows[0].confirmation_query, Some(("end", "1")));
    assert!(
        hint.rows[1..]
            .iter()
            .all(|row| row.confirmation_query.is_none())
    );
    let ranks: Vec<_> = board
        .hint_arrows
        .iter()
        .map(|pointer| pointer.label)
        .collect();
    assert_eq!(ranks, ['2', '3', '4'], "ranks as in the list");
    assert!(board.hexes.iter().any(|hex| hex.stuck));

    let (board, hint, corner) = hint_at(&[0, 1, 2], 1);
    assert_eq!(corner, "");
    assert_eq!(hint.rows[1].confirmation_query, Some(("end", "1")));
    let ranks: Vec<_> = board
        .hint_arrows
        .iter()
        .map(|pointer| pointer.label)
        .collect();
    assert_eq!(ranks, ['1', '3', '4']);

    // A victory needs no confirmation.
    let (_, hint, corner) = hint_at(&[0, 1, 2, 3, 4], 0);
    assert!(text_of(&corner).starts_with("End the game"), "{corner}");
    assert_eq!(hint.rows[0].confirmation_query, None);
}

#[test]
fn the_confirmation_is_shown_only_if_the_game_is_not_won() {
    let query = FormFields(vec![("end".to_owned(), "1".to_owned())]);
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    for (red, is_asked) in [(&[0, 1, 2][..], true), (&[0, 1, 2, 3, 4], false)] {
        let session = lone_die(red);
        let chosen = move_options::parse_selection(&session.tree(), &query).expect("a choice");
        let page = shown(&session, chosen, text);
        assert_eq!(page.corner.contains("data-back"), is_asked, "{red:?}");
    }
}

/// The text below the prompt for a source, at a position of version 4.
fn source_prompt(owners: [u8; 9], first_move: bool) -> String {
    let game = DiceOfDoom::new(Rules::V4, 3, 3, 5).expect("a game");
    let mut setup = Setup::start(owners.map(|owner| (owner, 2)).to_vec());
    setup.board[0].1 = 5;
    setup.first_move = first_move;
    let session = Session::new(game, game.position(&setup).expect("a position"));
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    let mut board = game.preview(session.position());
    let offer = move_options::add_move_links(
        &session.tree(),
        &request(AttackSelection::Nothing),
        &mut board,
    );
    offer
        .prompt
        .sub
        .render(text, &PlayerNames::new(text, &players(&game)))
}

#[test]
fn the_source_prompt_names_a_player_without_land() {
    let all_players = [0, 1, 2, 0, 1, 2, 0, 1, 2];
    assert_eq!(
        source_prompt(all_players, true),
        "Hexes with a white rim can attack. After an attack you may end your turn."
    );
    assert_eq!(
        source_prompt(all_players, false),
        "Hexes with a white rim can attack."
    );
    for first_move in [true, false] {
        assert_eq!(
            source_prompt([0, 1, 1, 0, 1, 1, 0, 1, 1], first_move),
            "Green has no land left: the game ends when Green’s turn comes. Most hexes win."
        );
    }
}
