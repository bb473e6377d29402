//! GIF animations of SVG drawings.
//!
//! All frames share one palette, which is computed from a few of them, so that unchanged pixels keep their
//! colour. After the first frame only the changed rectangle is written, with unchanged pixels transparent.

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use resvg::tiny_skia::Pixmap;

use super::palette::GifPalette;
use super::{ImageSize, rasterize};

/// The number of colours; one more index, the last, is transparent.
const COLOURS: u8 = 255;
const TRANSPARENT: u8 = COLOURS;

/// An animation under construction.
pub struct GifAnimation {
    encoder: Encoder<Vec<u8>>,
    canvas: ImageSize,
    colours: GifPalette,
    /// The previous image.
    previous: Option<Pixmap>,
}

/// The rectangle that changed, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ChangedRect {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl GifAnimation {
    /// An animation with the size of the first of these SVG drawings and a palette for all of them; `None` if
    /// there are none or one is invalid. The longer side has `longest` pixels.
    #[must_use]
    pub fn new<'d>(
        drawings: impl IntoIterator<Item = &'d str>,
        longest: u16,
    ) -> Option<GifAnimation> {
        let fitted = ImageSize::FitContent {
            longest: longest.into(),
        };
        let (mut pixels, mut size) = (Vec::new(), None);
        for drawing in drawings {
            let picture = rasterize(drawing, fitted)?;
            size = size.or(Some((picture.width(), picture.height())));
            pixels.extend_from_slice(picture.pixels());
        }
        let (width, height) = size?;
        let colours = GifPalette::from_pixels(COLOURS, &pixels);
        let mut palette = colours.bytes();
        palette.resize(3 * (usize::from(COLOURS) + 1), 0);
        let [wide, high] = [u16::try_from(width).ok()?, u16::try_from(height).ok()?];
        let mut encoder = Encoder::new(Vec::new(), wide, high, &palette).ok()?;
        encoder.set_repeat(Repeat::Infinite).ok()?;
        Some(GifAnimation {
            encoder,
            canvas: ImageSize::Card { width, height },
            colours,
            previous: None,
        })
    }

    /// Appends a frame that is shown for the given time; `None` if the drawing is invalid.
    #[must_use]
    pub fn push_frame(&mut self, drawing: &str, hundredths: u16) -> Option<()> {
        let picture = rasterize(drawing, self.canvas)?;
        let changed = changed_rect(self.previous.as_ref(), &picture);
        let wide = picture.width() as usize;
        let mut buffer = Vec::with_capacity(changed.width * changed.height);
        for y in changed.top..changed.top + changed.height {
            let row = y * wide + changed.left;
            for at in row..row + changed.width {
                let pixel = picture.pixels()[at];
                let previous = self.previous.as_ref();
                let is_same = previous.is_some_and(|previous| previous.pixels()[at] == pixel);
                let colour = [pixel.red(), pixel.green(), pixel.blue()];
                buffer.push(if is_same {
                    TRANSPARENT
                } else {
                    self.colours.nearest(colour)
                });
            }
        }
        let short = |length: usize| u16::try_from(length).ok();
        let frame = Frame {
            delay: hundredths,
            dispose: DisposalMethod::Keep,
            transparent: Some(TRANSPARENT),
            left: short(changed.left)?,
            top: short(changed.top)?,
            width: short(changed.width)?,
            height: short(changed.height)?,
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).ok()?;
        self.previous = Some(picture);
        Some(())
    }

    /// The number of bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.encoder.get_ref().len()
    }

    #[must_use]
    pub fn finish(self) -> Option<Vec<u8>> {
        self.encoder.into_inner().ok()
    }
}

/// The bounding box of the pixels that differ; at least one pixel, as GIF has no empty frames.
fn changed_rect(before: Option<&Pixmap>, now: &Pixmap) -> ChangedRect {
    let [wide, high] = [now.width() as usize, now.height() as usize];
    let Some(before) = before else {
        return ChangedRect {
            left: 0,
            top: 0,
            width: wide,
            height: high,
        };
    };
    let rows = now
        .pixels()
        .chunks(wide)
        .zip(before.pixels().chunks(wide))
        .enumerate();
    let mut edges: Option<[usize; 4]> = None;
    for (y, (row, old)) in rows {
        let differs = |x: &usize| row[*x] != old[*x];
        let Some(first) = (0..wide).find(differs) else {
            continue;
        };
        let last = (first..wide).rev().find(differs).unwrap_or(first);
        let [left, right, top, _] = edges.unwrap_or([first, last, y, y]);
        edges = Some([left.min(first), right.max(last), top, y]);
    }
    let [left, right, top, bottom] = edges.unwrap_or([0; 4]);
    ChangedRect {
        left,
        top,
        width: right - left + 1,
        height: bottom - top + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::drawing;
    use super::*;

    fn square(x: u32, colour: &str) -> String {
        let square = format!(r#"<path d="M{x} 10h10v10h-10Z" fill="{colour}"/>"#);
        drawing(100, 50, &square)
    }

    /// The frames as a viewer shows them, with their delays.
    fn decoded_frames(animation: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(animation).unwrap();
        let (wide, high) = (usize::from(decoder.width()), usize::from(decoder.height()));
        let mut screen = vec![0; wide * high * 4];
        let mut frames = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let width = usize::from(frame.width);
            for (at, pixel) in frame.buffer.chunks(4).enumerate() {
                if pixel[3] == 0 {
                    continue;
                }
                let (x, y) = (at % width, at / width);
                let index = (usize::from(frame.top) + y) * wide + usize::from(frame.left) + x;
                screen[4 * index..4 * index + 4].copy_from_slice(pixel);
            }
            frames.push((frame.delay, screen.clone()));
        }
        frames
    }

    #[test]
    fn an_animation_shows_every_frame() {
        let drawings = [
            square(5, "#bd2f1c"),
            square(50, "#2052d2"),
            square(50, "#2052d2"),
            square(5, "#bd2f1c"),
        ];
        let samples = drawings.iter().take(2).map(String::as_str);
        let mut animation = GifAnimation::new(samples, 200).unwrap();
        for (drawing, hundredths) in drawings.iter().zip([70, 70, 70, 300]) {
            animation.push_frame(drawing, hundredths).unwrap();
        }
        let bytes = animation.bytes();
        let animation = animation.finish().unwrap();
        assert!(
            bytes <= animation.len() && animation.len() < 8_000,
            "{}",
            animation.len()
        );
        let frames = decoded_frames(&animation);
        let times: Vec<_> = frames.iter().map(|(delay, _)| *delay).collect();
        assert_eq!(times, [70, 70, 70, 300]);
        for ((_, screen), drawing) in frames.iter().zip(&drawings) {
            let expected = rasterize(drawing, ImageSize::FitContent { longest: 200 }).unwrap();
            assert_eq!(screen.len(), expected.data().len());
            let off = |(one, other): (&u8, &u8)| one.abs_diff(*other);
            let worst = screen.iter().zip(expected.data()).map(off).max();
            assert!(worst < Some(12), "a colour is off by {worst:?}");
        }
    }

    #[test]
    fn only_the_changed_rectangle_is_written() {
        let [one, other] = [square(5, "#bd2f1c"), square(50, "#bd2f1c")]
            .map(|svg| rasterize(&svg, ImageSize::FitContent { longest: 100 }).unwrap());
        let full = changed_rect(None, &one);
        assert_eq!((full.width, full.height), (100, 50));
        let nothing = changed_rect(Some(&one), &one);
        assert_eq!((nothing.width, nothing.height), (1, 1));
        let part = changed_rect(Some(&one), &other);
        assert!(
            part.left < 12 && part.width > 40 && part.height < 14,
            "{part:?}"
        );
    }

    #[test]
    fn invalid_svg_makes_no_animation() {
        assert!(GifAnimation::new([], 100).is_none());
        assert!(GifAnimation::new(["<svg"], 100).is_none());
        let fine = square(5, "#000");
        let mut animation = GifAnimation::new([&*fine], 100).unwrap();
        assert_eq!(animation.push_frame("<svg", 10), None);
    }
}
