//! From a game as the service holds it to what a page shows: what all games share. Who sits where, whose
//! turn it is, whom the page waits for, how it ended.
//!
//! What a game alone can say and draw, it says as [`LivePage`](live_page::LivePage); how it
//! looks is the business of [`crate::templates`].

use std::sync::Arc;

use crate::faces::form::Form;
use crate::faces::live_page::{self, Reader};
use crate::faces::{Declined, Live, Refused};
use crate::game::Player;
use crate::seats::{Opponents, Sitter};
use crate::service::Snapshot;
use crate::templates::Board;
use crate::templates::said::Said;
use crate::templates::view::{
    CardView, GameView, LogEntry, Notice, PlayerView, Prompt, ResultView, TableView, Who,
};

/// A page shows so many plies; the rest stands at `/g/{id}/log`.
pub(super) const LOG_LENGTH: usize = 20;

/// What the service refused, as a sentence above the board.
pub(super) fn refused(why: Refused) -> Notice {
    match why {
        Refused::Over => Notice::GameOver,
        Refused::NotYourTurn => Notice::NotYourTurn,
        Refused::Rules(reason) => Notice::Rules(reason.said),
        Refused::NoSuchAction => Notice::Rules(Said::new("error-illegal")),
    }
}

/// The page of a game.
pub(super) struct Shown<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// The seats of the reader.
    pub(super) seats: &'a [Player],
    /// A ply of the past, or the newest position.
    pub(super) ply: Option<u32>,
    /// What the reader has chosen.
    pub(super) query: &'a Form,
    pub(super) notice: Option<Notice>,
    /// How many follow the game without a seat.
    pub(super) watchers: u32,
    /// Turns of other games that come before the computer's.
    pub(super) ahead: u32,
    /// Whether the reader has never played another game.
    pub(super) newcomer: bool,
    /// What can be done about the seats.
    pub(super) table: TableView,
}

/// The page of a game at one of its plies.
///
/// # Errors
/// When the query cannot be read, or its choice is not possible.
pub(super) fn game_view(shown: &Shown<'_>) -> Result<GameView, Declined> {
    let (snapshot, live) = (shown.snapshot, &shown.snapshot.live);
    let (newest, over) = (live.ply(), live.is_over());
    let awaited = shown.ply.is_none() && !over;
    let mine = awaited
        && live
            .mover()
            .is_some_and(|mover| shown.seats.contains(&mover));
    let id = snapshot.id.to_string();
    let scene = live.scene(&live_page::Shown {
        ply: shown.ply,
        log: LOG_LENGTH,
        query: shown.query,
        here: &format!("/g/{id}"),
        reader: match mine {
            true if shown.newcomer => Reader::Begins,
            true => Reader::Moves,
            false => Reader::Watches,
        },
    })?;
    let before = others_before(&scene, shown.seats);
    let (prompt, corner, buttons) = match scene.offer {
        Some(mut offer) => {
            if let Some(before) = before.filter(|_| offer.asked.back.is_none()) {
                offer.asked.sub = before;
            }
            (Prompt::Move(offer.asked), offer.corner, offer.buttons)
        }
        None => (waiting(shown, scene.mover), None, None),
    };
    let at_the_end = scene.ply == newest;
    Ok(GameView {
        id,
        ply: scene.ply,
        newest,
        turn: scene.turn,
        game: live.page_name(),
        board: scene.board,
        mover: scene.mover.map(Player::number),
        corner,
        buttons,
        strip: scene.strip,
        tally: live.tally(),
        players: if at_the_end {
            newest_players(snapshot, scene.counts, shown.seats)
        } else {
            players(snapshot, scene.counts, shown.seats, scene.mover, &[])
        },
        log: scene.log,
        notice: shown.notice.clone(),
        refresh_s: (awaited && !mine).then(|| match &prompt {
            // Time enough to copy the link that is handed on.
            Prompt::Open { .. } => 10,
            _ if snapshot.computer_to_move().is_some() => 1,
            _ => 3,
        }),
        result: at_the_end.then(|| result(live, shown.seats)).flatten(),
        course: (prompt == Prompt::Over).then(|| live.course()).flatten(),
        watchers: shown.watchers,
        seats: snapshot.seats.revision,
        may_resign: awaited && !shown.seats.is_empty(),
        may_rematch: !shown.seats.is_empty(),
        table: shown.table.clone(),
        prompt,
    })
}

/// That others moved before the reader's first turn, as when a board is played again from another seat.
fn others_before(scene: &live_page::Scene, seats: &[Player]) -> Option<Said> {
    let whole = scene.log.len() == scene.ply as usize;
    let others = scene
        .log
        .iter()
        .all(|entry| seats.iter().all(|seat| seat.number() != entry.player));
    (scene.ply > 0 && whole && others).then(|| Said::new("others-first").with("moves", scene.ply))
}

/// A ply that was played a moment ago, as the page told it then: who was awaited is said, nothing can
/// be clicked.
///
/// # Errors
/// As [`game_view`].
pub(super) fn passing(shown: &Shown<'_>) -> Result<GameView, Declined> {
    let mut view = game_view(shown)?;
    if let Some(player) = view.mover {
        let own = shown.seats.iter().any(|seat| seat.number() == player);
        view.prompt = if own {
            Prompt::Replay
        } else {
            Prompt::Passing { player }
        };
    }
    Ok(view)
}

/// A card of "your games".
pub(super) fn card(snapshot: &Snapshot, own: &[Player]) -> CardView {
    let still = snapshot.live.still();
    let mover = snapshot.live.mover();
    CardView {
        id: snapshot.id.to_string(),
        board: still.board,
        players: newest_players(snapshot, still.counts, own),
        stage: still.stage,
        your_turn: mover.is_some_and(|mover| own.contains(&mover)),
        result: result(&snapshot.live, own),
        created_ms: snapshot.created_ms,
    }
}

/// The newest position without links, and who plays.
pub(super) fn still(snapshot: &Snapshot, own: &[Player]) -> (Arc<dyn Board>, Vec<PlayerView>) {
    let still = snapshot.live.still();
    (still.board, newest_players(snapshot, still.counts, own))
}

/// The players as the newest position has them, and the whole log, newest first.
pub(super) fn whole_log(snapshot: &Snapshot, own: &[Player]) -> (Vec<PlayerView>, Vec<LogEntry>) {
    (still(snapshot, own).1, snapshot.live.whole_log())
}

fn newest_players(snapshot: &Snapshot, counts: Vec<Vec<u32>>, own: &[Player]) -> Vec<PlayerView> {
    let live = &snapshot.live;
    players(snapshot, counts, own, live.mover(), &live.winners())
}

/// The list of players at a position.
fn players(
    snapshot: &Snapshot,
    counts: Vec<Vec<u32>>,
    own: &[Player],
    mover: Option<Player>,
    winners: &[Player],
) -> Vec<PlayerView> {
    let sitters = snapshot.seats.seats.iter().map(|seat| &seat.sitter);
    let opponents = Opponents::of(sitters).map(Opponents::name);
    Player::all(snapshot.live.players())
        .zip(&snapshot.seats.seats)
        .zip(counts)
        .map(|((player, seat), counts)| PlayerView {
            number: player.number(),
            name: seat.sitter.name().map(str::to_owned),
            who: match &seat.sitter {
                Sitter::Level { level, .. } => Who::Level(level.name().to_owned()),
                Sitter::Open { .. } => Who::Open,
                Sitter::Person { .. } | Sitter::Program { .. } if own.contains(&player) => {
                    if own.len() == 1 {
                        Who::You
                    } else {
                        Who::YouToo
                    }
                }
                Sitter::Person { .. } | Sitter::Program { .. } => Who::Person,
            },
            opponents: opponents.filter(|_| matches!(seat.sitter, Sitter::Level { .. })),
            counts,
            on_turn: mover == Some(player),
            winner: winners.contains(&player),
        })
        .collect()
}

/// How a game ended; `None` while it goes on. Who has one seat is told how that one did.
fn result(live: &Live, own: &[Player]) -> Option<ResultView> {
    live.result(match own {
        [own] => Some(*own),
        _ => None,
    })
}

/// What a reader is told who cannot move now.
fn waiting(shown: &Shown<'_>, mover: Option<Player>) -> Prompt {
    if shown.ply.is_some() {
        return Prompt::Replay;
    }
    let Some(mover) = mover else {
        return Prompt::Over;
    };
    let player = mover.number();
    let seat = shown.snapshot.seat(mover);
    if seat.is_some_and(|seat| matches!(seat.sitter, Sitter::Open { .. })) {
        Prompt::Open { player }
    } else if shown.seats.is_empty() {
        Prompt::Watching { player }
    } else if shown.snapshot.computer_to_move().is_some() {
        let ahead = shown.ahead;
        Prompt::Thinking { player, ahead }
    } else {
        Prompt::Waiting { player }
    }
}
