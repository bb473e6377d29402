//! To come.
use maud::{Markup, html};

use super::view::BoardView;

/// To come.
#[must_use]
pub fn board_svg(_board: &BoardView) -> Markup {
    html! {}
}
