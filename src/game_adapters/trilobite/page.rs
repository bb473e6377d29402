//! The pages of Trilobite.

use std::sync::Arc;

use maud::Markup;

use super::{analysis_board, hint};
use crate::game::{Game, Player};
use crate::game_adapters::analysis_board::EditGroup;
use crate::game_adapters::exercise::BoardChoice;
use crate::game_adapters::form::{FormFields, OUT_OF_RANGE, complete_seats, level_names};
use crate::game_adapters::hint::{HintContent, RankedAction};
use crate::game_adapters::page::{
    FormError, GameEnd, GameProgress, MoveOptions, PageAdapter, PlyDescription,
};
use crate::game_adapters::puzzle::PuzzleDraft;
use crate::games::trilobite::{
    Column, IllegalActionError, Parameters, Position, SetupError, Trilobite,
};
use crate::level::AgentProvider;
use crate::record::{Ending, ReplayedPly};
use crate::templates::controls::{Button, ButtonList, PrimaryAction, TableComponent};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::players::CountColumns;
use crate::templates::prompt::{BackLink, MovePrompt};
use crate::templates::trilobite::comparison::DropComparison;
use crate::templates::trilobite::form::TrilobiteForm;
use crate::templates::trilobite::{self, CellView, ColumnBoardView, ColumnState, ColumnView};
use crate::tree::GameTree;

const SEATS: u8 = 2;

fn column(word: &str) -> Result<Column, LocalizedMessage> {
    word.parse()
        .map_err(|_| LocalizedMessage::new("notice-no-such-column"))
}

/// The button that drops a chip; its keyboard shortcut is the column's letter.
fn drop(column: Column) -> Button {
    let letter = column.to_string();
    Button {
        fields: vec![("column", letter.clone())],
        key: Some(letter.clone()),
        label: LocalizedMessage::new("drop").with_value("column", letter),
    }
}

impl PageAdapter for Trilobite {
    type BoardView = ColumnBoardView;
    type Selection = Option<Column>;

    const TITLE_KEY: &'static str = "trilobite";
    const POSITION: &'static [(&'static str, &'static str)] = &[
        ("board", "trilobite-field-board"),
        ("player", "trilobite-field-player"),
        ("last_move", "trilobite-field-last-move"),
        ("cell", "trilobite-field-cell"),
    ];
    const FORM_TITLE_KEY: &'static str = "form-trilobite";
    const PUZZLES: Option<&'static str> = Some(include_str!("puzzles.json"));
    const EXERCISES: Option<&'static str> = Some(include_str!("lessons.json"));
    const PLAY_KEY: Option<&'static str> = Some("start-trilobite");
    const TALLY: CountColumns = CountColumns {
        headings: &["players-chips"],
        territory: None,
    };

    fn preview(&self, position: &Position) -> ColumnBoardView {
        let (last, line) = (self.last_move(position), self.line(position));
        let cells = (0..self.cells()).map(|cell| CellView {
            chip: self.chip(position, cell).map(Player::number),
            last: last == Some(cell),
            line: line.contains(&cell),
        });
        ColumnBoardView {
            width: self.width(),
            height: self.height(),
            win: self.win(),
            cells: cells.collect(),
            columns: vec![ColumnView::default(); usize::from(self.width())],
        }
    }

    /// Nothing to do: the position contains its last chip.
    fn highlight_last_ply(&self, _: &mut ColumnBoardView, _: &ReplayedPly<'_, Self>) {}

    fn select(
        tree: &impl GameTree<Game = Self>,
        query: &FormFields,
    ) -> Result<Option<Column>, FormError> {
        let Some(chosen) = query.single("column")? else {
            return Ok(None);
        };
        let chosen = column(chosen)?;
        let check = tree.game().check_action(tree.position(), chosen);
        check.map_err(|error| Self::illegal_action_text(&error))?;
        Ok(Some(chosen))
    }

    fn add_move_links(
        tree: &impl GameTree<Game = Self>,
        chosen: Option<Column>,
        here: &str,
        board: &mut ColumnBoardView,
    ) -> MoveOptions {
        let (game, position) = (tree.game(), tree.position());
        let mut open: Vec<Column> = tree.branches().map(|(column, _)| column).collect();
        open.sort_unstable_by_key(|column| column.number());
        for column in &open {
            let view = &mut board.columns[usize::from(column.number())];
            view.landing = game.landing(position, *column);
            if chosen == Some(*column) {
                view.state = ColumnState::Selected;
                view.href = Some(here.to_owned());
            } else {
                view.state = ColumnState::Selectable;
                view.href = Some(format!("{here}?column={column}"));
            }
        }
        match chosen {
            None => MoveOptions {
                prompt: MovePrompt {
                    headline: LocalizedMessage::new("choose-column"),
                    sub: LocalizedMessage::new("choose-column-sub").with_value("win", game.win()),
                    sub_without_odds: None,
                    back: None,
                },
                primary_action: None,
                buttons: Some(Arc::new(ButtonList {
                    title: LocalizedMessage::new("drop-buttons"),
                    class: "drops",
                    buttons: open.into_iter().map(drop).collect(),
                })),
            },
            Some(column) => MoveOptions {
                prompt: MovePrompt {
                    headline: LocalizedMessage::new("confirm-column")
                        .with_value("column", column.to_string()),
                    sub: LocalizedMessage::new("confirm-column-sub"),
                    sub_without_odds: None,
                    back: Some(BackLink {
                        href: here.to_owned(),
                        key: "other-column",
                    }),
                },
                primary_action: Some(Arc::new(PrimaryAction(drop(column)))),
                buttons: None,
            },
        }
    }

    fn add_exercise_links(
        &self,
        position: &Position,
        _: Option<u8>,
        choices: &[(BoardChoice<Column>, String)],
        board: &mut ColumnBoardView,
    ) {
        for (choice, href) in choices {
            let &BoardChoice::Action(column) = choice else {
                continue;
            };
            let view = &mut board.columns[usize::from(column.number())];
            view.state = ColumnState::Selectable;
            view.landing = self.landing(position, column);
            view.href = Some(href.clone());
        }
    }

    fn parse_action_form(&self, form: &FormFields) -> Result<Column, FormError> {
        form.has_only(&["ply", "column"])?;
        match form.single("column")? {
            Some(word) => Ok(column(word)?),
            None => Err(FormError::Invalid(
                "a ply is a column, such as column=d".to_owned(),
            )),
        }
    }

    fn player_counts(&self, position: &Position, player: Player) -> Vec<u32> {
        let cells = 0..self.cells();
        let chips = cells.filter(|&cell| self.chip(position, cell) == Some(player));
        vec![chips.count() as u32]
    }

    /// The number of the next chip, or of the last one when the game is over.
    fn turn(&self, now: &GameProgress) -> LocalizedMessage {
        let chip = now.plies + u32::from(!now.is_over());
        LocalizedMessage::new("turn-chip").with_value("turn", chip)
    }

    fn describe_ply(&self, step: &ReplayedPly<'_, Self>) -> PlyDescription {
        let cell = self.last_move(&step.after).unwrap_or_default();
        PlyDescription {
            message: LocalizedMessage::new("log-drop")
                .with_player(step.ply.player.number())
                .with_value("column", step.ply.action.to_string()),
            marks: Some(format!("k{cell}")),
            strip: None,
        }
    }

    fn takeback_label(&self, column: Column) -> Option<LocalizedMessage> {
        Some(LocalizedMessage::new("take-back-chip").with_value("column", column.to_string()))
    }

    fn takeback_text(&self, player: Player, column: Column) -> Option<LocalizedMessage> {
        let text =
            LocalizedMessage::new("log-took-back-chip").with_value("column", column.to_string());
        Some(text.with_player(player.number()))
    }

    fn log_turn(_: u32) -> Option<u32> {
        None
    }

    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new("numbers-trilobite")
            .with_value("width", self.width())
            .with_value("height", self.height())
            .with_value("win", self.win())
    }

    fn rated_games() -> Vec<Self> {
        let (width, height, win) = Trilobite::DEFAULTS;
        Trilobite::new(width, height, win).into_iter().collect()
    }

    fn progress_label(&self, now: &GameProgress) -> LocalizedMessage {
        LocalizedMessage::new("card-chips").with_value("chips", now.plies)
    }

    fn winner_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        let ended_by_rules = end.ending.is_none();
        match end.winners {
            [winner] if ended_by_rules && self.mover_has_lost(end.position) => {
                LocalizedMessage::new("over-line")
                    .with_player(winner.number())
                    .with_value("win", self.win())
                    .with_value("chips", end.plies)
            }
            [winner, ..] => LocalizedMessage::new("over-won").with_player(winner.number()),
            [] if ended_by_rules => LocalizedMessage::new("over-full"),
            [] => LocalizedMessage::new("over-draw"),
        }
    }

    fn player_result_text(
        &self,
        end: &GameEnd<'_, Self>,
        player: Player,
    ) -> Option<LocalizedMessage> {
        match end.winners {
            [] => None,
            winners if winners.contains(&player) => Some(LocalizedMessage::new("over-chips-won")),
            _ => Some(LocalizedMessage::new("over-chips-lost")),
        }
    }

    fn end_reason_text(&self, end: &GameEnd<'_, Self>) -> LocalizedMessage {
        match end.ending {
            Some(Ending::Resigned(_)) => LocalizedMessage::new("over-resigned-chips"),
            Some(Ending::Limit) => LocalizedMessage::new("over-limit-chips"),
            None if self.mover_has_lost(end.position) => {
                let winner = end.position.player().next(self.players());
                LocalizedMessage::new("over-line-reason").with_player(winner.number())
            }
            None => LocalizedMessage::new("over-full-reason"),
        }
    }

    fn action_text(&self, _: &Position, column: Column) -> LocalizedMessage {
        LocalizedMessage::new("review-column").with_value("column", column.to_string())
    }

    fn comparison_picture(
        &self,
        position: &Position,
        played: Option<Column>,
        better: Column,
    ) -> Arc<dyn TableComponent> {
        let landing = |column| self.landing(position, column);
        Arc::new(DropComparison {
            board: self.preview(position),
            played: played.and_then(landing),
            better: landing(better),
        })
    }

    fn why_better(
        &self,
        position: &Position,
        _: Option<Column>,
        better: Column,
    ) -> Option<LocalizedMessage> {
        hint::threat(self, position, better)
    }

    fn illegal_action_text(error: &IllegalActionError) -> LocalizedMessage {
        match *error {
            IllegalActionError::GameOver => LocalizedMessage::new("notice-over"),
            IllegalActionError::NoSuchColumn { .. } => {
                LocalizedMessage::new("notice-no-such-column")
            }
            IllegalActionError::ColumnFull { column } => {
                LocalizedMessage::new("notice-column-full").with_value("column", column.to_string())
            }
        }
    }

    fn setup_error_text(error: &SetupError) -> LocalizedMessage {
        LocalizedMessage::new(match error {
            SetupError::Win { .. } => "form-problem-win",
            SetupError::Size { .. } => "form-problem-board",
            _ => OUT_OF_RANGE,
        })
    }

    fn settings_form(submitted: &FormFields) -> Arc<dyn Component> {
        Arc::new(TrilobiteForm {
            width: submitted.redisplayed("width"),
            height: submitted.redisplayed("height"),
            win: submitted.redisplayed("win"),
            seats: complete_seats(&Self::form_seats(submitted), SEATS),
            levels: level_names(Self::LEVELS),
        })
    }

    fn parse_form(submitted: &FormFields) -> Result<Parameters, FormError> {
        let (width, height, win) = Trilobite::DEFAULTS;
        Ok(Parameters {
            width: submitted.non_empty("width", OUT_OF_RANGE)?.unwrap_or(width),
            height: submitted
                .non_empty("height", OUT_OF_RANGE)?
                .unwrap_or(height),
            win: submitted.non_empty("win", OUT_OF_RANGE)?.unwrap_or(win),
        })
    }

    /// Scripts that do not know this form's fields may send `seats`.
    const SEAT_FIELDS: &'static [&'static str] = &["chips", "seats"];

    fn rules_section(text: &Translations) -> Markup {
        trilobite::rules::rules(text)
    }

    /// The letters in lower case are the shortcuts of the columns.
    const HINT_KEY: &'static str = "H";

    fn puzzle_draft(
        &self,
        position: &Position,
        ranked: &[RankedAction<'_, Column>],
    ) -> Option<PuzzleDraft<Column>> {
        hint::puzzle_draft(position, ranked)
    }

    /// The mirror image.
    fn symmetric_positions(&self, position: &Position) -> Vec<Position> {
        let mut setup = self.setup(position);
        for row in setup.board.chunks_mut(self.width().into()) {
            row.reverse();
        }
        setup.last_move = -1;
        self.position(&setup).into_iter().collect()
    }

    fn hint_content(
        &self,
        position: &Position,
        ranked: &[RankedAction<'_, Column>],
        board: &mut ColumnBoardView,
    ) -> Option<HintContent> {
        hint::hint_content(self, position, ranked, board)
    }

    fn edit_groups(
        &self,
        position: &Position,
        at: Option<u8>,
        choose: &dyn Fn(u8) -> String,
        board: &mut ColumnBoardView,
    ) -> Vec<EditGroup> {
        analysis_board::edit_groups(self, position, at, choose, board)
    }

    fn action_sentence(&self, _: &Position, column: Column) -> LocalizedMessage {
        LocalizedMessage::new("hint-column").with_value("column", column.to_string())
    }

    fn example() -> Option<Arc<dyn Component>> {
        Some(Arc::new(trilobite::TrilobiteSettingsExample))
    }
}
