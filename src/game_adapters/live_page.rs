//! The pages of a game that is played, whatever its kind: a record is walked once, and its game says
//! what is drawn and told.

use std::sync::Arc;

use super::RegistrableGame;
use super::book_page::BookPage;
use super::form::FormFields;
use super::hint;
use super::json::numbers;
use super::page::{
    GameEnd, GameProgress, MoveOptions, PageAdapter, PlayState, SelectionError, TurnSummaryInput,
};
use super::position_analysis::PositionAnalysis;
use crate::game::{MAX_PLAYERS, Player};
use crate::provably_fair::{NO_ENTROPY, is_entropy_commitment};
use crate::record::{Ending, Entry, Ply, ReplayedEntry, ReplayedPly};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::board::with_takebacks;
use crate::templates::controls::TableComponent;
use crate::templates::game::{GameTitle, PlayerResult, ResultView};
use crate::templates::hint::HintView;
use crate::templates::log::LogEntry;
use crate::templates::message::LocalizedMessage;
use crate::templates::players::CountColumns;
use crate::templates::replay::{PlyMark, TurnBand};

/// Which position of a game a page shows, and to whom.
#[derive(Clone, Copy, Debug)]
pub struct PositionPageInput<'a> {
    /// After how many entries; `None` is the newest position, with what can be done there.
    pub ply: Option<u32>,
    /// How many entries the log goes back.
    pub log: usize,
    /// What the query of the page chooses.
    pub query: &'a FormFields,
    /// The address of the page without a choice.
    pub here: &'a str,
    /// What the reader may do.
    pub reader: ViewerRole,
    /// The hint to show, for a reader who moves.
    pub hint: Option<&'a PositionAnalysis>,
}

/// What a reader of a page may do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewerRole {
    /// It is the reader's turn.
    Moves,
    /// It is the reader's turn, and the first one ever.
    Begins,
    /// The reader only looks on.
    Watches,
}

/// A position of a game, as its page shows it.
#[derive(Clone, Debug)]
pub struct PositionView {
    /// After how many entries.
    pub ply: u32,
    /// The board, with links where the reader moves.
    pub board: Arc<dyn BoardComponent>,
    /// The heading of the list of players.
    pub turn: LocalizedMessage,
    /// Whose turn it is.
    pub mover: Option<Player>,
    /// What each player has.
    pub counts: Vec<Vec<u32>>,
    /// What happened, the newest first.
    pub log: Vec<LogEntry>,
    /// What the newest ply of the log looked like.
    pub strip: Option<Arc<dyn TableComponent>>,
    /// What the reader can do, on the reader's turn.
    pub offer: Option<MoveOptions>,
    /// The hint that was asked for.
    pub hint: Option<HintView>,
}

/// The newest position, as cards show it.
#[derive(Clone, Debug)]
pub struct PreviewView {
    /// The board without links.
    pub board: Arc<dyn BoardComponent>,
    /// What each player has.
    pub counts: Vec<Vec<u32>>,
    /// How far the game has come.
    pub stage: LocalizedMessage,
}

/// What pages ask of a game that is played.
pub trait LivePage {
    /// What is played.
    fn page_name(&self) -> GameTitle;

    /// The counts of each player.
    fn tally(&self) -> CountColumns;

    /// The key that asks for a hint.
    fn hint_key(&self) -> &'static str;

    /// A position, as its page shows it.
    ///
    /// # Errors
    /// When the query cannot be read, or chooses what cannot be chosen by a reader who moves.
    fn scene(&self, shown: &PositionPageInput<'_>) -> Result<PositionView, SelectionError>;

    /// The newest position, as cards show it.
    fn still(&self) -> PreviewView;

    /// The boards after so many entries each, drawn to stand alone (SVG); the numbers ascend, and those
    /// beyond the newest position are left out.
    fn pictures(&self, plies: &[u32]) -> Vec<String>;

    /// Whether this player has ended no turn yet.
    fn is_first_turn(&self, player: Player) -> bool;

    /// Everything that happened, the newest first.
    fn whole_log(&self) -> Vec<LogEntry>;

    /// Every turn, for the strip of a replay.
    fn bands(&self) -> Vec<TurnBand>;

    /// How the game ended, for a reader in this seat; `None` while it goes on.
    fn result(&self, own: Option<Player>) -> Option<ResultView>;

    /// The course of the game, once it is over, where its game draws one.
    fn course(&self) -> Option<Arc<dyn TableComponent>>;

    /// What the button says that takes back the ply with this number.
    fn take_back(&self, number: u32) -> LocalizedMessage;

    /// The action that a form names, in the game's notation.
    ///
    /// # Errors
    /// When it names none, or the board has no such place.
    fn read_move(&self, form: &FormFields) -> Result<String, SelectionError>;

    /// The game on the book's page, where it can be played there.
    fn book_page(&self) -> Option<&dyn BookPage>;
}

pub(super) fn name<G: PageAdapter>() -> GameTitle {
    GameTitle {
        game: G::NAME,
        title: G::TITLE_KEY,
    }
}

impl<G: RegistrableGame> LivePage for Session<G> {
    fn page_name(&self) -> GameTitle {
        name::<G>()
    }

    fn tally(&self) -> CountColumns {
        G::TALLY
    }

    fn hint_key(&self) -> &'static str {
        G::HINT_KEY
    }

    fn scene(&self, shown: &PositionPageInput<'_>) -> Result<PositionView, SelectionError> {
        let tree = self.tree();
        let chosen = match (G::select(&tree, shown.query), shown.reader) {
            (Err(SelectionError::Unfit(sentence)), _) => {
                return Err(SelectionError::Unfit(sentence));
            }
            (chosen, ViewerRole::Moves | ViewerRole::Begins) => Some(chosen?),
            (_, ViewerRole::Watches) => None,
        };
        let (game, newest) = (self.game(), self.record().len());
        let ply = shown.ply.unwrap_or(newest).min(newest);
        let reader = Session::status(self)
            .mover()
            .filter(|_| shown.ply.is_none() && shown.reader != ViewerRole::Watches);
        let walk = summarize_replay(self, ply, shown.log, reader.and_then(|one| absence_start(self, one)));
        let position = walk.position(self);
        let mover = match shown.ply {
            None => Session::status(self).mover(),
            Some(_) => game.status(position).mover(),
        };
        let mut board = inspected_position(game, position, walk.last.as_ref());
        let strip = walk.strip.clone().or_else(G::empty_strip);
        let since = reader
            .filter(|_| !walk.since.is_empty())
            .and_then(|reader| {
                let since = TurnSummaryInput {
                    reader,
                    steps: &walk.since,
                    strip: strip.clone(),
                };
                game.turn_summary(since, &mut board)
            });
        let first_words = match (&chosen, shown.reader, mover) {
            (Some(chosen), ViewerRole::Begins, Some(mover)) => {
                G::first_turn_hint(&tree, chosen, plies_of(self, mover))
            }
            _ => None,
        };
        let mut offer = chosen.map(|chosen| G::add_move_links(&tree, chosen, shown.here, &mut board));
        if let (Some(offer), Some(said)) = (&mut offer, first_words) {
            offer.asked.sub = said;
            offer.asked.sub_without_odds = None;
        }
        let hint = shown.hint.filter(|_| offer.is_some());
        let hint = hint.and_then(|weighing| hint::hint(game, position, weighing, &mut board));
        let hint = hint.map(|(asked, view)| {
            offer = Some(hint::hint_move_options(asked, &view, shown.here));
            view
        });
        let now = GameProgress {
            plies: walk.plies,
            turn: walk.turn,
            progress: if mover.is_some() {
                PlayState::GoesOn
            } else {
                PlayState::Over
            },
        };
        Ok(PositionView {
            ply,
            board: Arc::new(board),
            turn: game.turn(&now),
            mover,
            counts: counts(game, position),
            log: walk.log,
            strip: since.or(strip),
            offer,
            hint,
        })
    }

    fn still(&self) -> PreviewView {
        let (game, position) = (self.game(), self.position());
        let mut plies = 0;
        let mut turns = Turns::default();
        for (_, ply) in self.record().mainline() {
            plies += 1;
            turns.play::<G>(ply);
        }
        let over = Session::status(self).is_over();
        let now = GameProgress {
            plies,
            turn: turns.now(Session::status(self).mover()),
            progress: if over {
                PlayState::Over
            } else {
                PlayState::GoesOn
            },
        };
        PreviewView {
            board: Arc::new(game.preview(position)),
            counts: counts(game, position),
            stage: game.progress_label(&now),
        }
    }

    fn pictures(&self, plies: &[u32]) -> Vec<String> {
        let (game, record) = (self.game(), self.record());
        let draw = |position: &G::Position, last: Option<&ReplayedPly<'_, G>>| {
            let board = inspected_position(game, position, last);
            board.alone().into_string()
        };
        let mut wanted = plies.iter().copied().peekable();
        let mut pictures = Vec::with_capacity(plies.len());
        while wanted.next_if_eq(&0).is_some() {
            pictures.push(draw(&record.start, None));
        }
        let until = plies.last().copied().unwrap_or(0);
        // The plies that stand so far.
        let mut line: Vec<ReplayedPly<'_, G>> = Vec::new();
        for moment in self.moments(0).take(until as usize) {
            let entries = moment.number() + 1;
            let after = match moment {
                ReplayedEntry::Ply(step) => {
                    let after = step.after.clone();
                    line.push(step);
                    after
                }
                ReplayedEntry::Takeback {
                    takeback, after, ..
                } => {
                    line.retain(|step| step.number < takeback.to);
                    after
                }
                ReplayedEntry::Contribution { after, .. } => after,
            };
            while wanted.next_if_eq(&entries).is_some() {
                pictures.push(draw(&after, line.last()));
            }
        }
        let takebacks = record.takeback_count();
        if takebacks > 0
            && until == record.len()
            && Session::status(self).is_over()
            && let Some(last) = pictures.last_mut()
        {
            *last = with_takebacks(last, takebacks);
        }
        pictures
    }

    fn is_first_turn(&self, player: Player) -> bool {
        let mut plies = self.record().mainline();
        !plies.any(|(_, ply)| ply.player == player && G::ends_turn(ply.action))
    }

    fn whole_log(&self) -> Vec<LogEntry> {
        summarize_replay(self, u32::MAX, usize::MAX, None).log
    }

    fn bands(&self) -> Vec<TurnBand> {
        let mut bands: Vec<TurnBand> = Vec::new();
        let mut ended = true;
        for (number, entry) in (0..).zip(&self.record().entries) {
            let player = entry.player().number();
            let (tick, is_ply) = match entry {
                Entry::Ply(ply) => (G::ply_mark(ply), true),
                Entry::Takeback(_) | Entry::Contribution(_) => (PlyMark::Quiet, false),
            };
            match bands.last_mut() {
                // What is no ply stands in the turn in which it happened.
                Some(band) if !is_ply || !ended && band.player == player => band.ticks.push(tick),
                _ => bands.push(TurnBand {
                    player,
                    first: number,
                    ticks: vec![tick],
                }),
            }
            ended = match entry {
                Entry::Ply(ply) => G::ends_turn(ply.action),
                Entry::Takeback(_) => true,
                Entry::Contribution(_) => ended,
            };
        }
        bands
    }

    fn result(&self, own: Option<Player>) -> Option<ResultView> {
        if !Session::status(self).is_over() {
            return None;
        }
        let winners = super::LiveGame::winners(self);
        let end = GameEnd {
            position: self.position(),
            winners: &winners,
            ending: self.record().ending,
            plies: self.record().mainline().count() as u32,
        };
        Some(ResultView {
            did: own.map(|own| did(&winners, own)),
            winners: numbers(&winners),
            plies: end.plies,
            takebacks: self.record().takeback_count(),
            verdict: self.game().winner_text(&end),
            place: own.and_then(|own| self.game().player_result_text(&end, own)),
            reason: self.game().end_reason_text(&end),
        })
    }

    fn course(&self) -> Option<Arc<dyn TableComponent>> {
        let over = Session::status(self).is_over();
        over.then(|| G::history_component(self)).flatten()
    }

    fn take_back(&self, number: u32) -> LocalizedMessage {
        let entry = self.record().entries.get(number as usize);
        let ply = entry.and_then(Entry::ply);
        let named = ply.and_then(|ply| self.game().takeback_label(ply.action));
        named.unwrap_or_else(|| LocalizedMessage::new("take-back"))
    }

    fn read_move(&self, form: &FormFields) -> Result<String, SelectionError> {
        Ok(self.game().parse_move(form)?.to_string())
    }

    fn book_page(&self) -> Option<&dyn BookPage> {
        G::book_page(self)
    }
}

/// How a finished game ended for one of its players.
fn did(winners: &[Player], own: Player) -> PlayerResult {
    match winners {
        [] => PlayerResult::Tied,
        [winner] if *winner == own => PlayerResult::Won,
        winners if winners.contains(&own) => PlayerResult::Tied,
        _ => PlayerResult::Lost,
    }
}

/// A position to look at: what the last ply did is marked, and why the game ended there.
fn inspected_position<G: PageAdapter>(
    game: &G,
    position: &G::Position,
    last: Option<&ReplayedPly<'_, G>>,
) -> G::BoardView {
    let mut board = game.preview(position);
    if let Some(last) = last {
        game.highlight_last_ply(&mut board, last);
    }
    if game.status(position).is_over() {
        game.highlight_end(&mut board, position);
    }
    board
}

fn counts<G: PageAdapter>(game: &G, position: &G::Position) -> Vec<Vec<u32>> {
    let players = Player::all(game.players());
    players
        .map(|player| game.player_counts(position, player))
        .collect()
}

/// How many plies of a player stand.
fn plies_of<G: RegistrableGame>(session: &Session<G>, player: Player) -> u32 {
    let plies = session.record().mainline();
    plies.filter(|(_, ply)| ply.player == player).count() as u32
}

/// A record, walked up to one of its entries.
struct ReplaySummary<'r, G: PageAdapter> {
    /// The last ply that stood there, if any.
    last: Option<ReplayedPly<'r, G>>,
    /// How many plies stood there.
    plies: u32,
    /// Which turn of the player to move it is there, counted from 1; at the end, of who moved last.
    turn: u32,
    /// Newest first, bounded.
    log: Vec<LogEntry>,
    /// What the newest ply of the log looked like.
    strip: Option<Arc<dyn TableComponent>>,
    /// What was played since the reader's last turn.
    since: Vec<ReplayedPly<'r, G>>,
}

impl<'r, G: PageAdapter> ReplaySummary<'r, G> {
    /// The position to which it leads.
    fn position<'s>(&'s self, session: &'s Session<G>) -> &'s G::Position {
        let start = &session.record().start;
        self.last.as_ref().map_or(start, |last| &last.after)
    }
}

/// The number of the ply that ended this player's last turn, or of the first ply of the game; nothing
/// once the player has done something in this turn.
fn absence_start<G: PageAdapter>(session: &Session<G>, player: Player) -> Option<u32> {
    let mut own = session.record().mainline().rev();
    match own.find(|(_, ply)| ply.player == player) {
        None => Some(0),
        Some((number, ply)) if G::ends_turn(ply.action) => Some(number),
        Some(_) => None,
    }
}

/// How many turns each player has ended.
#[derive(Default)]
pub(super) struct Turns {
    ended: [u32; MAX_PLAYERS],
    /// The turn of the last ply.
    last: u32,
}

impl Turns {
    /// Which turn of this player it is, counted from 1.
    pub(super) fn of(&self, player: Player) -> u32 {
        let ended = self.ended.get(usize::from(player.number()));
        ended.map_or(1, |ended| ended + 1)
    }

    /// Which turn of the player to move it is; without one, that of the last ply.
    fn now(&self, mover: Option<Player>) -> u32 {
        mover.map_or(self.last.max(1), |mover| self.of(mover))
    }

    /// Counts a ply.
    pub(super) fn play<G: PageAdapter>(&mut self, ply: &Ply<G>) {
        self.last = self.of(ply.player);
        let ended = self.ended.get_mut(usize::from(ply.player.number()));
        if let (Some(ended), true) = (ended, G::ends_turn(ply.action)) {
            *ended += 1;
        }
    }
}

/// Walks a record up to one of its entries; keeps so many lines of the log, and the steps from `turn_summary`
/// on. What was taken back by then is told, and counts for nothing.
fn summarize_replay<G: PageAdapter>(
    session: &Session<G>,
    until: u32,
    entries: usize,
    since: Option<u32>,
) -> ReplaySummary<'_, G> {
    let (game, record) = (session.game(), session.record());
    let until = until.min(record.len());
    let line = record.mainline_at(until);
    let mut walk = ReplaySummary {
        last: None,
        plies: line.len() as u32,
        turn: 1,
        log: Vec::new(),
        strip: None,
        since: Vec::new(),
    };
    let mut turns = Turns::default();
    for moment in session.moments(0).take(until as usize) {
        let number = moment.number();
        if let ReplayedEntry::Takeback { .. } = &moment {
            turns = Turns::default();
            for at in record.mainline_at(number + 1) {
                if let Some(ply) = record.entries[at as usize].ply() {
                    turns.play::<G>(ply);
                }
            }
        }
        let player = record.entries[number as usize].player();
        let stands = line.binary_search(&number).is_ok();
        if (number as usize).saturating_add(entries) >= until as usize {
            let (said, marks, strip) = entry_sentence(session, &moment);
            if stands {
                walk.strip = strip.or(walk.strip);
            }
            walk.log.push(LogEntry {
                ply: number + 1,
                turn: G::log_turn(turns.of(player)),
                player: player.number(),
                said,
                marks,
                stands: stands || !matches!(moment, ReplayedEntry::Ply(_)),
            });
        }
        let ReplayedEntry::Ply(step) = moment else {
            continue;
        };
        turns.play::<G>(step.ply);
        if !stands {
            continue;
        }
        let last = line.last() == Some(&number);
        match since.is_some_and(|from| number >= from) {
            true if last => {
                walk.last = Some(step.clone());
                walk.since.push(step);
            }
            true => walk.since.push(step),
            false if last => walk.last = Some(step),
            false => {}
        }
    }
    walk.turn = turns.now(game.status(walk.position(session)).mover());
    if until == record.len()
        && let Some(ending) = record.ending
    {
        let mover = game.status(walk.position(session)).mover();
        let (player, said) = match ending {
            Ending::Resigned(player) => (
                player,
                LocalizedMessage::new("log-resigned").of(player.number()),
            ),
            Ending::Limit => (
                mover.unwrap_or(Player::FIRST),
                LocalizedMessage::new("log-limit"),
            ),
        };
        walk.log.push(LogEntry {
            ply: until,
            turn: G::log_turn(walk.turn),
            player: player.number(),
            said,
            marks: None,
            stands: true,
        });
    }
    walk.log.reverse();
    // What is taken back may fill the whole log: the newest ply that stands is shown nevertheless.
    let last = walk.last.as_ref().filter(|_| walk.strip.is_none());
    walk.strip = last.and_then(|last| game.describe_ply(last).strip).or(walk.strip);
    walk
}

/// An entry in a sentence, the places on the board that it concerns, and what it looked like.
fn entry_sentence<G: PageAdapter>(
    session: &Session<G>,
    moment: &ReplayedEntry<'_, G>,
) -> (
    LocalizedMessage,
    Option<String>,
    Option<Arc<dyn TableComponent>>,
) {
    let said = match moment {
        ReplayedEntry::Ply(step) => {
            let event = session.game().describe_ply(step);
            return (event.said, event.marks, event.strip);
        }
        ReplayedEntry::Takeback { takeback, .. } => {
            let player = takeback.player;
            let taken = session.record().entries.get(takeback.to as usize);
            let action = taken.and_then(Entry::ply).map(|ply| ply.action);
            let named = action.and_then(|action| session.game().takeback_text(player, action));
            named.unwrap_or_else(|| LocalizedMessage::new("log-took-back").of(player.number()))
        }
        ReplayedEntry::Contribution { contribution, .. } => {
            let words = contribution.words.as_str();
            let said = match words {
                NO_ENTROPY => LocalizedMessage::new("log-no-words"),
                words if is_entropy_commitment(words) => LocalizedMessage::new("log-fixed-words"),
                words => LocalizedMessage::new("log-contributed").with("words", words),
            };
            said.of(contribution.player.number())
        }
    };
    (said, None, None)
}
