//! Boards as pixels: pictures as PNG and films as GIF, made of drawings that stand alone.
//!
//! Everything here is a pure function of a drawing and takes milliseconds: never on an async thread.
//! Pictures need no font, because boards draw their digits as strokes; letters beside a board are left
//! out.

mod gif;
mod image_cache;
mod palette;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

pub use gif::GifAnimation;
pub use image_cache::ImageCache;

/// How large a picture becomes, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageSize {
    /// So wide and so high; the drawing stands in its middle.
    Card {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// As the drawing is shaped; its longer side is that long.
    Fitted {
        /// The longer side.
        longest: u32,
    },
}

/// The least free room around a drawing, for each pixel of the shorter side.
const MARGIN: f32 = 1.0 / 21.0;

/// A drawing (SVG) as PNG; `None` where it is none.
#[must_use]
pub fn png(svg: &str, canvas: ImageSize) -> Option<Vec<u8>> {
    let painted = painted(svg, canvas)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, painted.width(), painted.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // It takes a twentieth of the usual time, and a tenth more bytes.
    encoder.set_compression(png::Compression::Fast);
    // Nothing can be seen through.
    let painted = painted.data().as_chunks::<4>().0;
    let mut pixels = vec![0; painted.len() * 3];
    let colours = pixels.as_chunks_mut::<3>().0;
    for (colour, [red, green, blue, _]) in colours.iter_mut().zip(painted) {
        *colour = [*red, *green, *blue];
    }
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// A drawing on paper, without anything that can be seen through.
fn painted(svg: &str, canvas: ImageSize) -> Option<Pixmap> {
    let tree = Tree::from_str(svg, &Options::default()).ok()?;
    let [w, h] = [tree.size().width(), tree.size().height()];
    let (width, height) = match canvas {
        ImageSize::Card { width, height } => (width, height),
        ImageSize::Fitted { longest } => fitted(longest, w, h),
    };
    let mut paper = Pixmap::new(width, height)?;
    paper.fill(Color::from_rgba8(0xf3, 0xea, 0xd9, 0xff));
    let [wide, high] = [width as f32, height as f32];
    let margin = MARGIN * wide.min(high);
    let scale = ((wide - 2.0 * margin) / w).min((high - 2.0 * margin) / h);
    let [right, down] = [(wide - w * scale) / 2.0, (high - h * scale) / 2.0];
    let transform = Transform::from_row(scale, 0.0, 0.0, scale, right, down);
    resvg::render(&tree, transform, &mut paper.as_mut());
    Some(paper)
}

/// The width and height in which a drawing of this shape stands with its margin.
fn fitted(longest: u32, w: f32, h: f32) -> (u32, u32) {
    let long = longest as f32;
    // What is very long and narrow still has room for its margin.
    let short = long * (w.min(h) / w.max(h)).clamp(0.05, 1.0);
    let short = (short.round() as u32).max(1);
    if w >= h {
        (longest, short)
    } else {
        (short, longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn drawing(width: u32, height: u32, content: &str) -> String {
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">{content}</svg>"#
        )
    }

    fn size(svg: &str, canvas: ImageSize) -> (u32, u32) {
        let painted = painted(svg, canvas).unwrap();
        (painted.width(), painted.height())
    }

    #[test]
    fn a_picture_is_as_large_as_it_is_asked_for() {
        let card = ImageSize::Card {
            width: 120,
            height: 63,
        };
        let fitted = ImageSize::Fitted { longest: 100 };
        for (width, height, shape) in [
            (200, 100, (100, 50)),
            (30, 60, (50, 100)),
            (7, 7, (100, 100)),
            (9000, 1, (100, 5)),
        ] {
            let svg = drawing(width, height, "");
            assert_eq!(size(&svg, card), (120, 63));
            assert_eq!(size(&svg, fitted), shape);
            assert_eq!(png(&svg, fitted).unwrap()[..8], *b"\x89PNG\r\n\x1a\n");
        }
    }

    #[test]
    fn what_is_no_drawing_is_not_drawn() {
        assert_eq!(png("<svg", ImageSize::Fitted { longest: 9 }), None);
    }
}
