//! The analysis board: a position and a variation in the URL, `/analysis?pos=…&line=…`.
//!
//! The position is in the game's own format. The variation is a comma-separated list of steps, each an action in the
//! game's notation, a point, and the index of its outcome. `at` is the part of the board that is being edited.

use crate::site::shared::app::App;
use crate::site::shared::form::Query;
use axum::Router;
use axum::routing::get;
use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use super::game::context::PageContext;
use super::move_analysis::{analyse, cached_analysis};
use crate::formats::JsonFields;
use crate::game::Player;
use crate::games::analysis_board::{AnalysisBoardOptions, EditGroup, WhatIfStep};
use crate::games::{FormFields, LiveGameRef, PositionAnalysis, StartPosition};
use crate::http::error::HttpError;
use crate::site::shared::limits::RouteLimits;
use crate::tables::{JobStatus, ServiceError};
use crate::templates::analysis::{
    AnalysisView, EditGroupView, EditView, EvaluationView, LineStepView, OutcomeView, analysis_page,
};
use crate::templates::page::NavSection;
use crate::templates::players::{OccupantView, PlayerView};

pub(super) fn routes(limits: &RouteLimits<'_>) -> Router<App> {
    Router::new().route("/analysis", limits.moving(get(show)))
}

/// How long a page waits for the analysis before it is shown without one.
const ANALYSIS_TIMEOUT: Duration = Duration::from_secs(1);

/// The maximum length of a position: the largest board takes 150 characters.
const MAX_POSITION_BYTES: usize = 320;

const MAX_STEPS: usize = 40;

/// The number of best actions that are listed.
const LISTED_ACTIONS: usize = 6;

/// `GET /analysis`
async fn show(
    visitor: PageContext,
    Query(query): Query<FormFields>,
) -> Result<Response, HttpError> {
    if let Some(game) = query.single("game")? {
        return redirect_to_position(&visitor, game, query.number("ply")?).await;
    }
    let Some(pos) = query.single("pos")? else {
        return redirect_to_new_board(&visitor, query.single("deal")?);
    };
    let steps = query.single("line")?.unwrap_or_default();
    let line = AnalysisLine::parse(&visitor, pos, steps).ok_or_else(HttpError::no_position)?;
    let (position, credentials) = (line.last_position(), visitor.credentials());
    let analysis = analyse(&visitor.app, position, &credentials, ANALYSIS_TIMEOUT).await;
    let view = line.view(&visitor, analysis.as_ref(), query.number("at")?);
    let page = analysis_page(
        &visitor.app.site(NavSection::Play, visitor.display),
        visitor.app.text(&visitor.display),
        &view,
    );
    Ok((StatusCode::OK, page).into_response())
}

/// Redirects to the position after `ply` entries of a game that is over or that the visitor plays.
async fn redirect_to_position(
    visitor: &PageContext,
    id: &str,
    ply: Option<u32>,
) -> Result<Response, HttpError> {
    let snapshot = visitor
        .app
        .viewable_game(id, &visitor.browser.read_credentials())
        .await?;
    let live = &snapshot.live;
    let own = !snapshot.seats_of(&visitor.credentials()).is_empty();
    let may_analyse = own && snapshot.day().is_none();
    if !may_analyse && !live.is_over() && !snapshot.is_uploaded() {
        return Err(HttpError::not_found());
    }
    let ply = ply.unwrap_or_else(|| live.entry_count());
    let text = (ply <= live.entry_count())
        .then(|| live.position_at(ply).compact())
        .flatten();
    let text = text.ok_or_else(HttpError::no_ply)?;
    Ok(visitor
        .app
        .redirect(&format!("/analysis?pos={text}"))
        .into_response())
}

/// Redirects to a new board of a game with its default settings.
fn redirect_to_new_board(visitor: &PageContext, name: Option<&str>) -> Result<Response, HttpError> {
    let games = visitor.app.service.games();
    let kind = match name {
        Some(name) => games
            .game_type(name)
            .map_err(|_| HttpError::no_position())?,
        None => games.default_game(),
    };
    let setting = kind
        .configure(JsonFields::default())
        .map_err(ServiceError::from)?;
    let random = visitor.app.service.environment().random_number();
    let live = setting
        .new_game(&StartPosition::Dealt(random))
        .map_err(ServiceError::from)?;
    let text = live
        .position_at(0)
        .compact()
        .ok_or_else(HttpError::no_position)?;
    Ok(visitor
        .app
        .redirect(&format!("/analysis?pos={text}"))
        .into_response())
}

/// A position that was set up, and the variation from there.
struct AnalysisLine {
    pos: String,
    start: LiveGameRef,
    /// Each step: its notation, its effect, and the index of its outcome.
    steps: Vec<(String, WhatIfStep, usize)>,
}

impl AnalysisLine {
    fn parse(visitor: &PageContext, pos: &str, line: &str) -> Option<Self> {
        if pos.len() > MAX_POSITION_BYTES || line.len() > MAX_POSITION_BYTES {
            return None;
        }
        let start = visitor.app.service.games().game_at_position(pos.trim())?;
        let mut result = AnalysisLine {
            // Normalised, so that equal positions have one URL.
            pos: start.position_at(0).compact()?,
            start,
            steps: Vec::new(),
        };
        for step in line.split(',').filter(|step| !step.is_empty()) {
            let (action, outcome) = step.rsplit_once('.')?;
            let number: usize = outcome.parse().ok()?;
            let done = result.last_position().position().what_if(action, number)?;
            result.steps.push((action.to_owned(), done, number));
            if result.steps.len() > MAX_STEPS {
                return None;
            }
        }
        Some(result)
    }

    fn last_position(&self) -> &LiveGameRef {
        self.steps
            .last()
            .map_or(&self.start, |(_, done, _)| &done.live)
    }

    /// The URL of the page after the first `steps` steps, plus one more if given.
    fn href(&self, steps: usize, more: Option<(&str, usize)>) -> String {
        let line = self.steps[..steps].iter();
        let line = line.map(|(action, _, outcome)| format!("{action}.{outcome}"));
        let more = more.map(|(action, outcome)| format!("{action}.{outcome}"));
        let line: Vec<String> = line.chain(more).collect();
        if line.is_empty() {
            return format!("/analysis?pos={}", self.pos);
        }
        format!("/analysis?pos={}&line={}", self.pos, line.join(","))
    }

    fn view(
        &self,
        visitor: &PageContext,
        analysis: Option<&JobStatus<Arc<PositionAnalysis>>>,
        at: Option<u8>,
    ) -> AnalysisView {
        let (newest, all) = (self.last_position(), self.steps.len());
        let here = self.href(all, None);
        let known = match analysis {
            Some(JobStatus::Ready(known)) => Some(&**known),
            Some(JobStatus::InProgress(_)) | None => None,
        };
        let lab = newest.position().analysis_board(&AnalysisBoardOptions {
            analysis: known,
            at,
            choose: &|part| format!("{here}&at={part}"),
        });
        let shares = |analysis: &PositionAnalysis| {
            let best = analysis.best().shares;
            let players = Player::all(newest.players());
            players
                .map(|player| (player.number(), best[player]))
                .collect()
        };
        let players = Player::all(newest.players()).map(|player| PlayerView {
            number: player.number(),
            occupant: OccupantView::Person,
            on_turn: lab.mover == Some(player),
            ..PlayerView::default()
        });
        AnalysisView {
            game: lab.game,
            board: lab.board,
            players: players.collect(),
            mover: lab.mover.map(Player::number),
            verdict: lab.verdict,
            evaluation: match analysis {
                Some(JobStatus::Ready(analysis)) => EvaluationView::Ready(shares(analysis)),
                Some(JobStatus::InProgress(_)) => EvaluationView::Pending,
                None => EvaluationView::Unavailable,
            },
            why: lab.why,
            start: self.href(0, None),
            steps: self.step_views(visitor),
            best_actions: lab
                .rows
                .into_iter()
                .take(LISTED_ACTIONS)
                .filter(|_| all < MAX_STEPS)
                .map(|(action, row)| (self.href(all, Some((&action, 0))), row))
                .collect(),
            edits: lab
                .edits
                .into_iter()
                .map(|group| edit_group_view(group, at))
                .collect(),
            new_position: format!("/analysis?deal={}", lab.game.game),
            address: visitor
                .browser
                .link_origin
                .link_base(&visitor.browser.origin)
                .0
                + &here,
            path: here,
        }
    }

    /// The steps; their value is given for the player who moved first, if it is already known.
    fn step_views(&self, visitor: &PageContext) -> Vec<LineStepView> {
        let first = self.start.mover();
        let steps = self.steps.iter().enumerate();
        steps
            .map(|(number, (action, done, chosen))| LineStepView {
                player: done.player.number(),
                sentence: done.message.clone(),
                href: self.href(number + 1, None),
                outcomes: (0..)
                    .zip(&done.outcomes)
                    .map(|(outcome, message)| OutcomeView {
                        sentence: message.clone(),
                        href: self.href(number, Some((action, outcome))),
                        is_chosen: outcome == *chosen,
                    })
                    .collect(),
                share: cached_analysis(&visitor.app, &done.live)
                    .and_then(|analysis| Some(analysis.best().shares[first?])),
            })
            .collect()
    }
}

fn edit_group_view(group: EditGroup, at: Option<u8>) -> EditGroupView {
    let at = at.map_or(String::new(), |at| format!("&at={at}"));
    let options = group.options.into_iter().map(|option| EditView {
        label: option.label,
        player: option.player.map(Player::number),
        is_current: option.is_current,
        href: option
            .position
            .map(|position| format!("/analysis?pos={position}{at}")),
    });
    EditGroupView {
        legend: group.legend,
        options: options.collect(),
    }
}
