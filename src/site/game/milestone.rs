//! What a won game is the first of, among those that the browser's record knows.

use crate::http::error::HttpError;
use crate::site::my_record::statistics::{FinishedGame, Opponents, OwnResult};
use crate::site::shared::app::App;
use crate::site::shared::identity::BrowserSession;
use crate::tables::{GameSummary, MAX_SUMMARIES, Snapshot};
use crate::templates::game_over::MilestoneView;

/// The fewest wins in a row that are said.
const MIN_WINS: u32 = 3;

/// What is said of a game that its only player at this browser has won. Games that end later do not change it.
pub(super) async fn load(
    app: &App,
    browser: &BrowserSession,
    snapshot: &Snapshot,
) -> Result<Option<MilestoneView>, HttpError> {
    let credentials = browser.credentials();
    let service = &app.service;
    let games = service.own_games(&credentials, browser.client_network);
    let games = games.await?;
    // The record may have older games, which are not read.
    if games.len() == MAX_SUMMARIES as usize {
        return Ok(None);
    }
    let name = snapshot.live.configured_game().page_name().game;
    let is_same_game = |game: &&GameSummary| game.game.page_name().game == name;
    let finished = games.iter().map(|game| &**game).filter(is_same_game);
    let finished = finished.filter_map(|game| FinishedGame::new(game, &credentials));
    // The newest comes first.
    let mut finished = finished.skip_while(|game| game.summary.newest.id != snapshot.id);
    let Some(now) = finished.next() else {
        return Ok(None);
    };
    let earlier: Vec<_> = finished.map(|game| (game.opponents, game.result)).collect();
    Ok(milestone((now.opponents, now.result), &earlier))
}

/// The milestone of a game after these earlier ones, newest first.
fn milestone(
    (opponents, result): (Opponents, OwnResult),
    earlier: &[(Opponents, OwnResult)],
) -> Option<MilestoneView> {
    if result != OwnResult::Won {
        return None;
    }
    let mut won = earlier
        .iter()
        .filter(|(_, result)| *result == OwnResult::Won);
    if won.clone().next().is_none() {
        return Some(MilestoneView::FirstWin);
    }
    let is_level = matches!(opponents, Opponents::Preset(_) | Opponents::Level(_));
    if is_level && won.all(|(beaten, _)| *beaten != opponents) {
        return Some(MilestoneView::FirstWinAgainst {
            opponents: opponents.name(),
        });
    }
    let mut rows = earlier.split(|(_, result)| *result != OwnResult::Won);
    let wins = rows.next().map_or(0, <[_]>::len) as u32 + 1;
    let is_longest = rows.all(|row| (row.len() as u32) < wins);
    (wins >= MIN_WINS && is_longest).then_some(MilestoneView::WinsInARow { wins })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The milestone of a win after games such as `wwl`, oldest first.
    fn after(earlier: &str, opponents: u8) -> Option<MilestoneView> {
        let result = |letter| match letter {
            'w' => OwnResult::Won,
            't' => OwnResult::Tied,
            _ => OwnResult::Lost,
        };
        let earlier: Vec<_> = earlier
            .chars()
            .rev()
            .map(|letter| (Opponents::Preset(0), result(letter)))
            .collect();
        milestone((Opponents::Preset(opponents), OwnResult::Won), &earlier)
    }

    #[test]
    fn each_milestone_is_said_once() {
        assert_eq!(after("", 0), Some(MilestoneView::FirstWin));
        assert_eq!(after("ltl", 1), Some(MilestoneView::FirstWin));
        let medium = MilestoneView::FirstWinAgainst {
            opponents: "medium",
        };
        assert_eq!(after("wl", 1), Some(medium));
        assert_eq!(after("wl", 0), None);
        assert_eq!(after("w", 0), None);
        let row = |wins| Some(MilestoneView::WinsInARow { wins });
        assert_eq!(after("ww", 0), row(3));
        assert_eq!(after("www", 0), row(4));
        // The longest row had three wins.
        assert_eq!(after("wwwlww", 0), None);
        assert_eq!(after("wwwtwww", 0), row(4));
        let lost = (Opponents::Preset(0), OwnResult::Lost);
        assert_eq!(milestone(lost, &[lost]), None);
    }
}
