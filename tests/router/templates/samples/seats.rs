//! Games with human seats: open, inactive, invitations and rematches.

use std::sync::Arc;

use dice_of_doom::templates::game::GameView;
use dice_of_doom::templates::join::JoinView;
use dice_of_doom::templates::lobby::LobbyView;
use dice_of_doom::templates::log::SeatEvent;
use dice_of_doom::templates::players::OccupantView;
use dice_of_doom::templates::prompt::Prompt;
use dice_of_doom::templates::seats::{
    RematchOption, RematchView, ResignationOutcome, ResignationView, SeatNotice, SeatRole,
    SeatView, SeatsPanelView,
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

/// The host's page while the game waits for players for the seats of Blue and Green.
pub(crate) fn hosting() -> GameView {
    let mut view = waiting();
    view.players[1].occupant = OccupantView::Open;
    view.players[2].occupant = OccupantView::Open;
    view.players[0].name = Some("Ada".into());
    view.prompt = Prompt::Lobby;
    let open = |player| SeatView {
        player,
        role: SeatRole::Open,
    };
    view.seats_panel = SeatsPanelView {
        seats: vec![own(0, "Ada"), open(1), open(2)],
        lobby: Some(LobbyView {
            is_host: true,
            may_start: true,
            link: Some(LINK.into()),
            listed: Some(false),
            starts_in_s: None,
            here: 1,
            missing: 2,
            newest: None,
        }),
        resignation: Some(ResignationView {
            player: 0,
            effect: ResignationOutcome::LeavesTable,
        }),
        levels: ["random", "book"].map(String::from).to_vec(),
        private: true,
        ..SeatsPanelView::default()
    };
    view
}

/// The page of a guest after Green has joined; the game starts in five seconds.
pub(crate) fn joined() -> GameView {
    let mut view = hosting();
    view.players[1].occupant = OccupantView::Level("book".into());
    view.players[2].occupant = OccupantView::Person;
    view.players[2].name = Some("Ken <b>".into());
    let lobby = view.seats_panel.lobby.as_mut().expect("a lobby");
    (lobby.is_host, lobby.may_start) = (false, false);
    lobby.link = None;
    lobby.listed = None;
    lobby.starts_in_s = Some(5);
    (lobby.here, lobby.missing, lobby.newest) = (2, 0, Some(2));
    view
}

/// The program of Blue is invited, and to move.
pub(crate) fn inviting() -> GameView {
    let mut view = waiting();
    view.players[1].occupant = OccupantView::Invited;
    view.players[1].name = Some("Deep".into());
    view.prompt = Prompt::Open { player: 1 };
    view.seats_panel = SeatsPanelView {
        seats: vec![
            own(0, "Ada"),
            SeatView {
                player: 1,
                role: SeatRole::Open,
            },
        ],
        ..SeatsPanelView::default()
    };
    view
}

/// Ken has left Green's seat to a computer, and nobody else plays.
pub(crate) fn departed() -> GameView {
    let mut view = waiting();
    view.players[1].occupant = OccupantView::Level("book".into());
    view.players[2].occupant = OccupantView::Level("book".into());
    view.players[2].former = Some("Ken".into());
    view.players[3].occupant = OccupantView::Level("book".into());
    view.seat_events = vec![SeatEvent {
        ply: view.newest,
        player: 2,
        at_ms: 1_800_000_000_000,
        has_left: true,
        is_news: true,
    }];
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
            effect: ResignationOutcome::ReplacedByLevel,
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
