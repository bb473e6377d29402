//! Palette of an animation: the colours that best represent all of its images.
//!
//! Colours are divided into clusters. The cluster with the largest squared error is repeatedly split at its
//! mean, along its widest channel (after Xiaolin Wu, 1991). Both frequent colours and rare but distinct ones
//! keep their colour.

use std::collections::HashMap;

use resvg::tiny_skia::PremultipliedColorU8;

/// Red, green, blue.
pub(super) type Rgb = [u8; 3];

/// Colours that are equal in this number of high bits per channel are treated as one.
const BITS: u8 = 5;

/// At most 255 colours.
pub(super) struct GifPalette {
    colours: Vec<Rgb>,
    /// Cache of nearest colours.
    nearest: HashMap<Rgb, u8>,
}

/// Pixels of almost the same colour.
#[derive(Clone, Copy, Default)]
struct ColourBin {
    pixels: f64,
    mean: [f64; 3],
}

/// A set of colours with its mean and error.
struct ColourCluster {
    members: Vec<ColourBin>,
    mean: [f64; 3],
    widest: usize,
    /// The sum of squared distances of all pixels from the mean, in the widest channel.
    error: f64,
}

impl GifPalette {
    /// Up to `max` colours for these pixels.
    pub(super) fn from_pixels<'p>(
        max: u8,
        pixels: impl IntoIterator<Item = &'p PremultipliedColorU8>,
    ) -> Self {
        let mut clusters = vec![ColourCluster::new(histogram(pixels))];
        while clusters.len() < usize::from(max)
            && let Some(index) = largest_error(&clusters)
        {
            let (one, other) = clusters.swap_remove(index).split_at_mean();
            clusters.extend([one, other]);
        }
        let colours = clusters
            .iter()
            .map(|cluster| cluster.mean.map(|c| c.round() as u8));
        GifPalette {
            colours: colours.collect(),
            nearest: HashMap::new(),
        }
    }

    /// The palette as bytes: red, green and blue of each colour.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }

    /// The index of the nearest colour.
    pub(super) fn nearest(&mut self, colour: Rgb) -> u8 {
        let colours = &self.colours;
        *self.nearest.entry(colour).or_insert_with(|| {
            let distance = |known: &Rgb| -> u32 {
                let differences = known.iter().zip(colour).map(|(one, c)| one.abs_diff(c));
                differences
                    .map(|difference| u32::from(difference).pow(2))
                    .sum()
            };
            let nearest = (0..=u8::MAX)
                .zip(colours)
                .min_by_key(|(_, known)| distance(known));
            nearest.map_or(0, |(number, _)| number)
        })
    }
}

/// The colour histogram.
fn histogram<'p>(pixels: impl IntoIterator<Item = &'p PremultipliedColorU8>) -> Vec<ColourBin> {
    let mut all = vec![ColourBin::default(); 1 << (3 * BITS)];
    for pixel in pixels {
        let colour = [pixel.red(), pixel.green(), pixel.blue()];
        let index = colour.iter().fold(0, |index, channel| {
            (index << BITS) | usize::from(channel >> (8 - BITS))
        });
        let bin = &mut all[index];
        bin.pixels += 1.0;
        for (sum, channel) in bin.mean.iter_mut().zip(colour) {
            *sum += f64::from(channel);
        }
    }
    all.retain(|bin| bin.pixels > 0.0);
    for bin in &mut all {
        bin.mean = bin.mean.map(|sum| sum / bin.pixels);
    }
    all
}

/// The index of the cluster with the largest error; `None` if every colour has its own cluster.
fn largest_error(clusters: &[ColourCluster]) -> Option<usize> {
    let worst = clusters.iter().enumerate();
    let worst = worst.max_by(|(_, one), (_, other)| one.error.total_cmp(&other.error));
    worst
        .filter(|(_, cluster)| cluster.error > 0.0)
        .map(|(index, _)| index)
}

impl ColourCluster {
    fn new(members: Vec<ColourBin>) -> Self {
        let pixels: f64 = members.iter().map(|bin| bin.pixels).sum();
        let sum = |value: &dyn Fn(&ColourBin) -> f64| -> f64 {
            members.iter().map(|bin| bin.pixels * value(bin)).sum()
        };
        let mean = [0, 1, 2].map(|channel| sum(&|bin| bin.mean[channel]) / pixels.max(1.0));
        let error = |channel: usize| sum(&|bin| (bin.mean[channel] - mean[channel]).powi(2));
        let errors = [0, 1, 2].map(error);
        let widest = [1, 2].into_iter().fold(0, |widest, channel| {
            if errors[channel] > errors[widest] {
                channel
            } else {
                widest
            }
        });
        ColourCluster {
            // A single colour has no error; rounding could yield a small one.
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

    /// Splits at the mean: the colours below it, and the others.
    fn split_at_mean(self) -> (ColourCluster, ColourCluster) {
        let (channel, mean) = (self.widest, self.mean);
        let below = |bin: &ColourBin| bin.mean[channel] < mean[channel];
        let (one, other) = self.members.into_iter().partition(below);
        (ColourCluster::new(one), ColourCluster::new(other))
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
    fn a_few_colours_are_reproduced_exactly() {
        let colours = [
            ([243, 234, 217], 90_000),
            ([189, 47, 28], 500),
            ([32, 82, 210], 3),
            ([255, 255, 255], 1),
        ];
        let mut palette = GifPalette::from_pixels(255, &pixels(&colours));
        assert_eq!(palette.colours.len(), colours.len());
        for (colour, _) in colours {
            let number = palette.nearest(colour);
            assert_eq!(palette.colours[usize::from(number)], colour);
        }
    }

    #[test]
    fn a_rare_but_distinct_colour_is_preserved() {
        let greys = (0..=255_u8).map(|grey| ([grey; 3], 1000));
        let mut colours: Vec<_> = greys.collect();
        colours.push(([189, 47, 28], 200));
        let mut palette = GifPalette::from_pixels(32, &pixels(&colours));
        assert_eq!(palette.colours.len(), 32);
        let red = usize::from(palette.nearest([189, 47, 28]));
        let off = palette.colours[red][0].abs_diff(189);
        assert!(off < 40, "{:?}", palette.colours[red]);
        let grey = usize::from(palette.nearest([128; 3]));
        assert!(palette.colours[grey][0].abs_diff(128) < 16);
    }

    #[test]
    fn without_pixels_the_palette_has_one_colour() {
        let mut palette = GifPalette::from_pixels(255, &[]);
        assert_eq!(palette.nearest([1, 2, 3]), 0);
        assert_eq!(palette.bytes(), [0, 0, 0]);
    }
}
