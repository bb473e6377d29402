//! The JSON of Trilobite. A chip is named by the `cell` where it lands.

use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

use super::schemas::{NoLayoutJson, TrilobiteParametersJson, TrilobiteStateJson};
use crate::game_adapters::json::{ActionFieldsError, JsonAdapter, RequestExample};
use crate::game_adapters::{FieldError, JsonFields};
use crate::games::trilobite::{Column, Parameters, Position, Setup, Trilobite};
use crate::tree::GameTree;

/// A game of Trilobite to set up.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTrilobiteJson {
    /// Columns; width × (height + 1) is at most 128. Default 8.
    #[schema(minimum = 1)]
    width: Option<u8>,
    /// Cells in each column. Default 7.
    #[schema(minimum = 1)]
    height: Option<u8>,
    /// Chips in a row that win, up to the longer side. Default 4.
    #[schema(minimum = 1)]
    win: Option<u8>,
}

/// An action.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct CellJson {
    /// Where the chip comes to lie, as `board` numbers cells: the lowest empty one of its column.
    cell: u8,
}

/// What it takes to show a ply: nothing beside the ply. The two fields stand in every event of the
/// first version of the API.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, ToSchema)]
pub struct TrilobiteEventJson {
    /// Nothing is captured: null.
    captured: (),
    /// Nothing comes to a cell by itself: empty.
    reinforced: [u8; 0],
}

/// The legal actions of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct TrilobiteMovesJson {
    /// The cells where a chip can land, ascending.
    moves: Vec<u8>,
    /// Whether the game is over here.
    over: bool,
    /// Whether the player to move has lost: the last chip completed a line.
    failp: bool,
    /// The cells of that line, ascending.
    line: Option<Vec<u8>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TrilobitePlyJson {
    cell: Option<u8>,
}

/// The other way to write a position: by the columns that were played.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct ColumnsJson {
    /// The columns that were played, counted from 1, a digit each; empty for an empty board. Player 0 begins.
    #[schema(pattern = "^[1-9]*$", max_length = 128)]
    columns: String,
}

impl JsonAdapter for Trilobite {
    type New = NewTrilobiteJson;
    type ActionJson = CellJson;
    /// Trilobite has no dice.
    type RollJson = ();
    type EventJson = TrilobiteEventJson;
    type MovesJson = TrilobiteMovesJson;

    type LayoutJson = NoLayoutJson;
    type ParametersJson = TrilobiteParametersJson;
    type StateJson = TrilobiteStateJson;

    const PARAMETERS: &'static [&'static str] = &["width", "height", "win"];

    const EXAMPLE: RequestExample = RequestExample {
        new: r#"{"width":8,"height":7,"win":4,"seats":["human","human"]}"#,
        action: r#"{"cell":51}"#,
    };

    fn alternative_state_schema() -> Option<RefOr<Schema>> {
        Some(ColumnsJson::schema())
    }

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
        let malformed = |sentence: &str| ActionFieldsError::Malformed(sentence.to_owned());
        let no_cell = || malformed("a ply of this game is a cell");
        if fields.names().any(|name| name != "cell") {
            return Err(no_cell());
        }
        let played: TrilobitePlyJson = fields.into()?;
        let cell = played.cell.ok_or_else(no_cell)?;
        let column = self
            .column_of(cell)
            .ok_or_else(|| malformed("there is no such cell on this board"))?;
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
}
