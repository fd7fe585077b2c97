//! A model of the cycles that a product takes.

use core::fmt;

use super::Parameters;
use super::layout::Layout;
use super::packed::Packed;

/// The modelled cycles of one product `y = alpha A x + beta y`. Nothing of it is measured on hardware.
///
/// The loops of a channel run one after another, all channels at once; the terms are their iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycles {
    /// Setting the sums to zero: one memory word of every lane in a cycle.
    pub clear: u64,
    /// Loading `x`: one block in a cycle, for each window.
    pub load: u64,
    /// Slots of the channel with the most, for each window, times the interval.
    pub compute: u64,
    /// Cycles in which slots wait for memory, whose bandwidth is less than a slot in each interval.
    pub memory: u64,
    /// Passing the sums on: one memory word of each channel in a cycle.
    pub drain: u64,
    /// Cycles in which the channels wait for the port of `y`, which takes one block in a cycle.
    pub wait: u64,
    /// Filling and emptying the pipelines of the loops, `fill` cycles for each.
    pub fill: u64,
    /// The cycles from one slot to the next: those of an addition over the distance, rounded up.
    pub interval: u64,
    /// The share of the words that are filler.
    pub padding: f64,
    /// The products.
    pub elements: u64,
    /// Cycles in a second.
    pub frequency: f64,
}

impl Cycles {
    pub(super) fn of(packed: &Packed, layout: &Layout, parameters: &Parameters) -> Self {
        let interval = layout.interval(parameters.addition);
        let (lanes, block) = (layout.count_lanes(), parameters.block);
        let bytes_in_cycle = parameters.bandwidth / parameters.frequency;
        let (mut load, mut compute, mut memory) = (0, 0, 0);
        for (slots, columns) in packed.windows().zip(&packed.columns) {
            let slots = slots.iter().copied().max().unwrap_or(0);
            let iterations = slots as u64 * interval;
            let bytes = (slots * lanes * layout.width()) as f64;
            load += columns.len().div_ceil(block) as u64;
            compute += iterations;
            memory += ((bytes / bytes_in_cycle).ceil() as u64).saturating_sub(iterations);
        }
        let steps = packed.steps as u64;
        Cycles {
            clear: packed.steps.div_ceil(lanes) as u64,
            load,
            compute,
            memory,
            drain: steps,
            wait: steps * (groups(layout, block) as u64 - 1),
            fill: parameters.fill * (2 + 2 * packed.columns.len() as u64),
            interval,
            padding: packed.padding(),
            elements: packed.elements() as u64,
            frequency: parameters.frequency,
        }
    }

    /// Returns the sum of all terms.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.clear + self.load + self.compute + self.memory + self.drain + self.wait + self.fill
    }

    /// Returns the modelled seconds.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.total() as f64 / self.frequency
    }

    /// Returns the modelled billions of operations in a second: a product and an addition for each element. 0 without any cycles.
    #[must_use]
    pub fn gflops(&self) -> f64 {
        match self.total() {
            0 => 0.0,
            _ => 2e-9 * self.elements as f64 / self.seconds(),
        }
    }
}

/// Returns the number of channels whose memory words make a block of `y`.
pub(super) fn channels_in_block(layout: &Layout, block: usize) -> usize {
    let (channels, most) = (layout.count_channels(), (block / layout.count_places()).max(1));
    (1..=most.min(channels))
        .rev()
        .find(|count| channels % count == 0)
        .unwrap_or(1)
}

/// Returns the blocks of `y` in each step.
pub(super) fn groups(layout: &Layout, block: usize) -> usize {
    layout.count_channels() / channels_in_block(layout, block)
}

impl fmt::Display for Cycles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms = [
            (self.clear, "clear: sums set to zero"),
            (self.load, "load: blocks of x"),
            (self.compute, "compute: slots times the interval"),
            (self.memory, "memory: slots that wait for memory"),
            (self.drain, "drain: sums passed on"),
            (self.wait, "wait: sums that wait for the port of y"),
            (self.fill, "fill: pipelines filled and emptied"),
            (self.total(), "in total, modelled"),
        ];
        for (cycles, name) in terms {
            writeln!(f, "{cycles:>12}  {name}")?;
        }
        writeln!(f, "{:>12}  interval from slot to slot, in cycles", self.interval)?;
        writeln!(f, "{:>11.1}%  padding: words that are filler", 100.0 * self.padding)?;
        write!(
            f,
            "{:>12.3}  GFLOP/s at {:.0} MHz, modelled",
            self.gflops(),
            1e-6 * self.frequency
        )
    }
}
