//! Games with human seats: open, inactive, invitations and rematches.

use std::sync::Arc;

use dice_of_doom::templates::game::GameView;
use dice_of_doom::templates::join::JoinView;
use dice_of_doom::templates::players::OccupantView;
use dice_of_doom::templates::prompt::Prompt;
use dice_of_doom::templates::seats::{
    RematchOption, RematchView, ResignationView, SeatNotice, SeatRole, SeatView, SeatsPanelView,
};

use super::boards::idle_board;
use super::chips::{TRILOBITE, middlegame};
use super::dice::{DICE, players, waiting};
use super::over::finished_game;

pub(crate) const LINK: &str = "http://localhost:8080/join/AAAAAAAAAAAAAAAAAAAAAA";

fn own(player: u8, name: &str) -> SeatView {
    let role = SeatRole::Own {
        link: Some(LINK.into()),
        renewable: true,
        name: name.into(),
    };
    SeatView { player, role }
}

/// The host's page while Blue's seat is open and to move.
pub(crate) fn hosting() -> GameView {
    let mut view = waiting();
    view.players[1].occupant = OccupantView::Open;
    view.players[2].occupant = OccupantView::Open;
    view.prompt = Prompt::Open { player: 1 };
    let open = |player, link: Option<&str>| SeatView {
        player,
        role: SeatRole::Open {
            link: link.map(str::to_owned),
            is_invited: false,
        },
    };
    view.seats_panel = SeatsPanelView {
        seats: vec![own(0, "Ada"), open(1, Some(LINK)), open(2, None)],
        resignation: Some(ResignationView {
            player: 0,
            ends: true,
        }),
        levels: ["random", "book"].map(String::from).to_vec(),
        private: true,
        ..SeatsPanelView::default()
    };
    view
}

/// Green has been inactive for a while.
pub(crate) fn slow() -> GameView {
    let mut view = waiting();
    view.players[1].on_turn = false;
    view.players[2].on_turn = true;
    view.mover = Some(2);
    view.prompt = Prompt::Waiting { player: 2 };
    let green = SeatView {
        player: 2,
        role: SeatRole::Inactive,
    };
    view.seats_panel = SeatsPanelView {
        seats: vec![own(0, ""), green],
        resignation: Some(ResignationView {
            player: 0,
            ends: false,
        }),
        ..SeatsPanelView::default()
    };
    view
}

pub(crate) fn rematched(kinds: &[RematchOption]) -> GameView {
    let created = kinds.iter().map(|kind| RematchView {
        kind: *kind,
        id: "zzzzzzzz".into(),
    });
    GameView {
        seats_panel: SeatsPanelView {
            rematches: created.collect(),
            ..SeatsPanelView::default()
        },
        ..finished_game()
    }
}

pub(crate) fn join(back: bool) -> JoinView {
    let mut players = players();
    players[0].occupant = OccupantView::Person;
    players[0].name = Some("Ada <b>".into());
    players[1].occupant = OccupantView::Open;
    JoinView {
        player: if back { 0 } else { 1 },
        host: (!back).then_some(0),
        is_own_seat: back,
        game: DICE,
        board: Arc::new(idle_board()),
        players,
        ply: 12,
        hints: false,
        private: true,
        picture: None,
        name: String::new(),
        problem: None,
        without_cookies: None,
    }
}

pub(crate) fn refused_join() -> JoinView {
    JoinView {
        host: None,
        name: "A\u{202e}".into(),
        problem: Some(SeatNotice::NameInvisible),
        without_cookies: Some(LINK.into()),
        game: TRILOBITE,
        board: Arc::new(middlegame()),
        ..join(false)
    }
}
