//! The pages of Trilobite.

use std::sync::Arc;

use maud::Markup;

use super::{analysis_board, hint};
use crate::game::{Game, Player};
use crate::game_adapters::analysis_board::EditGroup;
use crate::game_adapters::form::{Form, OUT_OF_RANGE, levels, seats};
use crate::game_adapters::hint::{Advice, Ranked};
use crate::game_adapters::notation::PositionTextError;
use crate::game_adapters::page::{Declined, End, Event, Now, Offer, Pictured};
use crate::games::trilobite::{Column, Parameters, Position, Refusal, SetupError, Trilobite};
use crate::record::{Ending, Step};
use crate::templates::controls::{Button, Buttons, Corner, OnTable};
use crate::templates::localization::Text;
use crate::templates::message::Said;
use crate::templates::page::Draw;
use crate::templates::players::Tally;
use crate::templates::prompt::{Asked, Back};
use crate::templates::trilobite::comparison::Compared;
use crate::templates::trilobite::form::ChipsForm;
use crate::templates::trilobite::{self, CellView, ColumnState, ColumnView, ColumnsView};
use crate::tree::GameTree;

/// The seats of the two players.
const SEATS: u8 = 2;

fn column(word: &str) -> Result<Column, Said> {
    word.parse().map_err(|_| Said::new("notice-no-such-column"))
}

/// The button that drops a chip; its key is the column's letter.
fn drop(column: Column) -> Button {
    let letter = column.to_string();
    Button {
        fields: vec![("column", letter.clone())],
        key: Some(letter.clone()),
        label: Said::new("drop").with("column", letter),
    }
}

impl Pictured for Trilobite {
    type Picture = ColumnsView;
    type Chosen = Option<Column>;

    const TITLE_KEY: &'static str = "trilobite";
    const POSITION: &'static [(&'static str, &'static str)] = &[
        ("board", "trilobite-field-board"),
        ("player", "trilobite-field-player"),
        ("last_move", "trilobite-field-last-move"),
        ("cell", "trilobite-field-cell"),
    ];
    const FORM_TITLE_KEY: &'static str = "form-trilobite";
    const PLAY_KEY: Option<&'static str> = Some("start-trilobite");
    const TALLY: Tally = Tally {
        heads: &["players-chips"],
        land: None,
    };

    fn still(&self, position: &Position) -> ColumnsView {
        let (last, line) = (self.last_move(position), self.line(position));
        let cells = (0..self.cells()).map(|cell| CellView {
            chip: self.chip(position, cell).map(Player::number),
            last: last == Some(cell),
            line: line.contains(&cell),
        });
        ColumnsView {
            width: self.width(),
            height: self.height(),
            win: self.win(),
            cells: cells.collect(),
            columns: vec![ColumnView::default(); usize::from(self.width())],
        }
    }

    /// The position itself knows its last chip.
    fn mark_last(&self, _: &mut ColumnsView, _: &Step<'_, Self>) {}

    fn choose(tree: &impl GameTree<Game = Self>, query: &Form) -> Result<Option<Column>, Declined> {
        let Some(chosen) = query.one("column")? else {
            return Ok(None);
        };
        let chosen = column(chosen)?;
        let judged = tree.game().judge(tree.position(), chosen);
        judged.map_err(|refusal| Self::refused(&refusal))?;
        Ok(Some(chosen))
    }

    fn offer(
        tree: &impl GameTree<Game = Self>,
        chosen: Option<Column>,
        here: &str,
        board: &mut ColumnsView,
    ) -> Offer {
        let (game, position) = (tree.game(), tree.position());
        let mut open: Vec<Column> = tree.branches().map(|(column, _)| column).collect();
        open.sort_unstable_by_key(|column| column.number());
        for column in &open {
            let view = &mut board.columns[usize::from(column.number())];
            view.landing = game.landing(position, *column);
            if chosen == Some(*column) {
                view.state = ColumnState::Chosen;
                view.href = Some(here.to_owned());
            } else {
                view.state = ColumnState::Choosable;
                view.href = Some(format!("{here}?column={column}"));
            }
        }
        match chosen {
            None => Offer {
                asked: Asked {
                    headline: Said::new("choose-column"),
                    sub: Said::new("choose-column-sub").with("win", game.win()),
                    sub_without_odds: None,
                    back: None,
                },
                corner: None,
                buttons: Some(Arc::new(Buttons {
                    title: Said::new("drop-buttons"),
                    class: "drops",
                    buttons: open.into_iter().map(drop).collect(),
                })),
            },
            Some(column) => Offer {
                asked: Asked {
                    headline: Said::new("confirm-column").with("column", column.to_string()),
                    sub: Said::new("confirm-column-sub"),
                    sub_without_odds: None,
                    back: Some(Back {
                        href: here.to_owned(),
                        key: "other-column",
                    }),
                },
                corner: Some(Arc::new(Corner(drop(column)))),
                buttons: None,
            },
        }
    }

    fn read_move(&self, form: &Form) -> Result<Column, Declined> {
        form.only(&["ply", "column"])?;
        match form.one("column")? {
            Some(word) => Ok(column(word)?),
            None => Err(Declined::Unfit(
                "a ply is a column, such as column=d".to_owned(),
            )),
        }
    }

    fn counts(&self, position: &Position, player: Player) -> Vec<u32> {
        let cells = 0..self.cells();
        let chips = cells.filter(|&cell| self.chip(position, cell) == Some(player));
        vec![chips.count() as u32]
    }

    /// The next chip to fall, at the end the last one.
    fn turn(&self, now: &Now) -> Said {
        let chip = now.plies + u32::from(!now.is_over());
        Said::new("turn-chip").with("turn", chip)
    }

    fn event(&self, step: &Step<'_, Self>) -> Event {
        let cell = self.last_move(&step.after).unwrap_or_default();
        Event {
            said: Said::new("log-drop")
                .of(step.ply.player.number())
                .with("column", step.ply.action.to_string()),
            marks: Some(format!("k{cell}")),
            strip: None,
        }
    }

    fn take_back(&self, column: Column) -> Option<Said> {
        Some(Said::new("take-back-chip").with("column", column.to_string()))
    }

    fn took_back(&self, player: Player, column: Column) -> Option<Said> {
        let said = Said::new("log-took-back-chip").with("column", column.to_string());
        Some(said.of(player.number()))
    }

    fn log_turn(_: u32) -> Option<u32> {
        None
    }

    fn numbers(&self) -> Said {
        Said::new("numbers-trilobite")
            .with("width", self.width())
            .with("height", self.height())
            .with("win", self.win())
    }

    fn measured() -> Vec<Self> {
        let (width, height, win) = Trilobite::DEFAULTS;
        Trilobite::new(width, height, win).into_iter().collect()
    }

    fn stage(&self, now: &Now) -> Said {
        Said::new("card-chips").with("chips", now.plies)
    }

    fn verdict(&self, end: &End<'_, Self>) -> Said {
        let by_rules = end.ending.is_none();
        match end.winners {
            [winner] if by_rules && self.failp(end.position) => Said::new("over-line")
                .of(winner.number())
                .with("win", self.win())
                .with("chips", end.plies),
            [winner, ..] => Said::new("over-won").of(winner.number()),
            [] if by_rules => Said::new("over-full"),
            [] => Said::new("over-draw"),
        }
    }

    fn place(&self, end: &End<'_, Self>, player: Player) -> Option<Said> {
        match end.winners {
            [] => None,
            winners if winners.contains(&player) => Some(Said::new("over-chips-won")),
            _ => Some(Said::new("over-chips-lost")),
        }
    }

    fn reason(&self, end: &End<'_, Self>) -> Said {
        match end.ending {
            Some(Ending::Resigned(_)) => Said::new("over-resigned-chips"),
            Some(Ending::Limit) => Said::new("over-limit-chips"),
            None if self.failp(end.position) => {
                let winner = end.position.player().next(self.players());
                Said::new("over-line-reason").of(winner.number())
            }
            None => Said::new("over-full-reason"),
        }
    }

    fn worded(&self, _: &Position, column: Column) -> Said {
        Said::new("review-column").with("column", column.to_string())
    }

    fn compared(
        &self,
        position: &Position,
        played: Option<Column>,
        better: Column,
    ) -> Arc<dyn OnTable> {
        let landing = |column| self.landing(position, column);
        Arc::new(Compared {
            board: self.still(position),
            played: played.and_then(landing),
            better: landing(better),
        })
    }

    fn why_better(&self, position: &Position, _: Option<Column>, better: Column) -> Option<Said> {
        hint::threat(self, position, better)
    }

    fn refused(refusal: &Refusal) -> Said {
        match *refusal {
            Refusal::GameOver => Said::new("notice-over"),
            Refusal::NoSuchColumn { .. } => Said::new("notice-no-such-column"),
            Refusal::ColumnFull { column } => {
                Said::new("notice-column-full").with("column", column.to_string())
            }
        }
    }

    fn problem(error: &SetupError) -> Said {
        Said::new(match error {
            SetupError::Win { .. } => "form-problem-win",
            SetupError::Size { .. } => "form-problem-board",
            _ => OUT_OF_RANGE,
        })
    }

    fn form(sent: &Form) -> Arc<dyn Draw> {
        Arc::new(ChipsForm {
            width: sent.shown("width"),
            height: sent.shown("height"),
            win: sent.shown("win"),
            seats: seats(&Self::named_seats(sent), SEATS),
            levels: levels(),
        })
    }

    fn read_form(sent: &Form) -> Result<Parameters, Declined> {
        let (width, height, win) = Trilobite::DEFAULTS;
        Ok(Parameters {
            width: sent.filled("width", OUT_OF_RANGE)?.unwrap_or(width),
            height: sent.filled("height", OUT_OF_RANGE)?.unwrap_or(height),
            win: sent.filled("win", OUT_OF_RANGE)?.unwrap_or(win),
        })
    }

    /// A script that knows nothing of our form may say `seats`.
    const SEAT_FIELDS: &'static [&'static str] = &["chips", "seats"];

    fn rules(text: &Text) -> Markup {
        trilobite::rules::rules(text)
    }

    /// The letters are the keys of the columns.
    const HINT_KEY: &'static str = "H";

    fn advise(
        &self,
        position: &Position,
        ranked: &[Ranked<'_, Column>],
        board: &mut ColumnsView,
    ) -> Option<Advice> {
        hint::advise(self, position, ranked, board)
    }

    fn compact(&self, position: &Position) -> Option<String> {
        Some(analysis_board::compact(self, position))
    }

    fn read_compact(text: &str) -> Result<(Self, Position), PositionTextError> {
        analysis_board::read(text)
    }

    fn edits(
        &self,
        position: &Position,
        at: Option<u8>,
        choose: &dyn Fn(u8) -> String,
        board: &mut ColumnsView,
    ) -> Vec<EditGroup> {
        analysis_board::edits(self, position, at, choose, board)
    }

    fn action_said(&self, _: &Position, column: Column) -> Said {
        Said::new("hint-column").with("column", column.to_string())
    }

    fn example() -> Option<Arc<dyn Draw>> {
        Some(Arc::new(trilobite::Example))
    }
}
