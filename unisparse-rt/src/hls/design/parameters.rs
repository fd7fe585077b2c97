//! What a design has that its format does not determine.

use crate::error::{Error, ErrorKind};
use crate::limit::Limit;

/// What a design has that the declaration of its format does not determine. By default as Serpens on an Alveo U280.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameters {
    /// The memory words of sums in each lane.
    pub addresses: usize,
    /// The elements of `x` on the chip, in each channel: the longest window.
    pub columns: usize,
    /// The depth of the streams between tasks.
    pub depth: usize,
    /// The elements of `x` and `y` that a port passes in a cycle.
    pub block: usize,
    /// The words of a channel's buffer are a multiple of this number; the last ones are zeros that nothing reads.
    pub multiple: usize,
    /// The cycles of an addition, with reading and writing the sum.
    pub addition: u64,
    /// The cycles that the pipeline of a loop takes to fill and to empty. It is known after synthesis; 0 leaves it out of the model.
    pub fill: u64,
    /// Cycles in a second.
    pub frequency: f64,
    /// Bytes in a second from the memory of a channel. Infinite: the memory is never waited for.
    pub bandwidth: f64,
    /// The bytes that the streams of a matrix may take, and the tables of its rows and columns.
    pub limit: Limit,
}

/// The maximum of each count. Sums of products of two such counts are far from overflow.
const MOST: u64 = 1 << 30;

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            // The depth of an UltraRAM column for 16 channels, the window, the FIFOs and the distance in the sources of Serpens.
            addresses: 12_288,
            columns: 8192,
            depth: 2,
            block: 16,
            multiple: 512,
            addition: 10,
            fill: 0,
            // The clock of the bitstream with 16 channels that its authors give.
            frequency: 282e6,
            // 460 GB/s over 32 channels, from the data sheet of the U280.
            bandwidth: 460e9 / 32.0,
            limit: Limit::default(),
        }
    }
}

impl Parameters {
    /// Checks the numbers, given the length of windows, if the format fixes it.
    pub(super) fn check(&self, window: Option<usize>) -> Result<(), Error> {
        let error = |name: &str, found: String, expected: String| {
            Err(Error::new(
                ErrorKind::Limit,
                format!("parameter `{name}`"),
                None,
                found,
                expected,
            ))
        };
        for (name, number) in [
            ("addresses", self.addresses as u64),
            ("columns", self.columns as u64),
            ("depth", self.depth as u64),
            ("block", self.block as u64),
            ("multiple", self.multiple as u64),
            ("addition", self.addition),
        ] {
            if number == 0 || number > MOST {
                let expected = match name {
                    "depth" => "1 to 2^30: a stream without a place can pass nothing",
                    _ => "1 to 2^30",
                };
                return error(name, number.to_string(), expected.to_owned());
            }
        }
        if self.fill > MOST {
            return error("fill", self.fill.to_string(), "0 to 2^30".to_owned());
        }
        if !self.frequency.is_finite() || self.frequency <= 0.0 {
            let expected = "a positive, finite number".to_owned();
            return error("frequency", self.frequency.to_string(), expected);
        }
        if self.bandwidth.is_nan() || self.bandwidth <= 0.0 {
            return error("bandwidth", self.bandwidth.to_string(), "a positive number".to_owned());
        }
        match window.filter(|&window| window > self.columns) {
            Some(window) => error(
                "columns",
                self.columns.to_string(),
                format!("at least {window}, the columns of a window"),
            ),
            None => Ok(()),
        }
    }
}
