//! A link as a QR code: dark modules on a light background in every theme, because scanners need that
//! contrast.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped};
use qrcode::{Color, EcLevel, QrCode};

use super::board::quoted;

/// Width of the quiet zone (ISO/IEC 18004), in modules.
const QUIET: usize = 4;

/// The QR code of `link` as an inline SVG with the accessible name `label`; empty if the link is too long for
/// a QR code.
#[must_use]
pub fn qr(link: &str, label: &str) -> Markup {
    // Medium error correction: a code on a screen does not get damaged.
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

/// Draws each horizontal run of dark modules as one path segment.
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
