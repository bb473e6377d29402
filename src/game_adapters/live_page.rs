//! Pages of a game in progress, for any game type. One replay of the record collects all the data of a page.

use std::sync::Arc;

use super::RegistrableGame;
use super::book_page::BookPage;
use super::card::RecordCounts;
use super::exercise::LessonAdvice;
use super::form::FormFields;
use super::hint;
use super::page::{
    FormError, GameEnd, GameProgress, MoveOptions, PageAdapter, PlayState, TurnSummaryInput,
};
use super::position_analysis::PositionAnalysis;
use crate::formats::end_reason::player_numbers;
use crate::game::{MAX_PLAYERS, Player};
use crate::provably_fair::{NO_ENTROPY, is_entropy_commitment};
use crate::record::{Ending, Entry, Ply, Record, ReplayedEntry, ReplayedPly};
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
    /// The number of entries before the position; `None` for the current position with its controls.
    pub ply: Option<u32>,
    /// The number of entries that the log covers.
    pub log: usize,
    /// The query, which holds the selection.
    pub query: &'a FormFields,
    /// The URL of the page without a selection.
    pub here: &'a str,
    pub viewer_role: ViewerRole,
    /// The analysis to show as a hint, if the viewer is to move.
    pub hint: Option<&'a PositionAnalysis>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ViewerRole {
    /// The viewer is to move.
    ToMove,
    /// The viewer is to move, in the first turn of their first game.
    FirstTurn,
    /// The viewer only watches.
    Spectator,
}

/// The parts of a position's page that the game renders.
#[derive(Clone, Debug)]
pub struct PositionView {
    /// The number of entries before the position.
    pub ply: u32,
    /// With links if the viewer is to move.
    pub board: Arc<dyn BoardComponent>,
    pub turn: LocalizedMessage,
    pub mover: Option<Player>,
    /// By player, in the columns of [`PageAdapter::TALLY`].
    pub counts: Vec<Vec<u32>>,
    /// Newest first.
    pub log: Vec<LogEntry>,
    /// A picture of the newest ply of the log.
    pub strip: Option<Arc<dyn TableComponent>>,
    /// The controls, if the viewer is to move.
    pub move_options: Option<MoveOptions>,
    pub hint: Option<HintView>,
}

/// The current position, as cards show it.
#[derive(Clone, Debug)]
pub struct PreviewView {
    /// Without links.
    pub board: Arc<dyn BoardComponent>,
    /// By player, in the columns of [`PageAdapter::TALLY`].
    pub counts: Vec<Vec<u32>>,
    /// How far the game has progressed.
    pub progress: LocalizedMessage,
}

/// The pages of a game in progress.
pub trait LivePage {
    /// The name of the game as pages show it.
    fn page_name(&self) -> GameTitle;

    /// The columns of each player's counts.
    fn count_columns(&self) -> CountColumns;

    /// The keyboard shortcut for a hint.
    fn hint_key(&self) -> &'static str;

    /// Renders a position.
    ///
    /// # Errors
    /// If the query cannot be parsed, or if the viewer is to move and the selection is not possible.
    fn position_view(&self, shown: &PositionPageInput<'_>) -> Result<PositionView, FormError>;

    /// The current position, as cards show it.
    fn preview(&self) -> PreviewView {
        self.preview_after(&self.record_counts())
    }

    /// The newest position for cards, after a record with these counts.
    fn preview_after(&self, record: &RecordCounts) -> PreviewView;

    /// What cards show of the record.
    fn record_counts(&self) -> RecordCounts;

    /// The positions after the given numbers of entries as standalone SVG. The numbers must ascend; those
    /// beyond the current position are skipped.
    fn board_svgs(&self, plies: &[u32]) -> Vec<String>;

    /// Whether this player has not yet completed a turn.
    fn is_first_turn(&self, player: Player) -> bool;

    /// The complete log, newest first.
    fn full_log(&self) -> Vec<LogEntry>;

    /// Every turn, for the replay strip.
    fn turn_bands(&self) -> Vec<TurnBand>;

    /// The result for a viewer in this seat; `None` while the game is in progress.
    fn result(&self, own: Option<Player>) -> Option<ResultView> {
        self.result_after(&self.record_counts(), own)
    }

    /// The result after a record with these counts.
    fn result_after(&self, record: &RecordCounts, own: Option<Player>) -> Option<ResultView>;

    /// The chart of the game's history, if it is over and its game provides one.
    fn history_component(&self) -> Option<Arc<dyn TableComponent>>;

    /// The lesson that fits how the player has played, if a habit shows.
    fn lesson_advice(&self, player: Player) -> Option<LessonAdvice>;

    /// The label of the button that takes back the ply with this number.
    fn takeback_label(&self, number: u32) -> LocalizedMessage;

    /// The player's territory; `None` in a game without territory.
    fn territory(&self, player: Player) -> Option<u32>;

    /// The player's territory after each of their turns, oldest first; empty in a game without territory.
    fn territory_by_turn(&self, player: Player) -> Vec<u32>;

    /// The view for the book page, if the game can be played there.
    fn book_page(&self) -> Option<&dyn BookPage>;
}

fn territory<G: PageAdapter>(game: &G, position: &G::Position, player: Player) -> Option<u32> {
    let column = G::TALLY.territory?;
    game.player_counts(position, player).get(column).copied()
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

    fn count_columns(&self) -> CountColumns {
        G::TALLY
    }

    fn hint_key(&self) -> &'static str {
        G::HINT_KEY
    }

    fn position_view(&self, shown: &PositionPageInput<'_>) -> Result<PositionView, FormError> {
        let tree = self.tree();
        let chosen = match (G::select(&tree, shown.query), shown.viewer_role) {
            (Err(FormError::Invalid(sentence)), _) => {
                return Err(FormError::Invalid(sentence));
            }
            (chosen, ViewerRole::ToMove | ViewerRole::FirstTurn) => Some(chosen?),
            (_, ViewerRole::Spectator) => None,
        };
        let (game, newest) = (self.game(), self.record().len());
        let ply = shown.ply.unwrap_or(newest).min(newest);
        let reader = Session::status(self)
            .mover()
            .filter(|_| shown.ply.is_none() && shown.viewer_role != ViewerRole::Spectator);
        let summary = summarize_replay(
            self,
            ply,
            shown.log,
            reader.and_then(|one| absence_start(self, one)),
        );
        let position = summary.position(self);
        let mover = match shown.ply {
            None => Session::status(self).mover(),
            Some(_) => game.status(position).mover(),
        };
        let mut board = inspected_position(game, position, summary.last.as_ref());
        let strip = summary.strip.clone().or_else(G::empty_strip);
        let since = reader
            .filter(|_| !summary.since.is_empty())
            .and_then(|reader| {
                let since = TurnSummaryInput {
                    viewer: reader,
                    steps: &summary.since,
                    strip: strip.clone(),
                };
                game.turn_summary(since, &mut board)
            });
        let first_turn_hint = match (&chosen, shown.viewer_role, mover) {
            (Some(chosen), ViewerRole::FirstTurn, Some(mover)) => {
                G::first_turn_hint(&tree, chosen, ply_count(self, mover))
            }
            _ => None,
        };
        let mut move_options =
            chosen.map(|chosen| G::add_move_links(&tree, chosen, shown.here, &mut board));
        if let (Some(move_options), Some(sentence)) = (&mut move_options, first_turn_hint) {
            move_options.prompt.sub = sentence;
            move_options.prompt.sub_without_odds = None;
        }
        let hint = shown.hint.filter(|_| move_options.is_some());
        let hint = hint.and_then(|analysis| hint::hint(game, position, analysis, &mut board));
        let hint = hint.map(|(prompt, view)| {
            move_options = Some(hint::hint_move_options(prompt, &view, shown.here));
            view
        });
        let progress = GameProgress {
            plies: summary.plies,
            turn: summary.turn,
            progress: if mover.is_some() {
                PlayState::InProgress
            } else {
                PlayState::Over
            },
        };
        Ok(PositionView {
            ply,
            board: Arc::new(board),
            turn: game.turn(&progress),
            mover,
            counts: counts(game, position),
            log: summary.log,
            strip: since.or(strip),
            move_options,
            hint,
        })
    }

    fn record_counts(&self) -> RecordCounts {
        let mut plies = 0;
        let mut turns = Turns::default();
        for (_, ply) in self.record().mainline() {
            plies += 1;
            turns.play::<G>(ply);
        }
        RecordCounts {
            entries: self.record().len(),
            plies,
            turn: turns.now(Session::status(self).mover()),
            takebacks: self.record().takeback_count(),
            last_entry_ms: self.record().entries.last().map(Entry::at_ms),
        }
    }

    fn preview_after(&self, record: &RecordCounts) -> PreviewView {
        let (game, position) = (self.game(), self.position());
        let over = Session::status(self).is_over();
        let progress = GameProgress {
            plies: record.plies,
            turn: record.turn,
            progress: if over {
                PlayState::Over
            } else {
                PlayState::InProgress
            },
        };
        PreviewView {
            board: Arc::new(game.preview(position)),
            counts: counts(game, position),
            progress: game.progress_label(&progress),
        }
    }

    fn board_svgs(&self, plies: &[u32]) -> Vec<String> {
        let (game, record) = (self.game(), self.record());
        let render = |position: &G::Position, last: Option<&ReplayedPly<'_, G>>| {
            let board = inspected_position(game, position, last);
            board.standalone_svg().into_string()
        };
        let mut requested = plies.iter().copied().peekable();
        let mut pictures = Vec::with_capacity(plies.len());
        while requested.next_if_eq(&0).is_some() {
            pictures.push(render(&record.start, None));
        }
        let until = plies.last().copied().unwrap_or(0);
        // The plies on the mainline so far.
        let mut mainline: Vec<ReplayedPly<'_, G>> = Vec::new();
        for entry in self.replay_from(0).take(until as usize) {
            let entries = entry.number() + 1;
            let after = match entry {
                ReplayedEntry::Ply(step) => {
                    let after = step.after.clone();
                    mainline.push(step);
                    after
                }
                ReplayedEntry::Takeback {
                    takeback, after, ..
                } => {
                    mainline.retain(|step| step.number < takeback.to);
                    after
                }
                ReplayedEntry::Contribution { after, .. } => after,
            };
            while requested.next_if_eq(&entries).is_some() {
                pictures.push(render(&after, mainline.last()));
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

    fn full_log(&self) -> Vec<LogEntry> {
        summarize_replay(self, u32::MAX, usize::MAX, None).log
    }

    fn turn_bands(&self) -> Vec<TurnBand> {
        let mut bands: Vec<TurnBand> = Vec::new();
        let mut ended = true;
        for (number, entry) in (0..).zip(&self.record().entries) {
            let player = entry.player().number();
            let (tick, is_ply) = match entry {
                Entry::Ply(ply) => (G::ply_mark(ply), true),
                Entry::Takeback(_) | Entry::Contribution(_) => (PlyMark::Quiet, false),
            };
            match bands.last_mut() {
                // Other entries belong to the turn in which they were made.
                Some(band) if !is_ply || !ended && band.player == player => band.marks.push(tick),
                _ => bands.push(TurnBand {
                    player,
                    first: number,
                    marks: vec![tick],
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

    fn result_after(&self, record: &RecordCounts, own: Option<Player>) -> Option<ResultView> {
        if !Session::status(self).is_over() {
            return None;
        }
        let winners = super::LiveGame::winners(self);
        let end = GameEnd {
            position: self.position(),
            winners: &winners,
            ending: self.record().ending,
            plies: record.plies,
        };
        Some(ResultView {
            own_result: own.map(|own| player_result(&winners, own)),
            winners: player_numbers(&winners),
            plies: end.plies,
            takebacks: record.takebacks,
            verdict: self.game().winner_text(&end),
            placement: own.and_then(|own| self.game().player_result_text(&end, own)),
            reason: self.game().end_reason_text(&end),
        })
    }

    fn territory(&self, player: Player) -> Option<u32> {
        territory(self.game(), self.position(), player)
    }

    fn territory_by_turn(&self, player: Player) -> Vec<u32> {
        let own_turns = self
            .mainline()
            .filter(|step| step.ply.player == player && G::ends_turn(step.ply.action));
        own_turns
            .filter_map(|step| territory(self.game(), &step.after, player))
            .collect()
    }

    fn history_component(&self) -> Option<Arc<dyn TableComponent>> {
        let over = Session::status(self).is_over();
        over.then(|| G::history_component(self)).flatten()
    }

    fn lesson_advice(&self, player: Player) -> Option<LessonAdvice> {
        G::lesson_advice(self, player)
    }

    fn takeback_label(&self, number: u32) -> LocalizedMessage {
        let entry = self.record().entries.get(number as usize);
        let ply = entry.and_then(Entry::ply);
        let label = ply.and_then(|ply| self.game().takeback_label(ply.action));
        label.unwrap_or_else(|| LocalizedMessage::new("take-back"))
    }

    fn book_page(&self) -> Option<&dyn BookPage> {
        G::book_page(self)
    }
}

/// The result of a finished game for one of its players.
fn player_result(winners: &[Player], own: Player) -> PlayerResult {
    match winners {
        [] => PlayerResult::Tied,
        [winner] if *winner == own => PlayerResult::Won,
        winners if winners.contains(&own) => PlayerResult::Tied,
        _ => PlayerResult::Lost,
    }
}

/// A board with the last ply highlighted and, if the game is over, the reason.
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

/// The number of a player's plies on the mainline.
fn ply_count<G: RegistrableGame>(session: &Session<G>, player: Player) -> u32 {
    let plies = session.record().mainline();
    plies.filter(|(_, ply)| ply.player == player).count() as u32
}

/// The result of replaying a record up to one of its entries.
struct ReplaySummary<'r, G: PageAdapter> {
    /// The last ply on the mainline at that point.
    last: Option<ReplayedPly<'r, G>>,
    /// The length of the mainline at that point.
    plies: u32,
    /// The turn number of the player to move, counted from 1; after the end, of the player who moved last.
    turn: u32,
    /// Newest first, of limited length.
    log: Vec<LogEntry>,
    /// A picture of the newest ply of the log.
    strip: Option<Arc<dyn TableComponent>>,
    /// What was played since the viewer's last turn.
    since: Vec<ReplayedPly<'r, G>>,
}

impl<'r, G: PageAdapter> ReplaySummary<'r, G> {
    /// The position after the replay.
    fn position<'s>(&'s self, session: &'s Session<G>) -> &'s G::Position {
        let start = &session.record().start;
        self.last.as_ref().map_or(start, |last| &last.after)
    }
}

/// The number of the ply that ended this player's last turn, or 0 before the first; `None` once the player has
/// acted in the current turn.
fn absence_start<G: PageAdapter>(session: &Session<G>, player: Player) -> Option<u32> {
    let mut own = session.record().mainline().rev();
    match own.find(|(_, ply)| ply.player == player) {
        None => Some(0),
        Some((number, ply)) if G::ends_turn(ply.action) => Some(number),
        Some(_) => None,
    }
}

/// The number of turns that each player has completed.
#[derive(Default)]
pub(super) struct Turns {
    ended: [u32; MAX_PLAYERS],
    /// The turn number of the last ply.
    last: u32,
}

impl Turns {
    /// The turns completed on the mainline after this number of entries.
    fn at<G: PageAdapter>(record: &Record<G>, entries: u32) -> Self {
        let mut turns = Turns::default();
        for number in record.mainline_at(entries) {
            if let Some(ply) = record.entries[number as usize].ply() {
                turns.play::<G>(ply);
            }
        }
        turns
    }

    /// The current turn number of this player, counted from 1.
    pub(super) fn turn_number(&self, player: Player) -> u32 {
        let ended = self.ended.get(usize::from(player.number()));
        ended.map_or(1, |ended| ended + 1)
    }

    /// The turn number of the player to move, or else of the last ply.
    fn now(&self, mover: Option<Player>) -> u32 {
        mover.map_or(self.last.max(1), |mover| self.turn_number(mover))
    }

    /// Counts a ply.
    pub(super) fn play<G: PageAdapter>(&mut self, ply: &Ply<G>) {
        self.last = self.turn_number(ply.player);
        let ended = self.ended.get_mut(usize::from(ply.player.number()));
        if let (Some(ended), true) = (ended, G::ends_turn(ply.action)) {
            *ended += 1;
        }
    }
}

/// Replays a record up to entry `until`. Keeps the last `entries` log lines, and the steps from entry `since`
/// on. Plies taken back by then appear in the log but are not counted.
fn summarize_replay<G: PageAdapter>(
    session: &Session<G>,
    until: u32,
    entries: usize,
    since: Option<u32>,
) -> ReplaySummary<'_, G> {
    let (game, record) = (session.game(), session.record());
    let until = until.min(record.len());
    let mainline = record.mainline_at(until);
    let mut summary = ReplaySummary {
        last: None,
        plies: mainline.len() as u32,
        turn: 1,
        log: Vec::new(),
        strip: None,
        since: Vec::new(),
    };
    let logged_from = until.saturating_sub(u32::try_from(entries).unwrap_or(u32::MAX));
    let last_ply = mainline.last().copied().unwrap_or(0);
    let first = logged_from.min(last_ply).min(since.unwrap_or(until));
    let mut turns = Turns::at(record, first);
    for entry in session.replay_from(first).take((until - first) as usize) {
        let number = entry.number();
        if let ReplayedEntry::Takeback { .. } = &entry {
            turns = Turns::at(record, number + 1);
        }
        let player = record.entries[number as usize].player();
        let is_on_mainline = mainline.binary_search(&number).is_ok();
        if number >= logged_from {
            let (sentence, marks, strip) = entry_sentence(session, &entry);
            if is_on_mainline {
                summary.strip = strip.or(summary.strip);
            }
            summary.log.push(LogEntry {
                ply: number + 1,
                turn: G::log_turn(turns.turn_number(player)),
                player: player.number(),
                sentence,
                marks,
                is_on_mainline: is_on_mainline || !matches!(entry, ReplayedEntry::Ply(_)),
            });
        }
        let ReplayedEntry::Ply(step) = entry else {
            continue;
        };
        turns.play::<G>(step.ply);
        if !is_on_mainline {
            continue;
        }
        let last = mainline.last() == Some(&number);
        match since.is_some_and(|from| number >= from) {
            true if last => {
                summary.last = Some(step.clone());
                summary.since.push(step);
            }
            true => summary.since.push(step),
            false if last => summary.last = Some(step),
            false => {}
        }
    }
    summary.turn = turns.now(game.status(summary.position(session)).mover());
    if until == record.len()
        && let Some(ending) = record.ending
    {
        let mover = game.status(summary.position(session)).mover();
        let (player, sentence) = match ending {
            Ending::Resigned(player) => (
                player,
                LocalizedMessage::new("log-resigned").with_player(player.number()),
            ),
            Ending::Limit => (
                mover.unwrap_or(Player::FIRST),
                LocalizedMessage::new("log-limit"),
            ),
        };
        summary.log.push(LogEntry {
            ply: until,
            turn: G::log_turn(summary.turn),
            player: player.number(),
            sentence,
            marks: None,
            is_on_mainline: true,
        });
    }
    summary.log.reverse();
    // Plies taken back may fill the whole log: show the newest mainline ply nevertheless.
    let last = summary.last.as_ref().filter(|_| summary.strip.is_none());
    summary.strip = last
        .and_then(|last| game.describe_ply(last).strip)
        .or(summary.strip);
    summary
}

/// The log sentence of an entry, the board elements that it concerns, and its picture.
fn entry_sentence<G: PageAdapter>(
    session: &Session<G>,
    entry: &ReplayedEntry<'_, G>,
) -> (
    LocalizedMessage,
    Option<String>,
    Option<Arc<dyn TableComponent>>,
) {
    let sentence = match entry {
        ReplayedEntry::Ply(step) => {
            let event = session.game().describe_ply(step);
            return (event.message, event.marks, event.strip);
        }
        ReplayedEntry::Takeback { takeback, .. } => {
            let player = takeback.player;
            let target = session.record().entries.get(takeback.to as usize);
            let action = target.and_then(Entry::ply).map(|ply| ply.action);
            let text = action.and_then(|action| session.game().takeback_text(player, action));
            text.unwrap_or_else(|| {
                LocalizedMessage::new("log-took-back").with_player(player.number())
            })
        }
        ReplayedEntry::Contribution {
            number,
            contribution,
            ..
        } => {
            let entropy = contribution.text.as_str();
            let mut earlier = session.record().entropy_before(*number);
            let has_committed = earlier.any(|earlier| {
                earlier.player == contribution.player
                    && is_entropy_commitment(earlier.text.as_str())
            });
            let sentence = match entropy {
                NO_ENTROPY if has_committed => LocalizedMessage::new("log-late-words"),
                NO_ENTROPY => LocalizedMessage::new("log-no-words"),
                text if is_entropy_commitment(text) => LocalizedMessage::new("log-fixed-words"),
                text => LocalizedMessage::new("log-contributed").with_value("words", text),
            };
            sentence.with_player(contribution.player.number())
        }
    };
    (sentence, None, None)
}
