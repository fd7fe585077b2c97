//! The memories of cores: what the accesses of a program cost.

use super::device::{Core, Device, Dma, Dram};

/// One access of a core to its bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access {
    /// The array, by its number in the bank.
    pub array: usize,
    /// The address in the bank, in bytes.
    pub address: u64,
    /// The bytes that are accessed.
    pub bytes: u64,
    /// Whether it is a store.
    pub write: bool,
    /// Whether the array is read at the position of a loop over entries, in order.
    pub streamed: bool,
}

/// Receives the accesses of one core, in order.
pub trait Memory {
    /// Receives one access.
    fn access(&mut self, access: Access);
}

/// A memory that adds up the time of the accesses.
#[derive(Debug, Clone)]
pub(super) enum Timed {
    OpenRow {
        dram: Dram,
        bank: OpenRow,
    },
    Lines {
        dma: Dma,
        cycles: Cycles,
        lines: Vec<Option<Line>>,
    },
}

/// What accesses cost: in cycles of the memory for a BLIMP core, in cycles of the core for UPMEM.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cycles {
    /// The cycles for which the thread that makes the accesses waits.
    pub(super) waited: f64,
    /// The cycles in which no other access is possible.
    pub(super) engine: f64,
}

impl Cycles {
    fn add(&mut self, latency: f64, bytes: u64, dma: &Dma) {
        self.waited += latency + dma.per_byte * bytes as f64;
        self.engine += dma.engine + dma.engine_per_byte * bytes as f64;
    }
}

/// A bank whose accesses follow each other without gaps.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenRow {
    row: Option<u64>,
    /// The cycles so far, and since the activation of the open row.
    cycles: u64,
    since: u64,
}

/// The bytes of an array that the scratchpad holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    start: u64,
    end: u64,
    dirty: bool,
}

impl Timed {
    pub(super) fn new(device: &Device) -> Self {
        match device.core {
            Core::Blimp { dram, .. } => Timed::OpenRow {
                dram,
                bank: OpenRow::default(),
            },
            Core::Upmem { dma, .. } => Timed::Lines {
                dma,
                cycles: Cycles::default(),
                lines: Vec::new(),
            },
        }
    }

    /// Returns the cycles of all accesses so far, with those that write back what the scratchpad holds.
    pub(super) fn cycles(&self) -> Cycles {
        match self {
            Timed::OpenRow { bank, .. } => {
                let all = bank.cycles as f64;
                Cycles {
                    waited: all,
                    engine: all,
                }
            }
            Timed::Lines { dma, cycles, lines } => {
                let mut cycles = *cycles;
                for line in lines.iter().flatten().filter(|line| line.dirty) {
                    cycles.add(dma.write_latency, line.end - line.start, dma);
                }
                cycles
            }
        }
    }
}

impl OpenRow {
    /// Adds an access: a row hit, an activation, or a precharge and an activation.
    fn access(&mut self, dram: &Dram, address: u64) {
        let row = address / dram.row_bytes.max(1);
        let hit = u64::from(dram.column) + u64::from(dram.burst) + u64::from(dram.controller);
        let mut cycles = hit;
        if self.row != Some(row) {
            if self.row.is_some() {
                // A row stays active for a time before it can be closed.
                cycles += u64::from(dram.active).saturating_sub(self.since) + u64::from(dram.precharge);
            }
            cycles += u64::from(dram.activate);
            self.row = Some(row);
            self.since = u64::from(dram.activate) + hit;
        } else {
            self.since = self.since.saturating_add(hit);
        }
        self.cycles = self.cycles.saturating_add(cycles);
    }
}

impl Memory for Timed {
    fn access(&mut self, access: Access) {
        match self {
            Timed::OpenRow { dram, bank } => bank.access(dram, access.address),
            Timed::Lines { dma, cycles, lines } => {
                if lines.len() <= access.array {
                    lines.resize(access.array + 1, None);
                }
                let held = &mut lines[access.array];
                let within = |line: &Line| line.start <= access.address && access.address + access.bytes <= line.end;
                if let Some(line) = held.as_mut().filter(|line| within(line)) {
                    line.dirty |= access.write;
                    return;
                }
                if let Some(line) = held.filter(|line| line.dirty) {
                    cycles.add(dma.write_latency, line.end - line.start, dma);
                }
                let size = if access.streamed { dma.block } else { dma.gather }.max(access.bytes);
                let start = access.address - access.address % dma.gather.max(1);
                *held = Some(Line {
                    start,
                    end: start + size,
                    dirty: access.write,
                });
                cycles.add(dma.read_latency, size, dma);
            }
        }
    }
}
