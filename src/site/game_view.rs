//! Conversion of a game's snapshot to the view models of pages, as far as all games share it: players, turn, prompts
//! and results.
//!
//! The game-specific parts come from [`LiveGame`](crate::games::LiveGame); the rendering is in [`crate::templates`].

pub(super) mod seat_panel;

use std::cmp::Reverse;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;
use std::sync::Arc;

use crate::formats::entries::EventFormat;
use crate::game::Player;
use crate::games::form::{FormFields, level_names};
use crate::games::live_page::{self, ViewerRole};
use crate::games::{FormError, LiveGameRef, PositionAnalysis};
use crate::provably_fair::DiceDisclosure;
use crate::seats::{Credentials, OpponentPreset, Phrase, SeatOccupant};
use crate::site::shared::page_cache::{PageInput, RenderContext};
use crate::store::GameOrigin;
use crate::tables::{DisplayName, GameSummary, Service, Snapshot};
use crate::templates::BoardComponent;
use crate::templates::clock::ClockView;
use crate::templates::game::{GameView, ResultView};
use crate::templates::game_over::NextStepsView;
use crate::templates::games::CardView;
use crate::templates::hint::HintPanel;
use crate::templates::log::SeatEvent;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::NavSection;
use crate::templates::phrases::{PhrasesView, SaidView};
use crate::templates::players::{OccupantView, PlayerView};
use crate::templates::prompt::{Notice, Prompt};
use crate::templates::replay::{OriginView, ReplayView, Resumes};
use crate::templates::seats::{LinkReach, SeatsPanelView};
use crate::templates::share::ShareView;
use crate::templates::{game_fragment, game_page};
use seat_panel::SeatPanelState;

/// The number of log entries on a game's page; the complete log is at `/g/{id}/log`.
pub(super) const LOG_LENGTH: usize = 20;

/// The label of the takeback button, if the reader may take back a ply.
fn takeback(input: &GamePageInput<'_>) -> Option<LocalizedMessage> {
    let live = &input.snapshot.live;
    let to = input.snapshot.takeback(input.seats).ok().flatten()?;
    (input.ply.is_none() && !input.seats.is_empty()).then(|| live.takeback_label(to))
}

/// The part of a page that is requested.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PageScope {
    FullPage,
    /// The changing part, requested by a script.
    Fragment,
    /// An intermediate ply, requested by a script on its way to the newest position.
    TransientPly,
}

/// The input for a game's page.
#[derive(Hash)]
pub(super) struct GamePageInput<'a> {
    pub(super) scope: PageScope,
    pub(super) snapshot: &'a Snapshot,
    pub(super) seats: &'a [Player],
    /// A past ply, or `None` for the newest position.
    pub(super) ply: Option<u32>,
    /// The reader's selection.
    pub(super) query: &'a FormFields,
    pub(super) notice: Option<Notice>,
    /// The number of subscribers without a seat.
    pub(super) watchers: u32,
    /// Turns of other games queued before the computer player's.
    pub(super) ahead: u32,
    /// Whether this is the reader's first game.
    pub(super) newcomer: bool,
    /// The seat panel, unless the page has none.
    pub(super) table: Option<SeatPanelState>,
    pub(super) hint: HintStatus,
    /// The clock of the current turn.
    pub(super) clock: Option<ClockView>,
    /// What the players say, unless the page has no place for it.
    pub(super) phrases: Option<PhrasesView>,
    /// The base URL of links and who can open it, on pages where the game can be shared.
    pub(super) share: Option<(String, LinkReach)>,
    /// What a player of a finished game is offered.
    pub(super) next_steps: Option<NextStepsView>,
}

#[derive(Clone, Debug, Default)]
pub(super) enum HintStatus {
    /// No hint was requested.
    #[default]
    Off,
    /// The analysis is still running.
    Pending,
    Ready(Arc<PositionAnalysis>),
}

/// The analysis of a position never changes.
impl Hash for HintStatus {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
    }
}

impl PageInput for GamePageInput<'_> {
    type Error = FormError;

    /// A fragment has the URL of the page, which back navigation must show.
    fn is_storable(&self) -> bool {
        self.scope == PageScope::FullPage
    }

    fn render(&self, context: &RenderContext<'_>) -> Result<String, FormError> {
        let view = match (self.scope, self.ply) {
            (PageScope::TransientPly, Some(_)) => transient_ply(self)?,
            _ => game_view(self)?,
        };
        let site = match self.snapshot.private {
            true => context.site(NavSection::Play),
            false => context.site_with_preview(NavSection::Play),
        };
        let page = match self.scope {
            PageScope::FullPage => game_page(&site, context.text(), &view),
            PageScope::Fragment | PageScope::TransientPly => {
                game_fragment(&site, context.text(), &view)
            }
        };
        Ok(page.into_string())
    }
}

/// The page of a game at one of its plies.
///
/// # Errors
/// If the query cannot be parsed, or its selection is not possible.
pub(super) fn game_view(input: &GamePageInput<'_>) -> Result<GameView, FormError> {
    let (snapshot, live) = (input.snapshot, &input.snapshot.live);
    let (newest_ply, over) = (live.entry_count(), live.is_over());
    let awaited = input.ply.is_none() && !over;
    let is_own_turn = awaited
        && snapshot
            .mover()
            .is_some_and(|mover| input.seats.contains(&mover));
    let id = snapshot.id.to_string();
    let scene = live.position_view(&live_page::PositionPageInput {
        ply: input.ply,
        log: LOG_LENGTH,
        query: input.query,
        here: &format!("/g/{id}"),
        viewer_role: match is_own_turn {
            true if input.newcomer => ViewerRole::FirstTurn,
            true => ViewerRole::ToMove,
            false => ViewerRole::Spectator,
        },
        hint: match &input.hint {
            HintStatus::Ready(analysis) => Some(analysis),
            HintStatus::Off | HintStatus::Pending => None,
        },
    })?;
    let message = moved_before_reader(&scene, input.seats);
    let (prompt, corner, buttons) = match scene.move_options {
        Some(mut offer) => {
            if let Some(message) = message.filter(|_| offer.prompt.back.is_none()) {
                offer.prompt.sub = message;
            }
            (
                Prompt::Move(offer.prompt),
                offer.primary_action,
                offer.buttons,
            )
        }
        None => (waiting_message(input, scene.mover), None, None),
    };
    let hint = match (scene.hint, &input.hint) {
        (Some(panel), _) => Some(HintPanel::Ready(panel)),
        (None, HintStatus::Pending) => Some(HintPanel::Pending),
        (None, _) => (is_own_turn && may_hint(snapshot, input.seats))
            .then(|| HintPanel::Offered(live.configured_game().hint_key())),
    };
    let thinking = matches!(hint, Some(HintPanel::Pending));
    let is_newest = scene.ply == newest_ply;
    let game = live.configured_game();
    let seats_panel = SeatsPanelView {
        levels: level_names(game.levels()),
        level_variant: game.level_variant_name(),
        ..table(input)
    };
    Ok(GameView {
        id,
        ply: scene.ply,
        newest: newest_ply,
        turn: scene.turn,
        game: live.configured_game().page_name(),
        board: scene.board,
        mover: scene.mover.map(Player::number),
        primary_action: corner,
        buttons,
        strip: scene.strip,
        count_columns: live.configured_game().count_columns(),
        players: if is_newest {
            newest_players(snapshot, scene.counts, input.seats)
        } else {
            players(snapshot, scene.counts, input.seats, scene.mover, &[])
        },
        seat_events: if scene.ply < live.entry_count() {
            Vec::new()
        } else {
            let oldest = scene.ply.saturating_sub(LOG_LENGTH as u32);
            seat_events(snapshot, input.seats, oldest)
        },
        log: scene.log,
        hint,
        notice: input.notice.clone(),
        clock: input.clock,
        phrases: input.phrases.clone(),
        refresh_s: (awaited
            && !snapshot.is_uploaded()
            && (!is_own_turn || thinking || input.clock.is_some()))
        .then(|| {
            match (&prompt, input.clock) {
                _ if thinking => 1,
                (_, Some(clock)) if is_own_turn => clock.left_s() + 1,
                // Long enough to copy the link that is to be shared.
                (Prompt::Open { .. } | Prompt::Lobby, _) => {
                    let starts_in_s = seats_panel
                        .lobby
                        .as_ref()
                        .and_then(|lobby| lobby.starts_in_s);
                    starts_in_s.map_or(10, |left_s| left_s + 1)
                }
                _ if snapshot.computer_to_move().is_some() => 1,
                _ => 3,
            }
        }),
        result: is_newest.then(|| result(live, input.seats)).flatten(),
        history: (prompt == Prompt::Over)
            .then(|| live.history_component())
            .flatten(),
        replay: input.ply.map(|ply| replay(input, ply)),
        share: share(input),
        origin: origin(snapshot),
        watchers: input.watchers,
        seats_revision: snapshot.seats.revision,
        commitment: commitment(snapshot),
        is_over: over,
        takeback: takeback(input),
        may_resign: awaited && !input.seats.is_empty(),
        has_others: !input.seats.is_empty() && snapshot.has_others(input.seats),
        hints_for_all: hints_for_all(snapshot),
        may_rematch: !input.seats.is_empty(),
        may_review: live.review_plan(None).is_some(),
        has_analysis_board: live.position_at(0).compact().is_some(),
        next_steps: input.next_steps.clone(),
        seats_panel,
        prompt,
    })
}

/// Who joined or left after this many entries, newest first.
pub(super) fn seat_events(snapshot: &Snapshot, own: &[Player], oldest: u32) -> Vec<SeatEvent> {
    let live = &snapshot.live;
    if snapshot.is_waiting() {
        return Vec::new();
    }
    let moved_ms = own.iter().map(|own| live.last_entry_ms_of(*own));
    let moved_ms = moved_ms.max().flatten().unwrap_or(i64::MIN);
    let seats = Player::all(live.players()).zip(&snapshot.seats.seats);
    let events = seats.filter_map(|(player, seat)| {
        // Everybody has a seat in a rematch from its beginning.
        let at_ms = seat.since_ms.filter(|at_ms| *at_ms > snapshot.created_ms)?;
        let has_left = match &seat.occupant {
            SeatOccupant::Level { replaced, .. } => replaced.is_some().then_some(true)?,
            occupant => snapshot.has_joined(occupant).then_some(false)?,
        };
        let mut entries = (oldest..live.entry_count()).rev();
        let is_before = |number: &u32| live.entry(*number).is_some_and(|row| row.at_ms() <= at_ms);
        let before = entries.find(is_before).map(|number| number + 1);
        Some(SeatEvent {
            ply: before.or((oldest == 0).then_some(0))?,
            player: player.number(),
            at_ms,
            has_left,
            is_news: !own.is_empty() && !live.is_over() && at_ms > moved_ms,
        })
    });
    let mut events: Vec<_> = events.collect();
    events.sort_by_key(|event| Reverse(event.at_ms));
    events
}

/// The clock of the current turn at the next full second, so that readers share a cached page.
pub(super) fn clock(snapshot: &Snapshot, now_ms: i64) -> Option<ClockView> {
    Some(ClockView {
        player: snapshot.mover()?.number(),
        turn_s: snapshot.turn_s?,
        ends_ms: snapshot.turn_deadline_ms()?,
        now_ms: now_ms.saturating_add(999).div_euclid(1000) * 1000,
    })
}

/// How long the newest phrase is shown in the row of its player, in milliseconds.
const BUBBLE_MS: i64 = 8_000;

/// What the players say, for a reader who has these seats.
pub(super) fn phrases(snapshot: &Snapshot, own: &[Player], now_ms: i64) -> Option<PhrasesView> {
    let said = snapshot.phrases.iter().rev();
    let said = said.map(|said| SaidView {
        player: said.player.number(),
        phrase: said.phrase.name(),
        at_ms: said.at_ms,
    });
    let said: Vec<SaidView> = said.take(2).collect();
    let newest_ms = said.first().map(|said| said.at_ms);
    snapshot.has_phrases().then(|| PhrasesView {
        offered: match own {
            [] => Vec::new(),
            _ => Phrase::ALL.map(Phrase::name).to_vec(),
        },
        is_new: newest_ms.is_some_and(|newest_ms| now_ms - newest_ms < BUBBLE_MS),
        said,
    })
}

/// The seat panel of the reader.
fn table(input: &GamePageInput<'_>) -> SeatsPanelView {
    let table = input.table.as_ref();
    let view = table.map(|table| table.view(input.snapshot, input.seats));
    view.unwrap_or_default()
}

/// The data for the replay of a game.
fn replay(input: &GamePageInput<'_>, ply: u32) -> ReplayView {
    let (snapshot, live) = (input.snapshot, &input.snapshot.live);
    let base = format!("/g/{}", snapshot.id);
    let led_here = ply
        .checked_sub(1)
        .map(|number| live.events(number, 1, EventFormat::Pages));
    let plays = !input.seats.is_empty() && !live.is_over();
    let is_turn = live
        .mover()
        .is_some_and(|mover| input.seats.contains(&mover));
    ReplayView {
        resumes: plays.then_some(match is_turn {
            true => Resumes::YourTurn,
            false => Resumes::TheirTurn,
        }),
        bands: live.turn_bands(),
        event: led_here
            .and_then(|events| events.into_iter().next())
            .map(|event| event.json.get().to_owned()),
        base,
    }
}

/// How others can open the game.
fn share(input: &GamePageInput<'_>) -> Option<ShareView> {
    let (origin, reach) = input.share.clone()?;
    let snapshot = input.snapshot;
    Some(ShareView {
        address: format!("{origin}/g/{}", snapshot.id),
        reach,
        private: snapshot.private,
    })
}

fn origin(snapshot: &Snapshot) -> Option<OriginView> {
    Some(match snapshot.origin.as_deref()? {
        GameOrigin::PlayedOn { of, ply } => OriginView::PlayedOn {
            of: of.to_string(),
            ply: *ply,
        },
        GameOrigin::Daily { day } => OriginView::Daily {
            day: day.to_string(),
        },
        GameOrigin::Uploaded { .. } => OriginView::Uploaded {
            proved: match snapshot.live.configured_game().has_dice() {
                true => Some(matches!(snapshot.dice, DiceDisclosure::Revealed(_))),
                false => None,
            },
        },
    })
}

/// Whether the reader may have hints: no other person or program plays, or hints are enabled for the game.
pub(super) fn may_hint(snapshot: &Snapshot, own: &[Player]) -> bool {
    let seats = Player::all(snapshot.live.players()).zip(&snapshot.seats.seats);
    let mut others = seats.filter(|(player, _)| !own.contains(player));
    let alone = others.all(|(_, seat)| matches!(seat.occupant, SeatOccupant::Level { .. }));
    let is_scored = snapshot.day().is_some() && !snapshot.live.is_over();
    (alone || snapshot.hints)
        && !is_scored
        && snapshot.live.configured_game().analysis_cost().is_some()
}

/// Whether hints are enabled in a game with several people or programs.
pub(super) fn hints_for_all(snapshot: &Snapshot) -> bool {
    let seats = snapshot.seats.seats.iter();
    let people = seats.filter(|seat| !matches!(seat.occupant, SeatOccupant::Level { .. }));
    snapshot.hints && people.count() > 1
}

/// The message that others moved before the reader's first turn, as after a rematch with changed seats.
fn moved_before_reader(
    scene: &live_page::PositionView,
    seats: &[Player],
) -> Option<LocalizedMessage> {
    let is_complete = scene.log.len() == scene.ply as usize;
    let others = scene
        .log
        .iter()
        .all(|entry| seats.iter().all(|seat| seat.number() != entry.player));
    (scene.ply > 0 && is_complete && others)
        .then(|| LocalizedMessage::new("others-first").with_value("moves", scene.ply))
}

/// An intermediate ply as the page showed it when it was played: with its prompt, but without controls.
///
/// # Errors
/// See [`game_view`].
fn transient_ply(input: &GamePageInput<'_>) -> Result<GameView, FormError> {
    let mut view = game_view(input)?;
    view.replay = None;
    if let Some(player) = view.mover {
        let own = input.seats.iter().any(|seat| seat.number() == player);
        view.prompt = if own {
            Prompt::Replay
        } else {
            Prompt::Passing { player }
        };
    }
    Ok(view)
}

/// A game in a list.
#[derive(Clone, Hash)]
pub(super) struct ListedGame {
    game: Arc<GameSummary>,
    /// The reader's seats.
    own: Vec<Player>,
    is_paused: bool,
    /// See [`CardView::is_aside`].
    is_aside: bool,
}

impl ListedGame {
    pub(super) fn new(service: &Service, game: Arc<GameSummary>, own: Vec<Player>) -> Self {
        let is_paused = service.is_paused(&game);
        let is_aside = match game.newest.origin.as_deref() {
            Some(GameOrigin::PlayedOn { .. }) => true,
            Some(GameOrigin::Daily { day }) => *day < service.first_open_day(),
            Some(GameOrigin::Uploaded { .. }) | None => false,
        };
        ListedGame {
            game,
            own,
            is_paused,
            is_aside,
        }
    }

    /// The name of the opponents, if they were chosen for this game: not those of the board of the day or of a game that
    /// continues another one.
    pub(super) fn chosen_opponents(&self) -> Option<&'static str> {
        let snapshot = &self.game.newest;
        let occupants = snapshot.seats.seats.iter().map(|seat| &seat.occupant);
        let opponents = OpponentPreset::recognise(occupants).map(OpponentPreset::name);
        opponents.filter(|_| snapshot.origin.is_none())
    }

    pub(super) fn view(&self) -> CardView {
        let ListedGame {
            game,
            own,
            is_paused,
            ..
        } = self;
        let snapshot = &game.newest;
        let preview = snapshot.live.preview_after(&game.counts);
        let mover = snapshot.mover();
        CardView {
            id: snapshot.id.to_string(),
            board: preview.board,
            players: newest_players(snapshot, preview.counts, own),
            stage: preview.progress,
            your_turn: mover.is_some_and(|mover| own.contains(&mover)),
            paused: *is_paused,
            uploaded: snapshot.is_uploaded(),
            is_aside: self.is_aside,
            result: snapshot.live.result_after(&game.counts, only_seat(own)),
            created_ms: snapshot.created_ms,
        }
    }
}

/// Those of the games that the reader may watch.
pub(super) fn listed_games(
    service: &Service,
    credentials: &Credentials,
    games: impl IntoIterator<Item = Arc<GameSummary>>,
) -> Vec<ListedGame> {
    let games = games.into_iter();
    let shown = games.filter(|game| game.newest.can_watch(credentials));
    let card = |game: Arc<GameSummary>| {
        let own = game.newest.seats_of(credentials);
        ListedGame::new(service, game, own)
    };
    shown.map(card).collect()
}

/// The board of the newest position without links, and the players.
pub(super) fn still(
    snapshot: &Snapshot,
    own: &[Player],
) -> (Arc<dyn BoardComponent>, Vec<PlayerView>) {
    let preview = snapshot.live.preview();
    (preview.board, newest_players(snapshot, preview.counts, own))
}

/// The dice commitment, if the game has dice.
fn commitment(snapshot: &Snapshot) -> Option<String> {
    let commitment = snapshot.dice.commitment();
    let relevant = commitment.filter(|_| snapshot.live.configured_game().has_dice());
    relevant.map(|commitment| commitment.to_string())
}

/// The players, for pages without a board.
pub(super) fn named_players(snapshot: &Snapshot, own: &[Player]) -> Vec<PlayerView> {
    let counts = vec![Vec::new(); usize::from(snapshot.live.players())];
    newest_players(snapshot, counts, own)
}

fn newest_players(snapshot: &Snapshot, counts: Vec<Vec<u32>>, own: &[Player]) -> Vec<PlayerView> {
    let live = &snapshot.live;
    players(snapshot, counts, own, live.mover(), &live.winners())
}

/// The players at a position.
fn players(
    snapshot: &Snapshot,
    counts: Vec<Vec<u32>>,
    own: &[Player],
    mover: Option<Player>,
    winners: &[Player],
) -> Vec<PlayerView> {
    let occupants = snapshot.seats.seats.iter().map(|seat| &seat.occupant);
    let opponents = OpponentPreset::recognise(occupants).map(OpponentPreset::name);
    Player::all(snapshot.live.players())
        .zip(&snapshot.seats.seats)
        .zip(counts)
        .map(|((player, seat), counts)| PlayerView {
            number: player.number(),
            name: match snapshot.uploaded_name_of(player) {
                Some(record_player) => record_player.name.as_deref().map(truncated),
                None => seat.occupant.name().map(str::to_owned),
            },
            occupant: match &seat.occupant {
                SeatOccupant::Level { level, .. } => {
                    OccupantView::Level(level.displayed_level().to_owned())
                }
                SeatOccupant::Open { .. } if snapshot.is_uploaded() => {
                    let level = snapshot
                        .uploaded_name_of(player)
                        .and_then(|record_player| record_player.level);
                    level.map_or(OccupantView::FromUpload, |level| {
                        OccupantView::Level(level.name().to_owned())
                    })
                }
                SeatOccupant::Open { .. } if seat.occupant.name().is_some() => {
                    OccupantView::Invited
                }
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
            former: seat
                .occupant
                .former()
                .map(|former| former.name.clone().unwrap_or_default()),
            opponents: opponents.filter(|_| matches!(seat.occupant, SeatOccupant::Level { .. })),
            counts,
            on_turn: mover == Some(player),
            winner: winners.contains(&player),
        })
        .collect()
}

/// A name from an uploaded record: that of a program is its command, which may be long.
fn truncated(name: &str) -> String {
    match name.char_indices().nth(DisplayName::MAX_CHARACTERS) {
        None => name.to_owned(),
        Some(_) => {
            let begin = name.chars().take(DisplayName::MAX_CHARACTERS - 1);
            begin.chain(['…']).collect()
        }
    }
}

/// The result of a game; `None` while it is in progress. From the reader's perspective if the reader has exactly one
/// seat.
fn result(live: &LiveGameRef, own: &[Player]) -> Option<ResultView> {
    live.result(only_seat(own))
}

/// The reader's seat, if there is only one.
fn only_seat(own: &[Player]) -> Option<Player> {
    match own {
        [own] => Some(*own),
        _ => None,
    }
}

/// The prompt for a reader who cannot move now.
fn waiting_message(input: &GamePageInput<'_>, mover: Option<Player>) -> Prompt {
    if input.ply.is_some() {
        return Prompt::Replay;
    }
    let Some(mover) = mover else {
        return Prompt::Over;
    };
    let player = mover.number();
    let seat = input.snapshot.seat(mover);
    if input.snapshot.is_waiting() {
        Prompt::Lobby
    } else if input.snapshot.is_uploaded() {
        Prompt::Ends { player }
    } else if seat.is_some_and(|seat| matches!(seat.occupant, SeatOccupant::Open { .. })) {
        Prompt::Open { player }
    } else if input.seats.is_empty() {
        Prompt::Watching { player }
    } else if input.snapshot.computer_to_move().is_some() {
        let ahead = input.ahead;
        Prompt::Thinking { player, ahead }
    } else {
        Prompt::Waiting { player }
    }
}
