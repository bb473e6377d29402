//! The colours of a film: the few that stand best for all colours of its pictures.
//!
//! The colours are divided into groups: again and again the group in which its mean stands worst for its
//! members is parted at that mean, along the channel in which it is widest (after Xiaolin Wu, 1991). What
//! covers much, and what is rare but unlike everything else, keeps its colour.

use std::collections::HashMap;

use resvg::tiny_skia::PremultipliedColorU8;

/// A colour without transparency: red, green, blue.
pub(super) type Rgb = [u8; 3];

/// Colours that differ in the lower bits alone are counted together.
const BITS: u8 = 5;

/// At most 255 colours.
pub(super) struct GifPalette {
    colours: Vec<Rgb>,
    /// The colours that were looked up so far.
    known: HashMap<Rgb, u8>,
}

/// Pixels of almost the same colour.
#[derive(Clone, Copy, Default)]
struct ColourBin {
    pixels: f64,
    mean: [f64; 3],
}

/// Some colours, and how well their mean stands for them.
struct ColourCluster {
    members: Vec<ColourBin>,
    mean: [f64; 3],
    widest: usize,
    /// The squared distance from the mean, for all pixels, in the channel in which it is widest.
    error: f64,
}

impl GifPalette {
    /// At most so many colours for all of these pixels.
    pub(super) fn of<'p>(
        most: u8,
        pixels: impl IntoIterator<Item = &'p PremultipliedColorU8>,
    ) -> Self {
        let mut groups = vec![ColourCluster::of(counted(pixels))];
        while groups.len() < usize::from(most)
            && let Some(worst) = worst(&groups)
        {
            let (one, other) = groups.swap_remove(worst).parted();
            groups.extend([one, other]);
        }
        let colours = groups
            .iter()
            .map(|group| group.mean.map(|c| c.round() as u8));
        GifPalette {
            colours: colours.collect(),
            known: HashMap::new(),
        }
    }

    /// The colours one after another.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }

    /// The number of the colour that is nearest to this one.
    pub(super) fn nearest(&mut self, colour: Rgb) -> u8 {
        let colours = &self.colours;
        *self.known.entry(colour).or_insert_with(|| {
            let far = |known: &Rgb| -> u32 {
                let apart = known.iter().zip(colour).map(|(one, c)| one.abs_diff(c));
                apart.map(|apart| u32::from(apart).pow(2)).sum()
            };
            let nearest = (0..=u8::MAX)
                .zip(colours)
                .min_by_key(|(_, known)| far(known));
            nearest.map_or(0, |(number, _)| number)
        })
    }
}

/// The colours that there are, alike ones together.
fn counted<'p>(pixels: impl IntoIterator<Item = &'p PremultipliedColorU8>) -> Vec<ColourBin> {
    let mut all = vec![ColourBin::default(); 1 << (3 * BITS)];
    for pixel in pixels {
        let colour = [pixel.red(), pixel.green(), pixel.blue()];
        let place = colour.iter().fold(0, |place, channel| {
            (place << BITS) | usize::from(channel >> (8 - BITS))
        });
        let alike = &mut all[place];
        alike.pixels += 1.0;
        for (sum, channel) in alike.mean.iter_mut().zip(colour) {
            *sum += f64::from(channel);
        }
    }
    all.retain(|alike| alike.pixels > 0.0);
    for alike in &mut all {
        alike.mean = alike.mean.map(|sum| sum / alike.pixels);
    }
    all
}

/// The group that is worth parting most; none where every colour has its own.
fn worst(groups: &[ColourCluster]) -> Option<usize> {
    let worst = groups.iter().enumerate();
    let worst = worst.max_by(|(_, one), (_, other)| one.error.total_cmp(&other.error));
    worst
        .filter(|(_, group)| group.error > 0.0)
        .map(|(at, _)| at)
}

impl ColourCluster {
    fn of(members: Vec<ColourBin>) -> Self {
        let pixels: f64 = members.iter().map(|alike| alike.pixels).sum();
        let sum = |of: &dyn Fn(&ColourBin) -> f64| -> f64 {
            members.iter().map(|alike| alike.pixels * of(alike)).sum()
        };
        let mean = [0, 1, 2].map(|channel| sum(&|alike| alike.mean[channel]) / pixels.max(1.0));
        let error = |channel: usize| sum(&|alike| (alike.mean[channel] - mean[channel]).powi(2));
        let errors = [0, 1, 2].map(error);
        let widest = [1, 2].into_iter().fold(0, |widest, channel| {
            if errors[channel] > errors[widest] {
                channel
            } else {
                widest
            }
        });
        ColourCluster {
            // One colour is its own mean, whatever rounding says.
            error: if members.len() > 1 {
                errors[widest]
            } else {
                0.0
            },
            members,
            mean,
            widest,
        }
    }

    /// What lies below its mean, and the rest.
    fn parted(self) -> (ColourCluster, ColourCluster) {
        let (channel, mean) = (self.widest, self.mean);
        let below = |alike: &ColourBin| alike.mean[channel] < mean[channel];
        let (one, other) = self.members.into_iter().partition(below);
        (ColourCluster::of(one), ColourCluster::of(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(colours: &[(Rgb, usize)]) -> Vec<PremultipliedColorU8> {
        let pixel = |[r, g, b]: Rgb| PremultipliedColorU8::from_rgba(r, g, b, 255).unwrap();
        let many = |&(colour, count): &(Rgb, usize)| std::iter::repeat_n(pixel(colour), count);
        colours.iter().flat_map(many).collect()
    }

    #[test]
    fn few_colours_are_kept_as_they_are() {
        let colours = [
            ([243, 234, 217], 90_000),
            ([189, 47, 28], 500),
            ([32, 82, 210], 3),
            ([255, 255, 255], 1),
        ];
        let mut palette = GifPalette::of(255, &pixels(&colours));
        assert_eq!(palette.colours.len(), colours.len());
        for (colour, _) in colours {
            let number = palette.nearest(colour);
            assert_eq!(palette.colours[usize::from(number)], colour);
        }
    }

    #[test]
    fn what_is_rare_and_unlike_the_rest_keeps_its_colour() {
        let greys = (0..=255_u8).map(|grey| ([grey; 3], 1000));
        let mut colours: Vec<_> = greys.collect();
        colours.push(([189, 47, 28], 200));
        let mut palette = GifPalette::of(32, &pixels(&colours));
        assert_eq!(palette.colours.len(), 32);
        let red = usize::from(palette.nearest([189, 47, 28]));
        let off = palette.colours[red][0].abs_diff(189);
        assert!(off < 40, "{:?}", palette.colours[red]);
        let grey = usize::from(palette.nearest([128; 3]));
        assert!(palette.colours[grey][0].abs_diff(128) < 16);
    }

    #[test]
    fn nothing_has_one_colour() {
        let mut palette = GifPalette::of(255, &[]);
        assert_eq!(palette.nearest([1, 2, 3]), 0);
        assert_eq!(palette.bytes(), [0, 0, 0]);
    }
}
