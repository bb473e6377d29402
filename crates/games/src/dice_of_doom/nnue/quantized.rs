//! The quantized network, which searches use: quantization and the file format. The module `inference` evaluates positions.
//!
//! Every parameter of a layer is multiplied by the layer's scale and rounded. The scales are as large as 16-bit
//! and 32-bit sums allow for any position.

use wide::{i16x16, i32x8};

use super::codec::{NnueFileError, NnueFileReader, NnueFileWriter};
use super::features::FeatureLayout;
use super::float::{HIDDEN, NnueParameters, WIDTH};
use super::simd::{LANES, WIDE_LANES};
use dice_of_doom_core::game::MAX_PLAYERS;

mod inference;

/// The maximum value of a sum of the second layer.
const MAX_SECOND_SUM: f32 = 63.0;

/// The number of vectors of the first layer's sums.
const WORDS: usize = WIDTH / LANES;

/// The number of vectors of the second layer's sums, whose lanes are twice as wide.
const WIDE_WORDS: usize = HIDDEN / WIDE_LANES;

/// The number of vectors of the output, padded to whole vectors.
const OUT_WORDS: usize = MAX_PLAYERS.div_ceil(WIDE_LANES);

/// The sums of the first layer.
type QuantizedAccumulator = [i16x16; WORDS];

/// The weights of two inputs for eight outputs, interleaved, so that a single instruction multiplies them with
/// the two inputs and adds the products.
type WeightPair = i16x16;

/// A quantized network.
#[derive(Clone, PartialEq, Debug)]
pub struct QuantizedNetwork {
    layout: FeatureLayout,
    players: usize,
    rows: Vec<QuantizedAccumulator>,
    bias: QuantizedAccumulator,
    second: [[WeightPair; WIDE_WORDS]; WIDTH / 2],
    second_bias: [i32x8; WIDE_WORDS],
    /// The right shift of the second layer's sums, in bits.
    cut: u32,
    last: [[WeightPair; OUT_WORDS]; HIDDEN / 2],
    last_bias: [f32; MAX_PLAYERS],
    /// The factor of the last layer's sums.
    last_scale: f32,
}

impl QuantizedNetwork {
    /// A text that identifies the network in [`super::training`]; it must not change when names change.
    pub(super) fn fingerprint_text(&self) -> String {
        format!(
            "Net {{ layout: {}, players: {}, rows: {:?}, bias: {:?}, second: {:?}, second_bias: {:?}, cut: {}, \
             last: {:?}, last_bias: {:?}, last_scale: {:?} }}",
            self.layout.fingerprint_text(),
            self.players,
            self.rows,
            self.bias,
            self.second,
            self.second_bias,
            self.cut,
            self.last,
            self.last_bias,
            self.last_scale,
        )
    }

    /// Quantizes the parameters.
    #[must_use]
    pub fn from_parameters(parameters: &NnueParameters) -> Self {
        let offsets = parameters.offsets();
        let numbers = &parameters.values;
        let layout = parameters.layout;
        let first_scale = layout.first_scale(&numbers[..offsets.second], WIDTH);
        let row = |at: usize| -> QuantizedAccumulator {
            let rounded: [i16; WIDTH] =
                std::array::from_fn(|unit| (numbers[at + unit] * first_scale).round() as i16);
            bytemuck::cast(rounded)
        };
        let second = |from: usize, into: usize| numbers[offsets.second + from * HIDDEN + into];
        let largest = (0..HIDDEN).map(|into| (0..WIDTH).map(|from| second(from, into).abs()).sum());
        let largest = largest.fold(1e-3, f32::max);
        // The sum of products uses at most half of the 32-bit range, and the bias the other half.
        let second_scale = (f32::from(i16::MAX) / largest).min(4096.0);
        let combined_scale = first_scale * second_scale;
        let cut = (combined_scale * MAX_SECOND_SUM / f32::from(i16::MAX))
            .log2()
            .ceil()
            .max(0.0) as u32;
        let second_out = combined_scale / (1u64 << cut) as f32;
        let last = |from: usize, into: usize| {
            if into < MAX_PLAYERS {
                numbers[offsets.last + from * MAX_PLAYERS + into]
            } else {
                0.0
            }
        };
        let last_weights = numbers[offsets.last..offsets.last_bias].iter();
        let most = last_weights.fold(1e-3, |most: f32, weight| most.max(weight.abs()));
        let last_scale = 2_000.0 / most;
        QuantizedNetwork {
            layout,
            players: parameters.players(),
            rows: (0..layout.count)
                .map(|feature| row(feature * WIDTH))
                .collect(),
            bias: row(offsets.bias),
            second: pack_weights(second, second_scale),
            second_bias: bytemuck::cast::<[i32; HIDDEN], _>(std::array::from_fn(|at| {
                (numbers[offsets.second_bias + at] * combined_scale).round() as i32
            })),
            cut,
            last: pack_weights(last, last_scale),
            last_bias: std::array::from_fn(|at| numbers[offsets.last_bias + at]),
            last_scale: 1.0 / (second_out * last_scale),
        }
    }

    /// Floating-point parameters with the same function, to continue training from. They differ from the
    /// original ones by rounding and by factors per layer that cancel out.
    pub(super) fn to_parameters(&self) -> NnueParameters {
        let mut parameters = NnueParameters::zeros(self.players());
        let offsets = parameters.offsets();
        let short =
            |sums: &QuantizedAccumulator| bytemuck::cast::<_, [i16; WIDTH]>(*sums).map(f32::from);
        let rows: Vec<f32> = self
            .rows
            .iter()
            .chain([&self.bias])
            .flat_map(short)
            .collect();
        let first_scale = self.layout.scale_from_rows(&rows, WIDTH);
        // `cut` determines the scale of the second layer up to a factor of two.
        let combined_scale = (self.cut as f32 - 0.5).exp2() * f32::from(i16::MAX) / MAX_SECOND_SUM;
        let second_scale = combined_scale / first_scale;
        let last_scale = self.last_scale * combined_scale / (1u64 << self.cut) as f32;
        let numbers = &mut parameters.values;
        for (number, rounded) in numbers.iter_mut().zip(rows) {
            *number = rounded / first_scale;
        }
        for from in 0..WIDTH {
            for into in 0..HIDDEN {
                let weight = packed_weight(&self.second, from, into);
                numbers[offsets.second + from * HIDDEN + into] = weight / second_scale;
            }
        }
        let biases: [i32; HIDDEN] = bytemuck::cast(self.second_bias);
        for (number, bias) in numbers[offsets.second_bias..].iter_mut().zip(biases) {
            *number = bias as f32 / combined_scale;
        }
        for from in 0..HIDDEN {
            for into in 0..MAX_PLAYERS {
                let weight = packed_weight(&self.last, from, into);
                numbers[offsets.last + from * MAX_PLAYERS + into] = weight * last_scale;
            }
        }
        numbers[offsets.last_bias..].copy_from_slice(&self.last_bias);
        parameters
    }

    /// The number of players of the supported games.
    pub(super) const fn players(&self) -> u8 {
        self.players as u8
    }

    /// Writes the shape and the parameters.
    pub(super) fn write(&self, to: &mut NnueFileWriter) {
        to.write_number(self.players as u64);
        to.write_number(WIDTH as u64);
        to.write_number(HIDDEN as u64);
        to.write_number(self.layout.count as u64);
        for row in self.rows.iter().chain([&self.bias]) {
            to.write_shorts(&bytemuck::cast::<_, [i16; WIDTH]>(*row));
        }
        for pair in self
            .second
            .as_flattened()
            .iter()
            .chain(self.last.as_flattened())
        {
            to.write_shorts(&pair.to_array());
        }
        let biases: [i32; HIDDEN] = bytemuck::cast(self.second_bias);
        biases
            .iter()
            .for_each(|&bias| to.write_number(i64::from(bias) as u64));
        to.write_number(self.cut.into());
        to.write_floats(&self.last_bias);
        to.write_floats(&[self.last_scale]);
    }

    /// Reads the format of [`Self::write`].
    pub(super) fn read(from: &mut NnueFileReader<'_>) -> Result<Self, NnueFileError> {
        let players = from.read_shape()?;
        let layout = FeatureLayout::for_players(players);
        let mut rows = Vec::with_capacity(layout.count);
        for _ in 0..layout.count {
            rows.push(bytemuck::cast(from.read_shorts::<WIDTH>()?));
        }
        let bias = bytemuck::cast(from.read_shorts::<WIDTH>()?);
        let mut second = [[WeightPair::ZERO; WIDE_WORDS]; WIDTH / 2];
        let mut last = [[WeightPair::ZERO; OUT_WORDS]; HIDDEN / 2];
        for pair in second
            .as_flattened_mut()
            .iter_mut()
            .chain(last.as_flattened_mut())
        {
            *pair = WeightPair::new(from.read_shorts()?);
        }
        let mut second_bias = [0; HIDDEN];
        for bias in &mut second_bias {
            *bias = from.read_number()? as i64 as i32;
        }
        let cut = from.read_number()?;
        let cut = u32::try_from(cut)
            .ok()
            .filter(|&cut| cut < 32)
            .ok_or(NnueFileError::Damaged)?;
        let mut last_bias = [0.0; MAX_PLAYERS];
        last_bias.copy_from_slice(&from.read_floats(MAX_PLAYERS)?);
        let last_scale = from.read_floats(1)?[0];
        Ok(QuantizedNetwork {
            layout,
            players: usize::from(players),
            rows,
            bias,
            second,
            second_bias: bytemuck::cast(second_bias),
            cut,
            last,
            last_bias,
            last_scale,
        })
    }
}

/// Quantizes weights and interleaves those of each pair of inputs.
fn pack_weights<const PAIRS: usize, const OUT: usize>(
    weight: impl Fn(usize, usize) -> f32,
    scale: f32,
) -> [[WeightPair; OUT]; PAIRS] {
    std::array::from_fn(|pair| {
        std::array::from_fn(|word| {
            let weights: [i16; LANES] = std::array::from_fn(|lane| {
                (weight(2 * pair + lane % 2, WIDE_LANES * word + lane / 2) * scale).round() as i16
            });
            bytemuck::cast(weights)
        })
    })
}

/// Reads one weight from the layout of [`pack_weights`].
fn packed_weight<const N: usize, const M: usize>(
    pairs: &[[WeightPair; N]; M],
    from: usize,
    into: usize,
) -> f32 {
    let lanes = pairs[from / 2][into / WIDE_LANES].to_array();
    f32::from(lanes[2 * (into % WIDE_LANES) + from % 2])
}
