//! What the pages say of Trilobite.

use super::{Chosen, Offer, Pictured, Selection};
use crate::game::{Game, Player};
use crate::games::trilobite::{Column, Position, Refusal, Trilobite};
use crate::record::Ply;
use crate::templates::view::{
    Board, CellView, ColumnState, ColumnView, ColumnsView, EndReason, Holdings, LogEvent, Notice,
    Prompt, Variant,
};

/// Whether this can be chosen by the player to move.
pub(super) fn check(
    selection: &Selection,
    game: &Trilobite,
    position: &Position,
) -> Result<Chosen, Notice> {
    let Some(column) = &selection.column else {
        return Ok(Chosen::Nothing);
    };
    let column: Column = column.parse().map_err(|_| Notice::NoSuchColumn)?;
    let judged = game.judge(position, column);
    judged.map_err(|refusal| notice(&refusal))?;
    Ok(Chosen::Column(column))
}

/// A refusal of the rules as a sentence above the board.
pub(super) fn notice(refusal: &Refusal) -> Notice {
    match *refusal {
        Refusal::GameOver => Notice::GameOver,
        Refusal::NoSuchColumn { .. } => Notice::NoSuchColumn,
        Refusal::ColumnFull { column } => Notice::ColumnFull {
            column: column.number(),
        },
    }
}

impl From<ColumnsView> for Board {
    fn from(board: ColumnsView) -> Self {
        Board::Columns(board)
    }
}

impl Pictured for Trilobite {
    type Picture = ColumnsView;

    fn variant(&self) -> Variant {
        Variant::Trilobite {
            width: self.width(),
            height: self.height(),
            win: self.win(),
        }
    }

    fn still(&self, position: &Position) -> ColumnsView {
        let (last, line) = (self.last_move(position), self.line(position));
        ColumnsView {
            width: self.width(),
            height: self.height(),
            win: self.win(),
            cells: (0..self.cells())
                .map(|cell| CellView {
                    chip: self.chip(position, cell).map(Player::number),
                    last: last == Some(cell),
                    line: line.contains(&cell),
                })
                .collect(),
            columns: vec![ColumnView::default(); usize::from(self.width())],
        }
    }

    /// The position itself knows its last chip.
    fn mark_last(&self, _: &mut ColumnsView, _: &Position, _: &Ply<Trilobite>) {}

    fn offer(
        &self,
        position: &Position,
        chosen: Chosen,
        here: &str,
        board: &mut ColumnsView,
    ) -> Offer {
        let chosen = match chosen {
            Chosen::Column(column) => Some(column),
            Chosen::Nothing | Chosen::Source(_) | Chosen::Target(..) => None,
        };
        let mut drops = Vec::new();
        for column in self.columns() {
            let Some(landing) = self.landing(position, column) else {
                continue;
            };
            let view = &mut board.columns[usize::from(column.number())];
            view.landing = Some(landing);
            if chosen == Some(column) {
                view.state = ColumnState::Chosen;
                view.href = Some(here.to_owned());
            } else {
                view.state = ColumnState::Choosable;
                view.href = Some(format!("{here}?column={column}"));
            }
            if chosen.is_none_or(|chosen| chosen == column) {
                drops.push(column.number());
            }
        }
        Offer {
            prompt: match chosen {
                None => Prompt::ChooseColumn,
                Some(column) => Prompt::ConfirmColumn {
                    column: column.number(),
                    back: here.to_owned(),
                },
            },
            pass: None,
            attacks: Vec::new(),
            drops,
        }
    }

    fn holdings(&self, position: &Position, player: Player) -> Holdings {
        let cells = 0..self.cells();
        let chips = cells.filter(|&cell| self.chip(position, cell) == Some(player));
        Holdings::Chips {
            chips: chips.count() as u32,
        }
    }

    fn event(&self, _: &Position, after: &Position, ply: &Ply<Trilobite>) -> LogEvent {
        LogEvent::Drop {
            column: ply.action.number(),
            cell: self.last_move(after).unwrap_or_default(),
        }
    }

    fn reason(&self, position: &Position) -> EndReason {
        if self.failp(position) {
            EndReason::Line {
                player: position.player().next(self.players()).number(),
            }
        } else {
            EndReason::Full
        }
    }
}
