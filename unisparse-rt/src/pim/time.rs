//! The modelled time of a core: its instructions and its accesses.

use super::device::{Core, Counts, Device, Opcode};
use super::memory::Cycles;
use crate::error::{Error, ErrorKind};

/// The seconds of one core.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// Of its instructions alone.
    pub(super) compute: f64,
    /// Of its accesses alone.
    pub(super) memory: f64,
    /// Of both, which overlap where threads do.
    pub(super) all: f64,
}

impl Times {
    /// Returns the time of these instructions and accesses.
    ///
    /// # Errors
    /// `Structure` if an opcode has no known cost.
    pub(super) fn new(device: &Device, counts: &Counts, accesses: Cycles) -> Result<Self, Error> {
        let cycles = cycles(device, counts)?;
        Ok(match device.core {
            Core::Blimp { hertz, dram } => {
                let (compute, memory) = (cycles / hertz, accesses.waited * dram.cycle);
                Times {
                    compute,
                    memory,
                    all: compute + memory,
                }
            }
            Core::Upmem {
                hertz,
                tasklets,
                revolver,
                conflicts: (of_branch, of_instruction),
                ..
            } => {
                let branches = counts[Opcode::Branch as usize] as f64;
                let all = counts.iter().map(|&count| count as f64).sum::<f64>();
                // The pipeline accepts one instruction each cycle, and the engine moves one transfer after another; a thread
                // waits for its own instructions and transfers, while others go on.
                let issued = cycles + of_branch * branches + of_instruction * all;
                let each = |cycles: f64| cycles / f64::from(tasklets.max(1));
                let (executed, waited) = (revolver * cycles, accesses.waited);
                Times {
                    compute: each(executed).max(issued) / hertz,
                    memory: each(waited).max(accesses.engine) / hertz,
                    all: each(executed + waited).max(issued).max(accesses.engine) / hertz,
                }
            }
        })
    }
}

/// Returns the cycles of these instructions, one after another.
fn cycles(device: &Device, counts: &Counts) -> Result<f64, Error> {
    let mut cycles = 0.0;
    for opcode in Opcode::ALL {
        let count = counts[opcode as usize];
        if count == 0 {
            continue;
        }
        let Some(cost) = device.cycles[opcode as usize] else {
            return Err(Error::new(
                ErrorKind::Structure,
                opcode.name(),
                None,
                "an opcode without a known cost",
                "a cost: give one with `Device::with_cost`",
            ));
        };
        cycles += cost * count as f64;
    }
    Ok(cycles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pim::memory::{Access, Memory, Timed};

    fn upmem(threads: u32) -> Device {
        let mut device = Device::upmem(1);
        if let Core::Upmem { tasklets, .. } = &mut device.core {
            *tasklets = threads;
        }
        device
    }

    fn read(array: usize, address: u64, streamed: bool) -> Access {
        Access {
            array,
            address,
            bytes: 4,
            write: false,
            streamed,
        }
    }

    /// Cycles for each nonzero of the loop of a product with a vector, measured with uPIMulator: coordinates and values in
    /// blocks of 256 bytes, `x` in the scratchpad. The greatest error is 4.9 %, of 8 tasklets.
    #[test]
    fn loops_measured_with_upimulator() {
        const TASKLETS: [u32; 5] = [1, 4, 8, 11, 16];
        const MEASURED: [(u64, [f64; 5]); 2] = [
            (8, [94.8, 23.8, 12.9, 12.3, 12.25]),
            (32, [358.8, 89.8, 46.3, 40.6, 40.75]),
        ];
        const ELEMENTS: u64 = 64 * 100;
        for (instructions, measured) in MEASURED {
            for (tasklets, measured) in TASKLETS.into_iter().zip(measured) {
                let device = upmem(tasklets);
                let mut counts = Counts::default();
                counts[Opcode::Branch as usize] = ELEMENTS;
                counts[Opcode::Add as usize] = (instructions - 1) * ELEMENTS;
                let mut memory = Timed::new(&device);
                for at in 0..ELEMENTS {
                    [0, 1]
                        .into_iter()
                        .for_each(|array| memory.access(read(array, 4 * at, true)));
                }
                let times = Times::new(&device, &counts, memory.cycles()).unwrap();
                let modelled = times.all * 350e6 / ELEMENTS as f64;
                assert!(
                    (modelled / measured - 1.0).abs() < 0.05,
                    "{instructions} instructions, {tasklets} tasklets: {modelled} cycles, measured {measured}"
                );
            }
        }
    }

    /// The engine alone takes what its two constants were derived from, as measured with uPIMulator: 16.3 cycles for each 8 bytes, 571.8 MB/s in transfers of 1 KB.
    #[test]
    fn the_engine_goes_through_the_measurements_that_give_its_constants() {
        for (bytes, expected) in [(8, 16.3), (1024, 1024.0 * 350e6 / 571.8e6)] {
            let mut device = upmem(16);
            if let Core::Upmem { dma, .. } = &mut device.core {
                dma.block = bytes;
            }
            let mut memory = Timed::new(&device);
            (0..100).for_each(|at| memory.access(read(0, bytes * at, true)));
            let times = Times::new(&device, &Counts::default(), memory.cycles()).unwrap();
            let each = times.all * 350e6 / 100.0;
            assert!((each / expected - 1.0).abs() < 0.005, "{bytes} bytes: {each} cycles");
        }
    }
}
