//! The book page (Land of Lisp, chapters 19 and 20): its messages and links, with this project's board.

use maud::Markup;

use super::move_options::{AttackOptions, BoardLinks, add_links, check_source, hex};
use crate::formats::end_reason::player_numbers;
use crate::game::Status;
use crate::games::book_page::{BookPage, BookPageInput, BookPrompt};
use crate::games::{BoardPage, FormFields, LiveGame, SubmittedAction};
use crate::record::Ply;
use crate::session::Session;
use crate::templates::SiteContext;
use crate::templates::dice_of_doom::book_page::{BookLink, BookMessage, BookView, book_page};
use crate::templates::dice_of_doom::{HexBoardView, HexState};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use dice_of_doom_games::dice_of_doom::{Action, DiceOfDoom, Faces, Hex, Position};

/// Seconds before the page requests the next computer ply.
const PAUSE_S: u32 = 1;

const HERE: &str = "/game.html";

/// The page for visitors from other sites: a single link.
pub(super) fn entry_page(site: &SiteContext<'_>, text: &Translations) -> Markup {
    let view = BookView {
        link: Some(BookLink::Continue(HERE.to_owned())),
        ..BookView::default()
    };
    book_page(site, text, &view)
}

impl BookPage for Session<DiceOfDoom> {
    fn choose(&self, place: u8) -> Result<(), LocalizedMessage> {
        let hex = hex(self.game(), place)?;
        check_source(
            self.position(),
            &AttackOptions::from_tree(&self.tree()),
            hex,
        )
    }

    fn attack(&self, from: u8, to: u8) -> SubmittedAction {
        let fields = [("from", from), ("to", to)];
        let fields = fields.map(|(name, hex)| (name.to_owned(), hex.to_string()));
        SubmittedAction::Form(FormFields(fields.into()))
    }

    fn pass(&self) -> SubmittedAction {
        SubmittedAction::Notation(Action::EndTurn.to_string())
    }

    fn page(
        &self,
        site: &SiteContext<'_>,
        text: &Translations,
        shown: &BookPageInput<'_>,
    ) -> Markup {
        book_page(site, text, &view(self, shown))
    }
}

/// Whose turn it is, as the page distinguishes it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BookPageTurn {
    Human,
    Computer,
    Nobody,
}

impl BookPageTurn {
    fn new(session: &Session<DiceOfDoom>, shown: &BookPageInput<'_>) -> Self {
        match session.status() {
            Status::Over(_) => BookPageTurn::Nobody,
            Status::Turn(mover) if shown.people.contains(&mover) => BookPageTurn::Human,
            Status::Turn(_) => BookPageTurn::Computer,
        }
    }
}

fn view(session: &Session<DiceOfDoom>, shown: &BookPageInput<'_>) -> BookView {
    let (game, position) = (session.game(), session.position());
    let ply = session.record().len();
    let turn = BookPageTurn::new(session, shown);
    let link_to = |chosen: &str| format!("{HERE}?chosen={chosen}&ply={ply}");
    let options = AttackOptions::from_tree(&session.tree());
    let mut board = game.preview(position);
    board.last_attack = last_attack(session);
    if turn == BookPageTurn::Human {
        let chosen = match shown.prompt {
            BookPrompt::Chosen(place) => game.hex(place),
            BookPrompt::Newest
            | BookPrompt::Choose
            | BookPrompt::Cancelled
            | BookPrompt::Thinking => None,
        };
        let back = chosen.map(|hex| link_to(&hex.to_string()));
        let links = BoardLinks {
            source: |hex: Hex| link_to(&hex.to_string()),
            target: |_: Hex, to: Hex| link_to(&to.to_string()),
            back: back.unwrap_or_default(),
        };
        add_links(&mut board, game, position, &options, chosen, &links);
        if let Some(chosen) = chosen {
            // While a destination is being chosen, the book treats a click on another own hex as an attack on
            // oneself. These hexes are therefore not links.
            unlink_own(&mut board, position, chosen);
        }
    }
    let messages = messages(session, shown, turn);
    // After the human's own pass the book waits for "continue"; between computer plies it reloads itself.
    let last_was_computer = messages.contains(&BookMessage::ComputerMoved);
    let reloads = turn == BookPageTurn::Computer && last_was_computer;
    // The reload while a computer is thinking must not request another ply.
    let is_thinking = turn == BookPageTurn::Computer && shown.prompt == BookPrompt::Thinking;
    BookView {
        board,
        refresh: match is_thinking {
            true => Some((PAUSE_S, HERE.to_owned())),
            false => reloads.then(|| (PAUSE_S, link_to("NIL"))),
        },
        messages,
        link: match turn {
            BookPageTurn::Nobody => Some(BookLink::PlayAgain(HERE.to_owned())),
            BookPageTurn::Computer if is_thinking => Some(BookLink::LookAgain(HERE.to_owned())),
            BookPageTurn::Computer => Some(BookLink::Continue(link_to("NIL"))),
            BookPageTurn::Human if options.end_turn => Some(BookLink::Pass(link_to("pass"))),
            BookPageTurn::Human => None,
        },
        notice: shown.notice.clone(),
        players: shown.players.clone(),
    }
}

fn messages(
    session: &Session<DiceOfDoom>,
    shown: &BookPageInput<'_>,
    turn: BookPageTurn,
) -> Vec<BookMessage> {
    match shown.prompt {
        BookPrompt::Choose => vec![BookMessage::ChooseSource],
        BookPrompt::Chosen(_) => vec![BookMessage::ChooseDestination],
        BookPrompt::Cancelled => vec![BookMessage::Cancelled],
        BookPrompt::Thinking if turn == BookPageTurn::Computer => vec![BookMessage::Thinking],
        BookPrompt::Newest | BookPrompt::Thinking if turn == BookPageTurn::Nobody => {
            vec![result_message(session)]
        }
        BookPrompt::Newest | BookPrompt::Thinking => match last_ply(session) {
            None => vec![BookMessage::ChooseSource],
            Some(last) if shown.people.contains(&last.player) => own_ply_messages(last),
            Some(_) if turn == BookPageTurn::Human => {
                vec![BookMessage::ComputerMoved, BookMessage::ChooseSource]
            }
            Some(_) => vec![BookMessage::ComputerMoved],
        },
    }
}

/// The last ply on the mainline.
fn last_ply(session: &Session<DiceOfDoom>) -> Option<&Ply<DiceOfDoom>> {
    let newest = session.record().mainline().next_back();
    newest.map(|(_, ply)| ply)
}

/// The messages after a ply of the human player.
fn own_ply_messages(last: &Ply<DiceOfDoom>) -> Vec<BookMessage> {
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

fn result_message(session: &Session<DiceOfDoom>) -> BookMessage {
    match LiveGame::winners(session).as_slice() {
        [winner] => BookMessage::Winner {
            player: winner.number(),
        },
        tied => BookMessage::Tie {
            players: player_numbers(tied),
        },
    }
}

fn last_attack(session: &Session<DiceOfDoom>) -> Option<(u8, u8)> {
    match last_ply(session)?.action {
        Action::Attack { from, to } => Some((from.number(), to.number())),
        Action::EndTurn => None,
    }
}

fn unlink_own(board: &mut HexBoardView, position: &Position, chosen: Hex) {
    for (number, hex) in board.hexes.iter_mut().enumerate() {
        if hex.owner == position.player().number() && number != usize::from(chosen.number()) {
            hex.href = None;
            hex.state = HexState::Idle;
        }
    }
}
