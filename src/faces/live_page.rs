//! The pages of a game that is played, whatever its kind: a record is walked once, and its game says
//! what is drawn and told.

use std::sync::Arc;

use super::Guest;
use super::book::BookPage;
use super::form::Form;
use super::json::numbers;
use super::page::{Declined, End, Now, Offer, Pictured, Progress, Since};
use crate::game::Player;
use crate::record::{Ending, Step};
use crate::session::Session;
use crate::templates::Board;
use crate::templates::buttons::OnTable;
use crate::templates::game::{Did, GameName, ResultView};
use crate::templates::log::LogEntry;
use crate::templates::players::Tally;
use crate::templates::said::Said;

/// Which position of a game a page shows, and to whom.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// After how many plies; `None` is the newest position, with what can be done there.
    pub ply: Option<u32>,
    /// How many plies the log goes back.
    pub log: usize,
    /// What the query of the page chooses.
    pub query: &'a Form,
    /// The address of the page without a choice.
    pub here: &'a str,
    /// What the reader may do.
    pub reader: Reader,
}

/// What a reader of a page may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    /// It is the reader's turn.
    Moves,
    /// It is the reader's turn, and the first one ever.
    Begins,
    /// The reader only looks on.
    Watches,
}

/// A position of a game, as its page shows it.
#[derive(Clone, Debug)]
pub struct Scene {
    /// After how many plies.
    pub ply: u32,
    /// The board, with links where the reader moves.
    pub board: Arc<dyn Board>,
    /// The heading of the list of players.
    pub turn: Said,
    /// Whose turn it is.
    pub mover: Option<Player>,
    /// What each player has.
    pub counts: Vec<Vec<u32>>,
    /// What happened, the newest first.
    pub log: Vec<LogEntry>,
    /// What the newest ply of the log looked like.
    pub strip: Option<Arc<dyn OnTable>>,
    /// What the reader can do, on the reader's turn.
    pub offer: Option<Offer>,
}

/// The newest position, as cards show it.
#[derive(Clone, Debug)]
pub struct Still {
    /// The board without links.
    pub board: Arc<dyn Board>,
    /// What each player has.
    pub counts: Vec<Vec<u32>>,
    /// How far the game has come.
    pub stage: Said,
}

/// What pages ask of a game that is played.
pub trait LivePage {
    /// What is played.
    fn page_name(&self) -> GameName;

    /// The counts of each player.
    fn tally(&self) -> Tally;

    /// A position, as its page shows it.
    ///
    /// # Errors
    /// When the query cannot be read, or chooses what cannot be chosen by a reader who moves.
    fn scene(&self, shown: &Shown<'_>) -> Result<Scene, Declined>;

    /// The newest position, as cards show it.
    fn still(&self) -> Still;

    /// Whether this player has ended no turn yet.
    fn is_first_turn(&self, player: Player) -> bool;

    /// Every ply that happened, the newest first.
    fn whole_log(&self) -> Vec<LogEntry>;

    /// How the game ended, for a reader in this seat; `None` while it goes on.
    fn result(&self, own: Option<Player>) -> Option<ResultView>;

    /// The course of the game, once it is over, where its game draws one.
    fn course(&self) -> Option<Arc<dyn OnTable>>;

    /// The action that a form names, in the game's notation.
    ///
    /// # Errors
    /// When it names none, or the board has no such place.
    fn read_move(&self, form: &Form) -> Result<String, Declined>;

    /// The game on the book's page, where it can be played there.
    fn book_page(&self) -> Option<&dyn BookPage>;
}

pub(super) fn name<G: Pictured>() -> GameName {
    GameName {
        game: G::NAME,
        title: G::TITLE_KEY,
    }
}

impl<G: Guest> LivePage for Session<G> {
    fn page_name(&self) -> GameName {
        name::<G>()
    }

    fn tally(&self) -> Tally {
        G::TALLY
    }

    fn scene(&self, shown: &Shown<'_>) -> Result<Scene, Declined> {
        let tree = self.tree();
        let chosen = match (G::choose(&tree, shown.query), shown.reader) {
            (Err(Declined::Unfit(sentence)), _) => return Err(Declined::Unfit(sentence)),
            (chosen, Reader::Moves | Reader::Begins) => Some(chosen?),
            (_, Reader::Watches) => None,
        };
        let (game, newest) = (self.game(), self.record().len());
        let ply = shown.ply.unwrap_or(newest).min(newest);
        let reader = Session::status(self)
            .mover()
            .filter(|_| shown.ply.is_none() && shown.reader != Reader::Watches);
        let walk = walk(self, ply, shown.log, reader.and_then(|one| away(self, one)));
        let position = walk.position(self);
        let mover = match shown.ply {
            None => Session::status(self).mover(),
            Some(_) => game.status(position).mover(),
        };
        let mut board = game.still(position);
        if let Some(last) = &walk.last {
            game.mark_last(&mut board, last);
        }
        let strip = walk.strip.clone().or_else(G::no_strip);
        let since = reader
            .filter(|_| !walk.since.is_empty())
            .and_then(|reader| {
                let since = Since {
                    reader,
                    steps: &walk.since,
                    strip: strip.clone(),
                };
                game.since(since, &mut board)
            });
        let mut offer = chosen.map(|chosen| G::offer(&tree, chosen, shown.here, &mut board));
        if let (Some(offer), Reader::Begins, Some(mover)) = (&mut offer, shown.reader, mover)
            && offer.asked.back.is_none()
            && let Some(said) = G::first_words(&tree, plies_of(self, mover))
        {
            offer.asked.sub = said;
            offer.asked.sub_without_odds = None;
        }
        let now = Now {
            ply,
            turn: walk.turn,
            progress: if mover.is_some() {
                Progress::GoesOn
            } else {
                Progress::Over
            },
        };
        Ok(Scene {
            ply,
            board: Arc::new(board),
            turn: game.turn(&now),
            mover,
            counts: counts(game, position),
            log: walk.log,
            strip: since.or(strip),
            offer,
        })
    }

    fn still(&self) -> Still {
        let (game, position) = (self.game(), self.position());
        let plies = self.record().plies.iter();
        let turns = plies.filter(|ply| G::ends_turn(ply.action)).count();
        let over = Session::status(self).is_over();
        let now = Now {
            ply: self.record().len(),
            turn: turns as u32 + 1,
            progress: if over {
                Progress::Over
            } else {
                Progress::GoesOn
            },
        };
        Still {
            board: Arc::new(game.still(position)),
            counts: counts(game, position),
            stage: game.stage(&now),
        }
    }

    fn is_first_turn(&self, player: Player) -> bool {
        let mut plies = self.record().plies.iter();
        !plies.any(|ply| ply.player == player && G::ends_turn(ply.action))
    }

    fn whole_log(&self) -> Vec<LogEntry> {
        walk(self, u32::MAX, usize::MAX, None).log
    }

    fn result(&self, own: Option<Player>) -> Option<ResultView> {
        if !Session::status(self).is_over() {
            return None;
        }
        let winners = super::LiveGame::winners(self);
        let end = End {
            position: self.position(),
            winners: &winners,
            ending: self.record().ending,
            plies: self.record().len(),
        };
        Some(ResultView {
            did: own.map(|own| Did::of(&winners, own)),
            winners: numbers(&winners),
            plies: end.plies,
            verdict: self.game().verdict(&end),
            place: own.and_then(|own| self.game().place(&end, own)),
            reason: self.game().reason(&end),
        })
    }

    fn course(&self) -> Option<Arc<dyn OnTable>> {
        let over = Session::status(self).is_over();
        over.then(|| G::course(self)).flatten()
    }

    fn read_move(&self, form: &Form) -> Result<String, Declined> {
        Ok(self.game().read_move(form)?.to_string())
    }

    fn book_page(&self) -> Option<&dyn BookPage> {
        G::book_page(self)
    }
}

impl Did {
    fn of(winners: &[Player], own: Player) -> Self {
        match winners {
            [] => Did::Tied,
            [winner] if *winner == own => Did::Won,
            winners if winners.contains(&own) => Did::Tied,
            _ => Did::Lost,
        }
    }
}

fn counts<G: Pictured>(game: &G, position: &G::Position) -> Vec<Vec<u32>> {
    let players = Player::all(game.players());
    players
        .map(|player| game.counts(position, player))
        .collect()
}

/// How many plies a player has played.
fn plies_of<G: Guest>(session: &Session<G>, player: Player) -> u32 {
    let plies = session.record().plies.iter();
    plies.filter(|ply| ply.player == player).count() as u32
}

/// A record, walked up to one of its plies.
struct Walk<'r, G: Pictured> {
    /// The last ply, if any was played.
    last: Option<Step<'r, G>>,
    /// The turn after it, counted from 1.
    turn: u32,
    /// Newest first, bounded.
    log: Vec<LogEntry>,
    /// What the newest ply of the log looked like.
    strip: Option<Arc<dyn OnTable>>,
    /// What was played since the reader's last turn.
    since: Vec<Step<'r, G>>,
}

impl<'r, G: Pictured> Walk<'r, G> {
    /// The position to which it leads.
    fn position<'s>(&'s self, session: &'s Session<G>) -> &'s G::Position {
        let start = &session.record().start;
        self.last.as_ref().map_or(start, |last| &last.after)
    }
}

/// The number of the ply that ended this player's last turn, or of the first ply of the game; nothing
/// once the player has done something in this turn.
fn away<G: Pictured>(session: &Session<G>, player: Player) -> Option<u32> {
    let plies = &session.record().plies;
    match plies.iter().rposition(|ply| ply.player == player) {
        None => Some(0),
        Some(own) if G::ends_turn(plies[own].action) => Some(own as u32),
        Some(_) => None,
    }
}

/// Walks a record up to a ply; keeps so many lines of the log, and the steps from `since` on.
fn walk<G: Pictured>(
    session: &Session<G>,
    until: u32,
    entries: usize,
    since: Option<u32>,
) -> Walk<'_, G> {
    let (game, record) = (session.game(), session.record());
    let until = until.min(record.len());
    let mut walk = Walk {
        last: None,
        turn: 1,
        log: Vec::new(),
        strip: None,
        since: Vec::new(),
    };
    for step in session.steps(0).take(until as usize) {
        if (step.number as usize).saturating_add(entries) >= until as usize {
            let event = game.event(&step);
            walk.strip = event.strip.or(walk.strip);
            walk.log.push(LogEntry {
                ply: step.number + 1,
                turn: G::log_turn(walk.turn),
                player: step.ply.player.number(),
                said: event.said,
                marks: event.marks,
            });
        }
        if G::ends_turn(step.ply.action) {
            walk.turn += 1;
        }
        let last = step.number + 1 == until;
        match since.is_some_and(|from| step.number >= from) {
            true if last => {
                walk.last = Some(step.clone());
                walk.since.push(step);
            }
            true => walk.since.push(step),
            false if last => walk.last = Some(step),
            false => {}
        }
    }
    if until == record.len()
        && let Some(ending) = record.ending
    {
        let mover = game.status(walk.position(session)).mover();
        let (player, said) = match ending {
            Ending::Resigned(player) => (player, Said::new("log-resigned").of(player.number())),
            Ending::Limit => (mover.unwrap_or(Player::FIRST), Said::new("log-limit")),
        };
        walk.log.push(LogEntry {
            ply: until,
            turn: G::log_turn(walk.turn),
            player: player.number(),
            said,
            marks: None,
        });
    }
    walk.log.reverse();
    walk
}
