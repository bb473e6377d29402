//! The form of a new game of Trilobite.

use std::sync::Arc;

use crate::games::form::{FormFields, OUT_OF_RANGE, complete_seats, level_names, submitted_seats};
use crate::games::page::FormError;
use crate::level::AgentProvider;
use crate::templates::message::LocalizedMessage;
use crate::templates::page::Component;
use crate::templates::trilobite::form::TrilobiteForm;
use dice_of_doom_games::trilobite::{Parameters, SetupError, Trilobite};

const SEATS: u8 = 2;

/// Scripts that do not know this form's own field may send `seats`.
pub(super) const SEAT_FIELDS: &[&str] = &["chips", "seats"];

pub(super) fn settings_form(submitted: &FormFields) -> Arc<dyn Component> {
    Arc::new(TrilobiteForm {
        width: submitted.redisplayed("width"),
        height: submitted.redisplayed("height"),
        win: submitted.redisplayed("win"),
        seats: complete_seats(&submitted_seats(submitted, SEAT_FIELDS), SEATS),
        levels: level_names(Trilobite::LEVELS),
    })
}

pub(super) fn parse_form(submitted: &FormFields) -> Result<Parameters, FormError> {
    let (width, height, win) = Trilobite::DEFAULTS;
    Ok(Parameters {
        width: submitted.non_empty("width", OUT_OF_RANGE)?.unwrap_or(width),
        height: submitted
            .non_empty("height", OUT_OF_RANGE)?
            .unwrap_or(height),
        win: submitted.non_empty("win", OUT_OF_RANGE)?.unwrap_or(win),
    })
}

pub(super) fn setup_error_text(error: &SetupError) -> LocalizedMessage {
    LocalizedMessage::new(match error {
        SetupError::Win { .. } => "form-problem-win",
        SetupError::Size { .. } => "form-problem-board",
        _ => OUT_OF_RANGE,
    })
}
