//! The page of the book (Land of Lisp, chapters 19 and 20): its messages, its links, our board.

use std::sync::Arc;

use maud::Markup;

use super::move_options::{Branches, Links, choosable, hex, source};
use crate::game::Status;
use crate::game_adapters::book_page::{BookGame, BookPage, BookSays, BookShown};
use crate::game_adapters::json::numbers;
use crate::game_adapters::{LiveGame, Pictured};
use crate::games::dice_of_doom::{Action, DiceOfDoom, Faces, Hex, Position, Rules};
use crate::record::Ply;
use crate::session::Session;
use crate::templates::Site;
use crate::templates::dice_of_doom::book_page::{BookLink, BookMessage, BookView, book_page};
use crate::templates::dice_of_doom::{BoardView, HexState};
use crate::templates::localization::Text;
use crate::templates::message::Said;

/// Seconds before the page asks for the next computer ply.
const PAUSE_S: u32 = 1;

/// The address of the page.
const HERE: &str = "/game.html";

/// The game of the page.
pub(super) fn game() -> BookGame {
    BookGame {
        setting: Arc::new(DiceOfDoom::preset(Rules::V4)),
        doorstep: |site, text| {
            let view = BookView {
                link: Some(BookLink::Continue(HERE.to_owned())),
                ..BookView::default()
            };
            book_page(site, text, &view)
        },
    }
}

impl BookPage for Session<DiceOfDoom> {
    fn choose(&self, place: u8) -> Result<(), Said> {
        let hex = hex(self.game(), place)?;
        source(self.position(), &Branches::of(&self.tree()), hex)
    }

    fn between(&self, from: u8, to: u8) -> Result<String, Said> {
        let attack = Action::Attack {
            from: hex(self.game(), from)?,
            to: hex(self.game(), to)?,
        };
        Ok(attack.to_string())
    }

    fn pass(&self) -> String {
        Action::EndTurn.to_string()
    }

    fn page(&self, site: &Site<'_>, text: &Text, shown: &BookShown<'_>) -> Markup {
        book_page(site, text, &view(self, shown))
    }
}

/// Whose turn it is on the page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Human,
    Computer,
    Nobody,
}

impl Turn {
    fn of(session: &Session<DiceOfDoom>, shown: &BookShown<'_>) -> Self {
        match session.status() {
            Status::Over(_) => Turn::Nobody,
            Status::Turn(mover) if shown.people.contains(&mover) => Turn::Human,
            Status::Turn(_) => Turn::Computer,
        }
    }
}

fn view(session: &Session<DiceOfDoom>, shown: &BookShown<'_>) -> BookView {
    let (game, position) = (session.game(), session.position());
    let ply = session.record().len();
    let turn = Turn::of(session, shown);
    let link_to = |chosen: &str| format!("{HERE}?chosen={chosen}&ply={ply}");
    let branches = Branches::of(&session.tree());
    let mut board = game.still(position);
    board.last_attack = last_attack(session);
    if turn == Turn::Human {
        let chosen = match shown.says {
            BookSays::Chosen(place) => game.hex(place),
            BookSays::Newest | BookSays::Choose | BookSays::Cancelled | BookSays::Thinking => None,
        };
        let back = chosen.map(|hex| link_to(&hex.to_string()));
        let links = Links {
            source: |hex: Hex| link_to(&hex.to_string()),
            target: |_: Hex, to: Hex| link_to(&to.to_string()),
            back: back.unwrap_or_default(),
        };
        choosable(&mut board, game, position, &branches, chosen, &links);
        if let Some(chosen) = chosen {
            // While a destination is asked for, the book takes a click on another own hex as an attack on
            // oneself, so these hexes are no links.
            unlink_own(&mut board, position, chosen);
        }
    }
    let messages = messages(session, shown, turn);
    // After the human's own pass the book waits for "continue"; between computers it reloads itself.
    let computers_last = messages.contains(&BookMessage::ComputerMoved);
    let reloads = turn == Turn::Computer && computers_last;
    // Whoever looks again asks for nothing to be played.
    let thinks = turn == Turn::Computer && shown.says == BookSays::Thinking;
    BookView {
        board,
        refresh: match thinks {
            true => Some((PAUSE_S, HERE.to_owned())),
            false => reloads.then(|| (PAUSE_S, link_to("NIL"))),
        },
        messages,
        link: match turn {
            Turn::Nobody => Some(BookLink::PlayAgain(HERE.to_owned())),
            Turn::Computer if thinks => Some(BookLink::LookAgain(HERE.to_owned())),
            Turn::Computer => Some(BookLink::Continue(link_to("NIL"))),
            Turn::Human if branches.end_turn => Some(BookLink::Pass(link_to("pass"))),
            Turn::Human => None,
        },
        notice: shown.notice.clone(),
        players: shown.players.clone(),
    }
}

fn messages(session: &Session<DiceOfDoom>, shown: &BookShown<'_>, turn: Turn) -> Vec<BookMessage> {
    match shown.says {
        BookSays::Choose => vec![BookMessage::ChooseSource],
        BookSays::Chosen(_) => vec![BookMessage::ChooseDestination],
        BookSays::Cancelled => vec![BookMessage::Cancelled],
        BookSays::Thinking if turn == Turn::Computer => vec![BookMessage::Thinking],
        BookSays::Newest | BookSays::Thinking if turn == Turn::Nobody => vec![over(session)],
        BookSays::Newest | BookSays::Thinking => match newest(session) {
            None => vec![BookMessage::ChooseSource],
            Some(last) if shown.people.contains(&last.player) => own(last),
            Some(_) if turn == Turn::Human => {
                vec![BookMessage::ComputerMoved, BookMessage::ChooseSource]
            }
            Some(_) => vec![BookMessage::ComputerMoved],
        },
    }
}

/// The newest ply that stands.
fn newest(session: &Session<DiceOfDoom>) -> Option<&Ply<DiceOfDoom>> {
    let newest = session.record().line().next_back();
    newest.map(|(_, ply)| ply)
}

/// What is said after a ply of the human.
fn own(last: &Ply<DiceOfDoom>) -> Vec<BookMessage> {
    match last.action {
        Action::EndTurn => vec![BookMessage::Reinforced],
        Action::Attack { .. } => {
            let side = |faces: &Faces| (faces.as_slice().len() as u8, faces.sum());
            let rolled = last.roll.throw().map(|throw| BookMessage::Rolled {
                attack: side(&throw.attack),
                defend: side(&throw.defend),
            });
            rolled.into_iter().chain([BookMessage::MayPass]).collect()
        }
    }
}

fn over(session: &Session<DiceOfDoom>) -> BookMessage {
    match LiveGame::winners(session).as_slice() {
        [winner] => BookMessage::Winner {
            player: winner.number(),
        },
        tied => BookMessage::Tie {
            players: numbers(tied),
        },
    }
}

fn last_attack(session: &Session<DiceOfDoom>) -> Option<(u8, u8)> {
    match newest(session)?.action {
        Action::Attack { from, to } => Some((from.number(), to.number())),
        Action::EndTurn => None,
    }
}

fn unlink_own(board: &mut BoardView, position: &Position, chosen: Hex) {
    for (number, hex) in board.hexes.iter_mut().enumerate() {
        if hex.owner == position.player().number() && number != usize::from(chosen.number()) {
            hex.href = None;
            hex.state = HexState::Resting;
        }
    }
}
