//! The pages of Trilobite.

use std::sync::Arc;

use maud::Markup;

use crate::game::{Game, Player};
use crate::games::form::FormFields;
use crate::games::page::{
    BoardPage, FormError, GameEnd, GameProgress, MoveOptions, MoveOptionsRequest,
};
use crate::record::Ending;
use crate::templates::controls::{Button, PrimaryAction};
use crate::templates::localization::Translations;
use crate::templates::message::LocalizedMessage;
use crate::templates::prompt::{BackLink, MovePrompt};
use crate::templates::trilobite::{self, CellView, ColumnBoardView, ColumnState, ColumnView};
use crate::tree::GameTree;
use dice_of_doom_games::trilobite::{Column, IllegalActionError, Position, Trilobite};

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

impl BoardPage for Trilobite {
    type BoardView = ColumnBoardView;
    type Selection = Option<Column>;

    const TITLE_KEY: &'static str = "trilobite";
    const POSITION: &'static [(&'static str, &'static str)] = &[
        ("board", "trilobite-field-board"),
        ("player", "trilobite-field-player"),
        ("last_move", "trilobite-field-last-move"),
        ("cell", "trilobite-field-cell"),
    ];

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
        &MoveOptionsRequest {
            selection: chosen,
            here,
            ..
        }: &MoveOptionsRequest<'_, Option<Column>>,
        board: &mut ColumnBoardView,
    ) -> MoveOptions {
        let (game, position) = (tree.game(), tree.position());
        for (column, _) in tree.branches() {
            let view = &mut board.columns[usize::from(column.number())];
            view.landing = game.landing(position, column);
            if chosen == Some(column) {
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
                buttons: None,
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

    fn parse_action_form(&self, form: &FormFields) -> Result<Column, FormError> {
        form.has_only(&["ply", "column"])?;
        match form.single("column")? {
            Some(word) => Ok(column(word)?),
            None => Err(FormError::Invalid(
                "a ply is a column, such as column=d".to_owned(),
            )),
        }
    }

    /// The number of the next chip, or of the last one when the game is over.
    fn turn(&self, now: &GameProgress) -> LocalizedMessage {
        let chip = now.plies + u32::from(!now.is_over());
        LocalizedMessage::new("turn-chip").with_value("turn", chip)
    }

    fn description(&self) -> LocalizedMessage {
        LocalizedMessage::new("numbers-trilobite")
            .with_value("width", self.width())
            .with_value("height", self.height())
            .with_value("win", self.win())
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

    fn rules_section(text: &Translations) -> Markup {
        trilobite::rules::rules(text)
    }
}

pub(super) fn chip_counts(game: &Trilobite, position: &Position, player: Player) -> Vec<u32> {
    let cells = 0..game.cells();
    let chips = cells.filter(|&cell| game.chip(position, cell) == Some(player));
    vec![chips.count() as u32]
}
