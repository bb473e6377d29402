//! Compares the summary with an independent count: random games, every turn of every player.

use std::collections::BTreeMap;

use rand::rngs::ChaCha20Rng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

use crate::game::{Game, Player};
use crate::games::LiveGame;
use crate::games::Registry;
use crate::games::form::FormFields;
use crate::games::live_page::{PositionPageInput, PositionView, ViewerRole};
use crate::session::Session;
use crate::templates::controls::TableContext;
use crate::templates::localization::Language;
use crate::templates::players::{OccupantView, PlayerNames, PlayerView};
use crate::templates::preferences::DisplayOptions;
use crate::tree::GameTree;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Position, Rules};

fn scene(
    session: &Session<DiceOfDoom>,
    query: &[(&str, &str)],
    viewer_role: ViewerRole,
) -> PositionView {
    let query = query
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()));
    let shown = PositionPageInput {
        ply: None,
        log: 20,
        query: &FormFields(query.collect()),
        here: "/g/a",
        viewer_role,
        hint: None,
    };
    session
        .position_view(&shown)
        .expect("the position can be rendered")
}

/// The rendered strip and board of one player's page.
fn page(session: &Session<DiceOfDoom>, reader: Player) -> (String, String) {
    let scene = scene(session, &[], ViewerRole::ToMove);
    let games = Registry::builtin();
    let text = games.translations(Language::English);
    let seats = Player::all(session.game().players()).map(|player| PlayerView {
        number: player.number(),
        occupant: if player == reader {
            OccupantView::You
        } else {
            OccupantView::Person
        },
        ..PlayerView::default()
    });
    let seats: Vec<_> = seats.collect();
    let names = PlayerNames::new(text, &seats);
    let options = DisplayOptions::default();
    let table = TableContext {
        text,
        display: &options,
        names: &names,
        id: "a",
        ply: session.record().len(),
    };
    let strip = scene.strip.as_ref().expect("a strip").draw(&table);
    let board = scene
        .board
        .interactive(text, &options, Some(reader.number()), &names);
    (strip.into_string(), board.into_string())
}

fn land(game: &DiceOfDoom, position: &Position, player: Player) -> Vec<u8> {
    let own = game
        .all_hexes()
        .filter(|hex| position.owner(*hex) == player);
    own.map(|hex| hex.number()).collect()
}

/// A player's state at the end of the last turn.
struct Remembered {
    land: Vec<u8>,
    dice: u32,
    ply: u32,
    /// The captures since then in order: the capturing player and the hex.
    captures: Vec<(u8, u8)>,
}

fn check(session: &Session<DiceOfDoom>, remembered: &Remembered) -> bool {
    let (game, reader) = (session.game(), session.position().player());
    let about = format!("{}, ply {}", game.rules(), session.record().len());
    let (strip, board) = page(session, reader);
    let now = land(game, session.position(), reader);
    let lost: Vec<_> = remembered
        .land
        .iter()
        .filter(|hex| !now.contains(hex))
        .collect();
    assert_eq!(lost.len(), remembered.captures.len(), "{about}");
    assert_eq!(board.matches("class=\"was ").count(), lost.len(), "{about}");
    if lost.is_empty() && remembered.dice == 0 {
        assert!(!strip.contains("recap"), "{about}");
        return false;
    }
    let gains = [
        ("−", "hex", lost.len() as u32),
        ("+", "new di", remembered.dice),
    ];
    for (sign, unit, count) in gains {
        let is_shown = strip.contains(&format!("<b>{sign}{count}</b> {unit}"));
        assert_eq!(is_shown, count > 0, "{about}: {strip}");
    }
    let mut captors: BTreeMap<u8, Vec<String>> = BTreeMap::new();
    for (player, hex) in &remembered.captures {
        captors.entry(*player).or_default().push(format!("h{hex}"));
    }
    assert_eq!(
        strip.matches("data-marks").count(),
        captors.len(),
        "{about}"
    );
    for (player, hexes) in &captors {
        let marks = format!("data-marks=\"{}\"", hexes.join(" "));
        assert!(strip.contains(&marks), "{about}: {strip}, not {marks}");
        let name = ["Red", "Blue", "Green", "Purple"][usize::from(*player)];
        let captured = format!("<b>{name}</b> took {}", hexes.len());
        assert!(
            strip.contains(&captured),
            "{about}: {strip}, not {captured}"
        );
    }
    let link = format!("href=\"/g/a/{}#play\"", remembered.ply);
    assert!(strip.contains(&link), "{about}: {strip}, not {link}");
    true
}

/// Plays a random game and checks the summary of every turn; returns the number of summaries.
fn check_random_game(rules: Rules, seed: u64) -> usize {
    let game = DiceOfDoom::preset(rules);
    let mut rng = ChaCha20Rng::seed_from_u64(seed);
    let start = game.deal(&mut rng).expect("a board");
    let mut remembered: Vec<_> = Player::all(game.players())
        .map(|player| Remembered {
            land: land(&game, &start, player),
            dice: 0,
            ply: 0,
            captures: Vec::new(),
        })
        .collect();
    let mut session = Session::new(game, start);
    let mut cards = 0;
    while let Some(mover) = session
        .status()
        .mover()
        .filter(|_| session.record().len() < 150)
    {
        let is_turn_start = session.position().first_move();
        if is_turn_start {
            cards += usize::from(check(&session, &remembered[usize::from(mover.number())]));
        } else {
            let (strip, board) = page(&session, mover);
            assert!(!strip.contains("recap") && !board.contains("class=\"was "));
        }
        let tree = session.tree();
        let actions: Vec<_> = tree.branches().map(|(action, _)| action).collect();
        let attack = actions
            .iter()
            .filter(|one| **one != Action::EndTurn)
            .choose(&mut rng);
        let may_end = actions.contains(&Action::EndTurn);
        let action = match attack {
            Some(attack) if !may_end || rng.random_bool(0.7) => *attack,
            _ => Action::EndTurn,
        };
        let ply = session
            .prepare_ply(mover, action, &mut rng, 0)
            .expect("legal");
        let next = session.with_ply(ply).expect("the ply was prepared here");
        let (before, after) = (session.position(), next.position());
        match action {
            Action::EndTurn => {
                remembered[usize::from(mover.number())] = Remembered {
                    land: land(&game, after, mover),
                    dice: game.hex_and_dice_count(after, mover).1
                        - game.hex_and_dice_count(before, mover).1,
                    ply: next.record().len(),
                    captures: Vec::new(),
                };
            }
            Action::Attack { to, .. } if after.owner(to) != before.owner(to) => {
                let loser = usize::from(before.owner(to).number());
                remembered[loser]
                    .captures
                    .push((mover.number(), to.number()));
            }
            Action::Attack { .. } => {}
        }
        session = next;
    }
    cards
}

#[test]
fn the_summary_matches_what_happened_since_the_viewers_turn() {
    for rules in Rules::ALL {
        let (mut cards, mut seed) = (0, 0);
        while cards < 5 {
            assert!(seed < 8, "{rules}: {cards} cards");
            cards += check_random_game(rules, seed);
            seed += 1;
        }
    }
}

#[test]
fn the_summary_stays_while_a_hex_is_selected_and_is_hidden_from_spectators() {
    let game = DiceOfDoom::preset(Rules::V4);
    let mut rng = ChaCha20Rng::seed_from_u64(4);
    let start = game.deal(&mut rng).expect("a board");
    let mut session = Session::new(game, start);
    // Every player attacks once.
    for _ in 0..4 {
        for last in [false, true] {
            let Some(mover) = session.status().mover() else {
                return;
            };
            let tree = session.tree();
            let branches = tree.branches();
            let action = branches
                .map(|(action, _)| action)
                .find(|action| (*action == Action::EndTurn) == last)
                .expect("an action");
            let ply = session
                .prepare_ply(mover, action, &mut rng, 0)
                .expect("legal");
            session = session.with_ply(ply).expect("the ply was prepared here");
        }
    }
    let reader = session.status().mover().expect("the game is in progress");
    let source = game
        .legal_actions(session.position())
        .find_map(|action| match action {
            Action::Attack { from, .. } => Some(from.to_string()),
            Action::EndTurn => None,
        });
    let source = source.expect("an attack");
    assert!(page(&session, reader).0.contains("recap"));
    let about = |scene: PositionView| format!("{:?}", scene.strip);
    let choosing = about(scene(&session, &[("from", &source)], ViewerRole::ToMove));
    assert!(choosing.contains("TurnSummaryView"), "{choosing}");
    let watching = about(scene(&session, &[], ViewerRole::Spectator));
    assert!(!watching.contains("TurnSummaryView"), "{watching}");
}
