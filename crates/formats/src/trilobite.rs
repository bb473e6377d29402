//! The JSON of Trilobite. A chip is named by the `cell` where it lands.

use dice_of_doom_core::tree::GameTree;
use dice_of_doom_games::trilobite::{Column, Parameters, Position, Setup, Trilobite};
use serde::{Deserialize, Serialize};

use crate::fields::whole_number;
use crate::{ActionFieldsError, FieldError, GameFormat, JsonFields, NoFields, PositionTextError};

mod compact;

/// A game of Trilobite to set up.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTrilobiteJson {
    /// The number of columns; width × (height + 1) is at most 128. Default: 8.
    #[serde(default, deserialize_with = "whole_number::<_, _, 1, 64>")]
    width: Option<u8>,
    /// The number of rows. Default: 7.
    #[serde(default, deserialize_with = "whole_number::<_, _, 1, 127>")]
    height: Option<u8>,
    /// The number of chips in a row that win, at most the longer side. Default: 4.
    #[serde(default, deserialize_with = "whole_number::<_, _, 1, 127>")]
    win: Option<u8>,
}

/// An action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct CellJson {
    /// The cell where the chip lands: the lowest empty cell of a column.
    cell: u8,
}

/// What is needed to animate a ply: nothing beyond the ply. Every event of version 1 of the API has these two fields.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TrilobiteEventJson {
    /// Always null.
    captured: (),
    /// Always empty.
    reinforced: [u8; 0],
}

/// The legal actions at a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TrilobiteMovesJson {
    /// The cells where a chip can land, ascending.
    moves: Vec<u8>,
    /// Whether the game is over at this position.
    over: bool,
    /// Whether the player to move has lost, because the last chip completed a line.
    failp: bool,
    /// The cells of that line, ascending; null if there is none.
    line: Option<Vec<u8>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrilobitePlyJson {
    cell: Option<u8>,
}

/// A position as the columns that were played.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnsJson {
    /// The columns that were played from the empty board, one digit each, counted from 1. Player 0 begins.
    columns: String,
}

impl GameFormat for Trilobite {
    const TITLE: &'static str = "Trilobite";

    type New = NewTrilobiteJson;
    type ActionJson = CellJson;
    /// Trilobite has no dice.
    type RollJson = ();
    type EventJson = TrilobiteEventJson;
    type MovesJson = TrilobiteMovesJson;

    type LayoutJson = NoFields;

    const PARAMETERS: &'static [&'static str] = &["width", "height", "win"];

    fn with_defaults(new: NewTrilobiteJson) -> Result<Parameters, FieldError> {
        let (width, height, win) = Trilobite::DEFAULTS;
        Ok(Parameters {
            width: new.width.unwrap_or(width),
            height: new.height.unwrap_or(height),
            win: new.win.unwrap_or(win),
        })
    }

    fn parse_position(&self, fields: JsonFields) -> Result<Position, FieldError> {
        let position = if fields.first("columns").is_some() {
            let ColumnsJson { columns } = fields.into()?;
            self.from_columns(&columns)
        } else {
            let setup: Setup = fields.into()?;
            self.position(&setup)
        };
        position.map_err(|error| FieldError(error.to_string()))
    }

    fn parse_action_json(
        &self,
        position: &Position,
        fields: JsonFields,
    ) -> Result<Column, ActionFieldsError> {
        let played: TrilobitePlyJson = fields.into()?;
        let cell = played
            .cell
            .ok_or_else(|| FieldError::from("a ply of this game is a cell"))?;
        let column = self.column_of(cell).ok_or_else(|| {
            let last = self.cells() - 1;
            FieldError(format!(
                "there is no such cell on this board; it has the cells 0 to {last}"
            ))
        })?;
        if self.landing(position, column) != Some(cell) {
            let sentence = "a chip cannot land in that cell now".to_owned();
            return Err(ActionFieldsError::Impossible(sentence));
        }
        Ok(column)
    }

    fn action_json(&self, column: Column, position: &Position) -> CellJson {
        let cell = self.landing(position, column);
        CellJson {
            cell: cell.expect("a legal column is not full"),
        }
    }

    fn moves_json(
        tree: &impl GameTree<Game = Self>,
        winners: Option<Vec<u8>>,
    ) -> TrilobiteMovesJson {
        let (game, position) = (tree.game(), tree.position());
        let failp = game.mover_has_lost(position);
        let landings = tree
            .branches()
            .filter_map(|(column, _)| game.landing(position, column));
        TrilobiteMovesJson {
            moves: landings.collect(),
            over: winners.is_some(),
            failp,
            line: failp.then(|| game.line(position)),
        }
    }

    fn to_compact(&self, position: &Position) -> Option<String> {
        Some(compact::print(self, position))
    }

    fn parse_compact(text: &str) -> Result<(Self, Position), PositionTextError> {
        compact::parse(text)
    }
}
