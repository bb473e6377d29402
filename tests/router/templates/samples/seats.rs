//! Tables at which people have seats: open ones, slow ones, invitations and rematches.

use std::sync::Arc;

use dice_of_doom::templates::view::{
    GameView, JoinView, OccupantView, Prompt, RematchOption, RematchView, ResignationView,
    SeatNotice, SeatRole, SeatView, SeatsPanelView,
};

use super::boards::resting;
use super::chips::{TRILOBITE, middle};
use super::dice::{DICE, players, waiting};
use super::over::over;

pub(crate) const LINK: &str = "http://localhost:8080/join/AAAAAAAAAAAAAAAAAAAAAA";

fn own(player: u8, name: &str) -> SeatView {
    let role = SeatRole::Own {
        link: Some(LINK.into()),
        renewable: true,
        name: name.into(),
    };
    SeatView { player, role }
}

/// The host's page while everybody waits for Blue's seat.
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

/// Green has not moved for a while.
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
    let made = kinds.iter().map(|kind| RematchView {
        kind: *kind,
        id: "zzzzzzzz".into(),
    });
    GameView {
        seats_panel: SeatsPanelView {
            rematches: made.collect(),
            ..SeatsPanelView::default()
        },
        ..over()
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
        board: Arc::new(resting()),
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
        board: Arc::new(middle()),
        ..join(false)
    }
}
