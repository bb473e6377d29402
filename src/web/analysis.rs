//! The analysis board: a position and a line by address, `/analysis?pos=…&line=…`.
//!
//! The position is written as its game writes it; the line is steps with commas between them, each an
//! action in the game's notation, a point and the number of its outcome. `at` is the part of the board
//! that is edited.

use std::time::Duration;

use axum::extract::Query;
use axum::extract::rejection::QueryRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};

use super::error::HttpError;
use super::game_page::Pairs;
use super::page_context::{PageContext, site};
use crate::game::Player;
use crate::game_adapters::analysis_board::{AnalysisBoardOptions, EditGroup, WhatIfStep};
use crate::game_adapters::{FormFields, JsonFields, LiveGameRef, PositionAnalysis, StartPosition};
use crate::service::{AnalysisStatus, ServiceError};
use crate::templates::analysis::{
    AnalysisView, EditGroupView, EditView, EvaluationView, LineStepView, OutcomeView, analysis_page,
};
use crate::templates::view::{NavSection, OccupantView, PlayerView};

/// How long a page waits for the computer before it says that it thinks.
const PATIENCE: Duration = Duration::from_secs(1);

/// A position is never longer: the largest board takes 150 characters.
const LONGEST_POSITION: usize = 320;

/// A line has at most so many steps.
const MOST_STEPS: usize = 40;

/// So many of the best actions are listed.
const LISTED: usize = 6;

/// `GET /analysis`
pub(super) async fn show(
    visitor: PageContext,
    query: Result<Query<Pairs>, QueryRejection>,
) -> Result<Response, HttpError> {
    let query = FormFields(query?.0);
    if let Some(game) = query.single("game")? {
        return of_game(&visitor, game, query.number("ply")?).await;
    }
    let Some(pos) = query.single("pos")? else {
        return dealt(&visitor, query.single("deal")?);
    };
    let line = query.single("line")?.unwrap_or_default();
    let studied = AnalysisLine::read(&visitor, pos, line).ok_or_else(HttpError::no_position)?;
    let service = &visitor.app.service;
    let weighed = service
        .weigh(studied.newest(), &visitor.claim(), PATIENCE)
        .await;
    let weighed = match weighed {
        Err(ServiceError::Busy) => AnalysisStatus::UnderWay,
        other => other?,
    };
    let view = studied.view(&visitor, &weighed, query.number("at")?);
    let page = analysis_page(
        &site(NavSection::Play, visitor.look),
        visitor.app.text(&visitor.look),
        &view,
    );
    Ok((StatusCode::OK, page).into_response())
}

/// The position of a game that is over, or of one's own, after so many entries.
async fn of_game(visitor: &PageContext, id: &str, ply: Option<u32>) -> Result<Response, HttpError> {
    let snapshot = visitor.app.seen(id, &visitor.browser.looks()).await?;
    let live = &snapshot.live;
    let own = !snapshot.seats_of(&visitor.claim()).is_empty();
    if !own && !live.is_over() && !snapshot.is_uploaded() {
        return Err(HttpError::not_found());
    }
    let ply = ply.unwrap_or_else(|| live.ply());
    let text = (ply <= live.ply())
        .then(|| live.position_text(ply))
        .flatten();
    let text = text.ok_or_else(HttpError::no_ply)?;
    Ok(Redirect::to(&format!("/analysis?pos={text}")).into_response())
}

/// A new board of a game with its usual numbers.
fn dealt(visitor: &PageContext, name: Option<&str>) -> Result<Response, HttpError> {
    let games = visitor.app.service.games();
    let kind = match name {
        Some(name) => games.game_type(name).map_err(|_| HttpError::no_position())?,
        None => games.default_game(),
    };
    let setting = kind
        .setting(JsonFields::default())
        .map_err(ServiceError::from)?;
    let live = setting
        .begin(&StartPosition::Deal(rand::random()))
        .map_err(ServiceError::from)?;
    let text = live.position_text(0).ok_or_else(HttpError::no_position)?;
    Ok(Redirect::to(&format!("/analysis?pos={text}")).into_response())
}

/// A position that was set up, and the line from there.
struct AnalysisLine {
    pos: String,
    start: LiveGameRef,
    /// Each step as it is written, and what it did.
    steps: Vec<(String, WhatIfStep, usize)>,
}

impl AnalysisLine {
    fn read(visitor: &PageContext, pos: &str, line: &str) -> Option<Self> {
        if pos.len() > LONGEST_POSITION || line.len() > LONGEST_POSITION {
            return None;
        }
        let (name, text) = pos.trim().split_once('.')?;
        let kind = visitor.app.service.games().game_type(name).ok()?;
        let start = kind.analysed(text).ok()?;
        let mut studied = AnalysisLine {
            // Written anew, so that equal positions have one address.
            pos: start.position_text(0)?,
            start,
            steps: Vec::new(),
        };
        for step in line.split(',').filter(|step| !step.is_empty()) {
            let (action, outcome) = step.rsplit_once('.')?;
            let number: usize = outcome.parse().ok()?;
            let done = studied.newest().what_if(action, number)?;
            studied.steps.push((action.to_owned(), done, number));
            if studied.steps.len() > MOST_STEPS {
                return None;
            }
        }
        Some(studied)
    }

    fn newest(&self) -> &LiveGameRef {
        self.steps
            .last()
            .map_or(&self.start, |(_, done, _)| &done.live)
    }

    /// The page after so many steps, and one more if there is one.
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
        weighed: &AnalysisStatus,
        at: Option<u8>,
    ) -> AnalysisView {
        let (newest, all) = (self.newest(), self.steps.len());
        let here = self.href(all, None);
        let weighing = match weighed {
            AnalysisStatus::Known(weighing) => Some(&**weighing),
            AnalysisStatus::UnderWay | AnalysisStatus::Nothing => None,
        };
        let lab = newest.lab(&AnalysisBoardOptions {
            weighing,
            at,
            choose: &|part| format!("{here}&at={part}"),
        });
        let shares = |weighing: &PositionAnalysis| {
            let best = weighing.best().shares;
            let players = Player::all(newest.players());
            players
                .map(|player| (player.number(), best[player]))
                .collect()
        };
        let players = Player::all(newest.players()).map(|player| PlayerView {
            number: player.number(),
            who: OccupantView::Person,
            on_turn: lab.mover == Some(player),
            ..PlayerView::default()
        });
        AnalysisView {
            game: lab.game,
            board: lab.board,
            players: players.collect(),
            mover: lab.mover.map(Player::number),
            verdict: lab.verdict,
            worth: match weighed {
                AnalysisStatus::Known(weighing) => EvaluationView::Known(shares(weighing)),
                AnalysisStatus::UnderWay => EvaluationView::Thinking,
                AnalysisStatus::Nothing => EvaluationView::Nothing,
            },
            why: lab.why,
            start: self.href(0, None),
            steps: self.lines(visitor),
            next: lab
                .rows
                .into_iter()
                .take(LISTED)
                .filter(|_| all < MOST_STEPS)
                .map(|(action, row)| (self.href(all, Some((&action, 0))), row))
                .collect(),
            edits: lab
                .edits
                .into_iter()
                .map(|group| edits(group, at))
                .collect(),
            deal: format!("/analysis?deal={}", lab.game.game),
            address: visitor.browser.place.reach(&visitor.browser.origin).0 + &here,
            here,
        }
    }

    /// The steps; what they are worth is told to whoever acted first, where it is known already.
    fn lines(&self, visitor: &PageContext) -> Vec<LineStepView> {
        let first = self.start.mover();
        let steps = self.steps.iter().enumerate();
        steps
            .map(|(number, (action, done, chosen))| LineStepView {
                player: done.player.number(),
                said: done.said.clone(),
                href: self.href(number + 1, None),
                outcomes: (0..)
                    .zip(&done.outcomes)
                    .map(|(outcome, said)| OutcomeView {
                        said: said.clone(),
                        href: self.href(number, Some((action, outcome))),
                        is_chosen: outcome == *chosen,
                    })
                    .collect(),
                share: visitor
                    .app
                    .service
                    .weighed(&done.live)
                    .and_then(|weighing| Some(weighing.best().shares[first?])),
            })
            .collect()
    }
}

fn edits(group: EditGroup, at: Option<u8>) -> EditGroupView {
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
