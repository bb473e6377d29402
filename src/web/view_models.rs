//! From a game as the service holds it to what a page shows: what all games share. Who sits where, whose
//! turn it is, whom the page waits for, how it ended.
//!
//! What a game alone can say and draw, it says as [`LivePage`](live_page::LivePage); how it
//! looks is the business of [`crate::templates`].

use std::sync::Arc;

use super::problem::ProblemKind;
use super::seats::SeatPanelState;
use crate::game::Player;
use crate::game_adapters::form::FormFields;
use crate::game_adapters::json::EventFormat;
use crate::game_adapters::live_page::{self, ViewerRole};
use crate::game_adapters::{ActionError, LiveGameRef, PositionAnalysis, SelectionError};
use crate::level::Level;
use crate::provably_fair::DiceDisclosure;
use crate::record::{MAX_TAKEBACKS, is_invisible};
use crate::seats::{OpponentPreset, SeatOccupant};
use crate::service::{DisplayName, Snapshot, TakebackError};
use crate::store::GameOrigin;
use crate::templates::BoardComponent;
use crate::templates::message::LocalizedMessage;
use crate::templates::view::{
    CardView, GameView, HintPanel, LinkReach, LogEntry, Notice, OccupantView, OriginView,
    PlayerView, Prompt, ReplayView, ResultView, Resumes, SeatsPanelView, ShareView,
};

/// A page shows so many plies; the rest stands at `/g/{id}/log`.
pub(super) const LOG_LENGTH: usize = 20;

/// What the service refused, as a sentence above the board.
pub(super) fn refused(why: ActionError) -> Notice {
    match why {
        ActionError::Over => Notice::GameOver,
        ActionError::NotYourTurn => Notice::NotYourTurn,
        ActionError::Rules(reason) => Notice::Rules(reason.message),
        ActionError::NoSuchAction => Notice::Rules(LocalizedMessage::new("error-illegal")),
    }
}

/// What it is to be told that nothing is taken back, and as a sentence above the board.
pub(super) fn no_takeback(why: TakebackError) -> (ProblemKind, LocalizedMessage) {
    match why {
        TakebackError::Disabled => (
            ProblemKind::NoTakeback,
            LocalizedMessage::new("notice-strict"),
        ),
        TakebackError::OtherPlayersSeated => (
            ProblemKind::NoTakeback,
            LocalizedMessage::new("notice-not-alone"),
        ),
        TakebackError::NothingToTakeBack => (
            ProblemKind::Unprocessable,
            LocalizedMessage::new("notice-nothing-to-take-back"),
        ),
        TakebackError::TooMany => (
            ProblemKind::Unprocessable,
            LocalizedMessage::new("notice-too-many-takebacks").with_value("most", MAX_TAKEBACKS),
        ),
    }
}

/// What the reader can take back, if anything, as the button says it.
fn takeback(shown: &GamePageInput<'_>) -> Option<LocalizedMessage> {
    let live = &shown.snapshot.live;
    let to = shown.snapshot.takeback(shown.seats).ok().flatten()?;
    (shown.ply.is_none() && !shown.seats.is_empty()).then(|| live.takeback_label(to))
}

/// The page of a game.
pub(super) struct GamePageInput<'a> {
    pub(super) snapshot: &'a Snapshot,
    /// The seats of the reader.
    pub(super) seats: &'a [Player],
    /// A ply of the past, or the newest position.
    pub(super) ply: Option<u32>,
    /// What the reader has chosen.
    pub(super) query: &'a FormFields,
    pub(super) notice: Option<Notice>,
    /// How many follow the game without a seat.
    pub(super) watchers: u32,
    /// Turns of other games that come before the computer's.
    pub(super) ahead: u32,
    /// Whether the reader has never played another game.
    pub(super) newcomer: bool,
    /// What can be done about the seats, where something can.
    pub(super) table: Option<SeatPanelState>,
    /// Whether a hint is shown.
    pub(super) hint: HintStatus,
    /// Where the server is for others, on pages from which something is handed on.
    pub(super) share: Option<(String, LinkReach)>,
}

/// How far a hint has come.
#[derive(Clone, Debug, Default)]
pub(super) enum HintStatus {
    /// Nobody asked for one.
    #[default]
    Off,
    /// The computer still thinks.
    Pending,
    /// It is known.
    Ready(Arc<PositionAnalysis>),
}

/// The page of a game at one of its plies.
///
/// # Errors
/// When the query cannot be read, or its choice is not possible.
pub(super) fn game_view(shown: &GamePageInput<'_>) -> Result<GameView, SelectionError> {
    let (snapshot, live) = (shown.snapshot, &shown.snapshot.live);
    let (newest, over) = (live.ply(), live.is_over());
    let awaited = shown.ply.is_none() && !over;
    let mine = awaited
        && live
            .mover()
            .is_some_and(|mover| shown.seats.contains(&mover));
    let id = snapshot.id.to_string();
    let scene = live.position_view(&live_page::PositionPageInput {
        ply: shown.ply,
        log: LOG_LENGTH,
        query: shown.query,
        here: &format!("/g/{id}"),
        viewer_role: match mine {
            true if shown.newcomer => ViewerRole::Begins,
            true => ViewerRole::Moves,
            false => ViewerRole::Watches,
        },
        hint: match &shown.hint {
            HintStatus::Ready(weighing) => Some(weighing),
            HintStatus::Off | HintStatus::Pending => None,
        },
    })?;
    let before = moved_before_reader(&scene, shown.seats);
    let (prompt, corner, buttons) = match scene.move_options {
        Some(mut offer) => {
            if let Some(before) = before.filter(|_| offer.prompt.back.is_none()) {
                offer.prompt.sub = before;
            }
            (
                Prompt::Move(offer.prompt),
                offer.primary_action,
                offer.buttons,
            )
        }
        None => (waiting_message(shown, scene.mover), None, None),
    };
    let hint = match (scene.hint, &shown.hint) {
        (Some(known), _) => Some(HintPanel::Ready(known)),
        (None, HintStatus::Pending) => Some(HintPanel::Pending),
        (None, _) => {
            (mine && may_hint(snapshot, shown.seats)).then(|| HintPanel::Offered(live.hint_key()))
        }
    };
    let thinking = matches!(hint, Some(HintPanel::Pending));
    let at_the_end = scene.ply == newest;
    Ok(GameView {
        id,
        ply: scene.ply,
        newest,
        turn: scene.turn,
        game: live.page_name(),
        board: scene.board,
        mover: scene.mover.map(Player::number),
        primary_action: corner,
        buttons,
        strip: scene.strip,
        count_columns: live.count_columns(),
        players: if at_the_end {
            newest_players(snapshot, scene.counts, shown.seats)
        } else {
            players(snapshot, scene.counts, shown.seats, scene.mover, &[])
        },
        log: scene.log,
        hint,
        notice: shown.notice.clone(),
        refresh_s: (awaited && !snapshot.is_uploaded() && (!mine || thinking)).then(
            || match &prompt {
                _ if thinking => 1,
                // Time enough to copy the link that is handed on.
                Prompt::Open { .. } => 10,
                _ if snapshot.computer_to_move().is_some() => 1,
                _ => 3,
            },
        ),
        result: at_the_end.then(|| result(live, shown.seats)).flatten(),
        history: (prompt == Prompt::Over)
            .then(|| live.history_component())
            .flatten(),
        replay: shown.ply.map(|ply| replay(shown, ply)),
        origin: origin(snapshot),
        watchers: shown.watchers,
        seats_revision: snapshot.seats.revision,
        commitment: commitment(snapshot),
        is_over: over,
        takeback: takeback(shown),
        may_resign: awaited && !shown.seats.is_empty(),
        hints_for_all: hints_for_all(snapshot),
        may_rematch: !shown.seats.is_empty(),
        may_review: live.review_plan(None).is_some(),
        has_rolls: live.is_rolled(),
        seats_panel: SeatsPanelView {
            levels: Level::ALL.map(|level| level.name().to_owned()).to_vec(),
            level_variant: live.configured_game().level_variant_name(),
            ..table(shown)
        },
        prompt,
    })
}

/// What the reader can do about the seats.
fn table(shown: &GamePageInput<'_>) -> SeatsPanelView {
    let table = shown.table.as_ref();
    let view = table.map(|table| table.view(shown.snapshot, shown.seats));
    view.unwrap_or_default()
}

/// What it takes to go through the plies of a game.
fn replay(shown: &GamePageInput<'_>, ply: u32) -> ReplayView {
    let (snapshot, live) = (shown.snapshot, &shown.snapshot.live);
    let base = format!("/g/{}", snapshot.id);
    let (origin, reach) = shown.share.clone().unwrap_or_default();
    let led_here = ply
        .checked_sub(1)
        .map(|number| live.events(number, 1, EventFormat::Pages));
    let plays = !shown.seats.is_empty() && !live.is_over();
    let is_turn = live
        .mover()
        .is_some_and(|mover| shown.seats.contains(&mover));
    ReplayView {
        resumes: plays.then_some(match is_turn {
            true => Resumes::YourTurn,
            false => Resumes::TheirTurn,
        }),
        bands: live.turn_bands(),
        event: led_here
            .and_then(|events| events.into_iter().next())
            .map(|event| event.json.get().to_owned()),
        share: ShareView {
            address: format!("{origin}{base}"),
            reach,
            private: snapshot.private,
        },
        base,
    }
}

fn origin(snapshot: &Snapshot) -> Option<OriginView> {
    Some(match snapshot.origin.as_deref()? {
        GameOrigin::PlayedOn { of, ply } => OriginView::PlayedOn {
            of: of.to_string(),
            ply: *ply,
        },
        GameOrigin::Uploaded { .. } => OriginView::Uploaded {
            proved: match snapshot.live.has_dice() {
                true => Some(matches!(snapshot.dice, DiceDisclosure::Opened(_))),
                false => None,
            },
        },
    })
}

/// Whether there are hints at this table: nobody else plays against the reader, or the table allows them
/// to everybody.
pub(super) fn may_hint(snapshot: &Snapshot, own: &[Player]) -> bool {
    let seats = Player::all(snapshot.live.players()).zip(&snapshot.seats.seats);
    let mut others = seats.filter(|(player, _)| !own.contains(player));
    let alone = others.all(|(_, seat)| matches!(seat.occupant, SeatOccupant::Level { .. }));
    (alone || snapshot.hints) && snapshot.live.analysis_cost().is_some()
}

/// Whether people play against each other here and get hints all the same.
pub(super) fn hints_for_all(snapshot: &Snapshot) -> bool {
    let seats = snapshot.seats.seats.iter();
    let people = seats.filter(|seat| !matches!(seat.occupant, SeatOccupant::Level { .. }));
    snapshot.hints && people.count() > 1
}

/// That others moved before the reader's first turn, as when a board is played again from another seat.
fn moved_before_reader(scene: &live_page::PositionView, seats: &[Player]) -> Option<LocalizedMessage> {
    let whole = scene.log.len() == scene.ply as usize;
    let others = scene
        .log
        .iter()
        .all(|entry| seats.iter().all(|seat| seat.number() != entry.player));
    (scene.ply > 0 && whole && others)
        .then(|| LocalizedMessage::new("others-first").with_value("moves", scene.ply))
}

/// A ply that was played a moment ago, as the page told it then: who was awaited is said, nothing can
/// be clicked.
///
/// # Errors
/// As [`game_view`].
pub(super) fn transient_ply(shown: &GamePageInput<'_>) -> Result<GameView, SelectionError> {
    let mut view = game_view(shown)?;
    view.replay = None;
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
    let still = snapshot.live.preview();
    let mover = snapshot.live.mover();
    CardView {
        id: snapshot.id.to_string(),
        board: still.board,
        players: newest_players(snapshot, still.counts, own),
        stage: still.progress,
        your_turn: mover.is_some_and(|mover| own.contains(&mover)),
        paused: snapshot.paused,
        uploaded: snapshot.is_uploaded(),
        result: result(&snapshot.live, own),
        created_ms: snapshot.created_ms,
    }
}

/// The newest position without links, and who plays.
pub(super) fn still(
    snapshot: &Snapshot,
    own: &[Player],
) -> (Arc<dyn BoardComponent>, Vec<PlayerView>) {
    let still = snapshot.live.preview();
    (still.board, newest_players(snapshot, still.counts, own))
}

/// The players as the newest position has them, and the whole log, newest first.
pub(super) fn whole_log(snapshot: &Snapshot, own: &[Player]) -> (Vec<PlayerView>, Vec<LogEntry>) {
    (still(snapshot, own).1, snapshot.live.full_log())
}

/// The commitment of a game in which something is rolled.
fn commitment(snapshot: &Snapshot) -> Option<String> {
    let commitment = snapshot.dice.commitment();
    let shown = commitment.filter(|_| snapshot.live.has_dice());
    shown.map(|commitment| commitment.to_string())
}

/// Everybody at the table, for pages that show no board.
pub(super) fn named_players(snapshot: &Snapshot, own: &[Player]) -> Vec<PlayerView> {
    let nothing = vec![Vec::new(); usize::from(snapshot.live.players())];
    newest_players(snapshot, nothing, own)
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
    let sitters = snapshot.seats.seats.iter().map(|seat| &seat.occupant);
    let opponents = OpponentPreset::recognise(sitters).map(OpponentPreset::name);
    Player::all(snapshot.live.players())
        .zip(&snapshot.seats.seats)
        .zip(counts)
        .map(|((player, seat), counts)| PlayerView {
            number: player.number(),
            name: match snapshot.uploaded_name_of(player) {
                Some(told) => told.name.as_deref().and_then(uploaded_name),
                None => seat.occupant.name().map(str::to_owned),
            },
            occupant: match &seat.occupant {
                SeatOccupant::Level { level, .. } => OccupantView::Level(level.displayed_level().to_owned()),
                SeatOccupant::Open { .. } if snapshot.is_uploaded() => {
                    let level = snapshot
                        .uploaded_name_of(player)
                        .and_then(|told| told.level);
                    level.map_or(OccupantView::FromUpload, |level| {
                        OccupantView::Level(level.name().to_owned())
                    })
                }
                SeatOccupant::Open { .. } if seat.occupant.name().is_some() => OccupantView::Invited,
                SeatOccupant::Open { .. } => OccupantView::Open,
                SeatOccupant::Person { .. } | SeatOccupant::Program { .. }
                    if own.contains(&player) =>
                {
                    if own.len() == 1 {
                        OccupantView::You
                    } else {
                        OccupantView::YouToo
                    }
                }
                SeatOccupant::Person { .. } => OccupantView::Person,
                SeatOccupant::Program { .. } => OccupantView::Program,
            },
            opponents: opponents.filter(|_| matches!(seat.occupant, SeatOccupant::Level { .. })),
            counts,
            on_turn: mover == Some(player),
            winner: winners.contains(&player),
        })
        .collect()
}

/// A name that a record brought along, as far as it can be shown: nobody here has looked at it before, and
/// that of a program is its command.
fn uploaded_name(name: &str) -> Option<String> {
    if name.chars().any(is_invisible) {
        return None;
    }
    Some(match name.char_indices().nth(DisplayName::MAX_CHARACTERS) {
        None => name.to_owned(),
        Some(_) => {
            let begin = name.chars().take(DisplayName::MAX_CHARACTERS - 1);
            begin.chain(['…']).collect()
        }
    })
}

/// How a game ended; `None` while it goes on. Who has one seat is told how that one did.
fn result(live: &LiveGameRef, own: &[Player]) -> Option<ResultView> {
    live.result(match own {
        [own] => Some(*own),
        _ => None,
    })
}

/// What a reader is told who cannot move now.
fn waiting_message(shown: &GamePageInput<'_>, mover: Option<Player>) -> Prompt {
    if shown.ply.is_some() {
        return Prompt::Replay;
    }
    let Some(mover) = mover else {
        return Prompt::Over;
    };
    let player = mover.number();
    let seat = shown.snapshot.seat(mover);
    if shown.snapshot.is_uploaded() {
        Prompt::Ends { player }
    } else if seat.is_some_and(|seat| matches!(seat.occupant, SeatOccupant::Open { .. })) {
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
