//! A link as a QR code: dark modules on a light card in every theme, for that is what cameras read.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped};
use qrcode::{Color, EcLevel, QrCode};

use super::board::quoted;

/// The free rim that readers need, in modules.
const QUIET: usize = 4;

/// A link as a picture with a name; nothing where it is too long for any code.
#[must_use]
pub fn qr(link: &str, label: &str) -> Markup {
    // Medium correction: a code on a screen is not torn or stained.
    let Ok(code) = QrCode::with_error_correction_level(link, EcLevel::M) else {
        return PreEscaped(String::new());
    };
    let side = code.width() + 2 * QUIET;
    let mut out = String::with_capacity(8_000);
    let _ = write!(
        out,
        r##"<svg class="qr" viewBox="0 0 {side} {side}" shape-rendering="crispEdges" role="img" aria-label="##
    );
    quoted(&mut out, label);
    let _ = write!(
        out,
        r##"><rect width="{side}" height="{side}" rx="2"/><path d=""##
    );
    draw(&mut out, &code);
    out.push_str(r##""/></svg>"##);
    PreEscaped(out)
}

/// Each run of dark modules in a row is one stroke.
fn draw(out: &mut String, code: &QrCode) {
    let width = code.width();
    for y in 0..width {
        let mut x = 0;
        while x < width {
            let dark = |x: usize| x < width && code[(x, y)] == Color::Dark;
            if !dark(x) {
                x += 1;
                continue;
            }
            let from = x;
            while dark(x) {
                x += 1;
            }
            let run = x - from;
            let _ = write!(out, "M{} {}h{run}v1h-{run}z", from + QUIET, y + QUIET);
        }
    }
}
