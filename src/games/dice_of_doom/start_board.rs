//! The board on the start page.

use std::sync::{Arc, LazyLock};

use rand::SeedableRng;
use rand::rngs::ChaCha20Rng;

use crate::games::BoardPage;
use crate::level::{AgentRng, Level};
use crate::session::Session;
use crate::templates::dice_of_doom::HexBoardView;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Rules};

/// The board on the start page: a fixed game between the book's computer players after ten turns.
pub(super) static HERO: LazyLock<Arc<HexBoardView>> = LazyLock::new(|| {
    let game = DiceOfDoom::new(Rules::V4, 5, 4, 5).expect("the book's parameters are valid");
    let mut rng = ChaCha20Rng::seed_from_u64(20);
    let start = game.deal(&mut rng).expect("this seed deals a board");
    let mut session = Session::new(game, start);
    let mut agent_rng = AgentRng::seed_from_u64(20);
    for _ in 0..22 {
        let Some(mover) = session.status().mover() else {
            break;
        };
        let action = Level::Book.choose_action(&game, session.position(), &mut agent_rng);
        let played = session.prepare_ply(mover, action, &mut rng, 0);
        session = played
            .ok()
            .and_then(|ply| session.with_ply(ply).ok())
            .expect("the book's computer players choose legal actions");
    }
    let mut board = game.preview(session.position());
    let attacks = session.record().mainline().rev();
    board.last_attack = attacks
        .filter_map(|(_, ply)| match ply.action {
            Action::Attack { from, to } => Some((from.number(), to.number())),
            Action::EndTurn => None,
        })
        .next();
    Arc::new(board)
});
