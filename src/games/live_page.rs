//! Pages of a game in progress, for any game type.

use std::sync::Arc;

use super::card::RecordCounts;
use super::form::FormFields;
use super::log::{TurnSummaryInput, Turns, absence_start, summarize_replay};
use super::page::{FormError, GameEnd, GameProgress, MoveOptions, MoveOptionsRequest, PlayState};
use super::position_analysis::PositionAnalysis;
use super::{BoardPage, RegistrableGame, hint};
use crate::formats::end_reason::{player_numbers, winners};
use crate::game::Player;
use crate::record::{Entry, ReplayedEntry, ReplayedPly};
use crate::session::Session;
use crate::templates::BoardComponent;
use crate::templates::board::with_takebacks;
use crate::templates::controls::TableComponent;
use crate::templates::game::{GameTitle, PlayerResult, ResultView};
use crate::templates::hint::HintView;
use crate::templates::log::LogEntry;
use crate::templates::message::LocalizedMessage;

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
    /// By player, in the columns of [`PlayerCounts`](super::page::PlayerCounts).
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
    /// By player, in the columns of [`PlayerCounts`](super::page::PlayerCounts).
    pub counts: Vec<Vec<u32>>,
    /// How far the game has progressed.
    pub progress: LocalizedMessage,
}

pub(super) fn name<G: BoardPage>() -> GameTitle {
    GameTitle {
        game: G::NAME,
        title: G::TITLE_KEY,
    }
}

pub(super) fn position_view<G: RegistrableGame>(
    session: &Session<G>,
    shown: &PositionPageInput<'_>,
) -> Result<PositionView, FormError> {
    let tree = session.tree();
    let chosen = match (G::select(&tree, shown.query), shown.viewer_role) {
        (Err(FormError::Invalid(sentence)), _) => {
            return Err(FormError::Invalid(sentence));
        }
        (chosen, ViewerRole::ToMove | ViewerRole::FirstTurn) => Some(chosen?),
        (_, ViewerRole::Spectator) => None,
    };
    let (game, newest) = (session.game(), session.record().len());
    let ply = shown.ply.unwrap_or(newest).min(newest);
    let reader = session
        .status()
        .mover()
        .filter(|_| shown.ply.is_none() && shown.viewer_role != ViewerRole::Spectator);
    let summary = summarize_replay(
        session,
        ply,
        shown.log,
        reader.and_then(|one| absence_start(session, one)),
    );
    let position = summary.position(session);
    let mover = match shown.ply {
        None => session.status().mover(),
        Some(_) => game.status(position).mover(),
    };
    let mut board = inspected_position(game, position, summary.last.as_ref());
    let empty_strip = || G::PAGES.replay.map(|replay| (replay.empty_strip)());
    let strip = summary.strip.clone().or_else(empty_strip);
    let since = reader.filter(|_| !summary.since.is_empty());
    let since = since.zip(G::PAGES.replay).and_then(|(viewer, replay)| {
        let since = TurnSummaryInput {
            viewer,
            steps: &summary.since,
            strip: strip.clone(),
        };
        (replay.turn_summary)(game, since, &mut board)
    });
    let is_first_turn = shown.viewer_role == ViewerRole::FirstTurn;
    let mut move_options = chosen.map(|selection| {
        let request = MoveOptionsRequest {
            selection,
            here: shown.here,
            first_turn: mover
                .filter(|_| is_first_turn)
                .map(|mover| ply_count(session, mover)),
        };
        G::add_move_links(&tree, &request, &mut board)
    });
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

pub(super) fn record_counts<G: RegistrableGame>(session: &Session<G>) -> RecordCounts {
    let mut plies = 0;
    let mut turns = Turns::default();
    for (_, ply) in session.record().mainline() {
        plies += 1;
        turns.play::<G>(ply);
    }
    RecordCounts {
        entries: session.record().len(),
        plies,
        turn: turns.now(session.status().mover()),
        takebacks: session.record().takeback_count(),
        last_entry_ms: session.record().entries.last().map(Entry::at_ms),
    }
}

pub(super) fn preview_after<G: RegistrableGame>(
    session: &Session<G>,
    record: &RecordCounts,
) -> PreviewView {
    let (game, position) = (session.game(), session.position());
    let over = session.status().is_over();
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

pub(super) fn board_svgs<G: RegistrableGame>(session: &Session<G>, plies: &[u32]) -> Vec<String> {
    let (game, record) = (session.game(), session.record());
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
    for entry in session.replay_from(0).take(until as usize) {
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
        && session.status().is_over()
        && let Some(last) = pictures.last_mut()
    {
        *last = with_takebacks(last, takebacks);
    }
    pictures
}

pub(super) fn result_after<G: RegistrableGame>(
    session: &Session<G>,
    record: &RecordCounts,
    own: Option<Player>,
) -> Option<ResultView> {
    if !session.status().is_over() {
        return None;
    }
    let winners = winners(session);
    let end = GameEnd {
        position: session.position(),
        winners: &winners,
        ending: session.record().ending,
        plies: record.plies,
    };
    Some(ResultView {
        own_result: own.map(|own| player_result(&winners, own)),
        winners: player_numbers(&winners),
        plies: end.plies,
        takebacks: record.takebacks,
        verdict: session.game().winner_text(&end),
        placement: own.and_then(|own| session.game().player_result_text(&end, own)),
        reason: session.game().end_reason_text(&end),
    })
}

pub(super) fn territories_by_turn<G: RegistrableGame>(
    session: &Session<G>,
    player: Player,
) -> Vec<Vec<u32>> {
    let counts = G::PAGES.counts;
    let territory = counts.and_then(|counts| Some((counts.columns.territory?, counts.of)));
    let Some((column, counts_of)) = territory else {
        return Vec::new();
    };
    let game = session.game();
    let own_turns = session.mainline().filter(|step| {
        step.ply.player == player
            && (G::ends_turn(step.ply.action) || game.status(&step.after).is_over())
    });
    let territories = |position: &G::Position| {
        let players = Player::all(crate::game::Game::players(game));
        players
            .filter_map(|player| counts_of(game, position, player).get(column).copied())
            .collect()
    };
    own_turns.map(|step| territories(&step.after)).collect()
}

pub(super) fn takeback_label<G: RegistrableGame>(
    session: &Session<G>,
    number: u32,
) -> LocalizedMessage {
    let entry = session.record().entries.get(number as usize);
    match (G::PAGES.log, entry.and_then(Entry::ply)) {
        (Some(log), Some(ply)) => (log.takeback_label)(ply.action),
        _ => LocalizedMessage::new("take-back"),
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
fn inspected_position<G: RegistrableGame>(
    game: &G,
    position: &G::Position,
    last: Option<&ReplayedPly<'_, G>>,
) -> G::BoardView {
    let mut board = game.preview(position);
    let Some(replay) = G::PAGES.replay else {
        return board;
    };
    if let Some(last) = last {
        (replay.highlight_last_ply)(game, &mut board, last);
    }
    if game.status(position).is_over() {
        (replay.highlight_end)(game, &mut board, position);
    }
    board
}

/// Each player's counts; empty lists in a game without counts.
fn counts<G: RegistrableGame>(game: &G, position: &G::Position) -> Vec<Vec<u32>> {
    let players = Player::all(game.players());
    let counts = players.map(|player| match G::PAGES.counts {
        Some(counts) => (counts.of)(game, position, player),
        None => Vec::new(),
    });
    counts.collect()
}

/// The number of a player's plies on the mainline.
fn ply_count<G: RegistrableGame>(session: &Session<G>, player: Player) -> u32 {
    let plies = session.record().mainline();
    plies.filter(|(_, ply)| ply.player == player).count() as u32
}
