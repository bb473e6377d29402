//! Raster images of boards: PNG images and GIF animations of standalone SVG.
//!
//! All functions are pure and take milliseconds of CPU time: never call them on an async thread. No font is
//! loaded: boards draw their digits as paths, and letters next to a board are omitted.

mod gif;
mod image_cache;
mod palette;

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};

pub use gif::GifAnimation;
pub use image_cache::{ImageCache, image_cache};

/// The size of an image in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImageSize {
    /// A fixed size; the drawing is centred.
    Card { width: u32, height: u32 },
    /// The aspect ratio of the drawing.
    FitContent {
        /// The length of the longer side.
        longest: u32,
    },
}

/// Minimum margin as a fraction of the shorter side.
const MARGIN: f32 = 1.0 / 21.0;

/// Renders SVG as PNG; `None` if it is invalid.
#[must_use]
pub fn png(svg: &str, canvas: ImageSize) -> Option<Vec<u8>> {
    let pixmap = rasterize(svg, canvas)?;
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Takes a twentieth of the default's time for a tenth more bytes.
    encoder.set_compression(png::Compression::Fast);
    // The image is opaque, so alpha is dropped.
    let rgba = pixmap.data().as_chunks::<4>().0;
    let mut pixels = vec![0; rgba.len() * 3];
    let colours = pixels.as_chunks_mut::<3>().0;
    for (colour, [red, green, blue, _]) in colours.iter_mut().zip(rgba) {
        *colour = [*red, *green, *blue];
    }
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(file)
}

/// Renders SVG on an opaque background.
fn rasterize(svg: &str, canvas: ImageSize) -> Option<Pixmap> {
    let tree = Tree::from_str(svg, &Options::default()).ok()?;
    let [w, h] = [tree.size().width(), tree.size().height()];
    let (width, height) = match canvas {
        ImageSize::Card { width, height } => (width, height),
        ImageSize::FitContent { longest } => fit_size(longest, w, h),
    };
    let mut pixmap = Pixmap::new(width, height)?;
    pixmap.fill(Color::from_rgba8(0xf3, 0xea, 0xd9, 0xff));
    let [wide, high] = [width as f32, height as f32];
    let margin = MARGIN * wide.min(high);
    let scale = ((wide - 2.0 * margin) / w).min((high - 2.0 * margin) / h);
    let [offset_x, offset_y] = [(wide - w * scale) / 2.0, (high - h * scale) / 2.0];
    let transform = Transform::from_row(scale, 0.0, 0.0, scale, offset_x, offset_y);
    resvg::render(&tree, transform, &mut pixmap.as_mut());
    Some(pixmap)
}

/// The width and height of an image with this aspect ratio.
fn fit_size(longest: u32, w: f32, h: f32) -> (u32, u32) {
    let long = longest as f32;
    // Limits the aspect ratio, so that a long and narrow drawing keeps its margin.
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
        let pixmap = rasterize(svg, canvas).unwrap();
        (pixmap.width(), pixmap.height())
    }

    #[test]
    fn an_image_has_the_requested_size() {
        let card = ImageSize::Card {
            width: 120,
            height: 63,
        };
        let fitted = ImageSize::FitContent { longest: 100 };
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
    fn invalid_svg_is_not_rendered() {
        assert_eq!(png("<svg", ImageSize::FitContent { longest: 9 }), None);
    }
}
