//! Films: drawings one after another, as an animated GIF.
//!
//! All pictures of a film share one palette, which is chosen from a few of them, so that what stays the same
//! keeps its colour. After the first picture only the part that changed is written, and in it what stayed
//! is left out.

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use resvg::tiny_skia::Pixmap;

use super::palette::GifPalette;
use super::{ImageSize, painted};

/// So many colours are chosen; one more, the last, stands for what stays as it is.
const COLOURS: u8 = 255;
const STAYS: u8 = COLOURS;

/// A film that is being made.
pub struct GifAnimation {
    encoder: Encoder<Vec<u8>>,
    canvas: ImageSize,
    colours: GifPalette,
    /// The picture that was shown last.
    shown: Option<Pixmap>,
}

/// The part of a picture that changed, in pixels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ChangedRect {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl GifAnimation {
    /// A film with the size of the first of these drawings (SVG) and the colours of all of them; `None`
    /// where one is none. Its longer side is at most so many pixels long.
    #[must_use]
    pub fn begin<'d>(
        drawings: impl IntoIterator<Item = &'d str>,
        longest: u16,
    ) -> Option<GifAnimation> {
        let fitted = ImageSize::Fitted {
            longest: longest.into(),
        };
        let (mut pixels, mut size) = (Vec::new(), None);
        for drawing in drawings {
            let picture = painted(drawing, fitted)?;
            size = size.or(Some((picture.width(), picture.height())));
            pixels.extend_from_slice(picture.pixels());
        }
        let (width, height) = size?;
        let colours = GifPalette::of(COLOURS, &pixels);
        let mut palette = colours.bytes();
        palette.resize(3 * (usize::from(COLOURS) + 1), 0);
        let [wide, high] = [u16::try_from(width).ok()?, u16::try_from(height).ok()?];
        let mut encoder = Encoder::new(Vec::new(), wide, high, &palette).ok()?;
        encoder.set_repeat(Repeat::Infinite).ok()?;
        Some(GifAnimation {
            encoder,
            canvas: ImageSize::Card { width, height },
            colours,
            shown: None,
        })
    }

    /// Shows a drawing for so many hundredths of a second; `None` where it is none.
    #[must_use]
    pub fn show(&mut self, drawing: &str, hundredths: u16) -> Option<()> {
        let picture = painted(drawing, self.canvas)?;
        let changed = changed(self.shown.as_ref(), &picture);
        let wide = picture.width() as usize;
        let mut buffer = Vec::with_capacity(changed.width * changed.height);
        for y in changed.top..changed.top + changed.height {
            let row = y * wide + changed.left;
            for at in row..row + changed.width {
                let pixel = picture.pixels()[at];
                let same = self.shown.as_ref();
                let same = same.is_some_and(|shown| shown.pixels()[at] == pixel);
                let colour = [pixel.red(), pixel.green(), pixel.blue()];
                buffer.push(if same {
                    STAYS
                } else {
                    self.colours.nearest(colour)
                });
            }
        }
        let short = |length: usize| u16::try_from(length).ok();
        let frame = Frame {
            delay: hundredths,
            dispose: DisposalMethod::Keep,
            transparent: Some(STAYS),
            left: short(changed.left)?,
            top: short(changed.top)?,
            width: short(changed.width)?,
            height: short(changed.height)?,
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).ok()?;
        self.shown = Some(picture);
        Some(())
    }

    /// How many bytes it has by now.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.encoder.get_ref().len()
    }

    /// The whole film.
    #[must_use]
    pub fn end(self) -> Option<Vec<u8>> {
        self.encoder.into_inner().ok()
    }
}

/// The part in which a picture is another than the one before; a film shows at least one pixel of each.
fn changed(before: Option<&Pixmap>, now: &Pixmap) -> ChangedRect {
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

    /// What a viewer of the film sees, picture by picture.
    fn seen(film: &[u8]) -> Vec<(u16, Vec<u8>)> {
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(film).unwrap();
        let (wide, high) = (usize::from(decoder.width()), usize::from(decoder.height()));
        let mut screen = vec![0; wide * high * 4];
        let mut seen = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            let width = usize::from(frame.width);
            for (at, pixel) in frame.buffer.chunks(4).enumerate() {
                if pixel[3] == 0 {
                    continue;
                }
                let (x, y) = (at % width, at / width);
                let place = (usize::from(frame.top) + y) * wide + usize::from(frame.left) + x;
                screen[4 * place..4 * place + 4].copy_from_slice(pixel);
            }
            seen.push((frame.delay, screen.clone()));
        }
        seen
    }

    #[test]
    fn a_film_shows_every_picture() {
        let drawings = [
            square(5, "#bd2f1c"),
            square(50, "#2052d2"),
            square(50, "#2052d2"),
            square(5, "#bd2f1c"),
        ];
        let samples = drawings.iter().take(2).map(String::as_str);
        let mut film = GifAnimation::begin(samples, 200).unwrap();
        for (drawing, hundredths) in drawings.iter().zip([70, 70, 70, 300]) {
            film.show(drawing, hundredths).unwrap();
        }
        let bytes = film.bytes();
        let film = film.end().unwrap();
        assert!(bytes <= film.len() && film.len() < 8_000, "{}", film.len());
        let seen = seen(&film);
        let times: Vec<_> = seen.iter().map(|(delay, _)| *delay).collect();
        assert_eq!(times, [70, 70, 70, 300]);
        for ((_, screen), drawing) in seen.iter().zip(&drawings) {
            let wanted = painted(drawing, ImageSize::Fitted { longest: 200 }).unwrap();
            assert_eq!(screen.len(), wanted.data().len());
            let off = |(one, other): (&u8, &u8)| one.abs_diff(*other);
            let worst = screen.iter().zip(wanted.data()).map(off).max();
            assert!(worst < Some(12), "a colour is off by {worst:?}");
        }
    }

    #[test]
    fn only_what_changed_is_written() {
        let [one, other] = [square(5, "#bd2f1c"), square(50, "#bd2f1c")]
            .map(|svg| painted(&svg, ImageSize::Fitted { longest: 100 }).unwrap());
        let whole = changed(None, &one);
        assert_eq!((whole.width, whole.height), (100, 50));
        let nothing = changed(Some(&one), &one);
        assert_eq!((nothing.width, nothing.height), (1, 1));
        let part = changed(Some(&one), &other);
        assert!(
            part.left < 12 && part.width > 40 && part.height < 14,
            "{part:?}"
        );
    }

    #[test]
    fn what_is_no_drawing_makes_no_film() {
        assert!(GifAnimation::begin([], 100).is_none());
        assert!(GifAnimation::begin(["<svg"], 100).is_none());
        let fine = square(5, "#000");
        let mut film = GifAnimation::begin([&*fine], 100).unwrap();
        assert_eq!(film.show("<svg", 10), None);
    }
}
