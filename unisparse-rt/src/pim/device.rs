//! Devices as data: cores, instruction costs, memories. Each number has its source beside it.

/// A class of instructions, which the costs of a device are given for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opcode {
    /// A load from memory.
    Load,
    /// A store to memory.
    Store,
    /// An integer addition, subtraction or comparison.
    Add,
    /// A shift by a constant, which makes an offset in bytes of a position.
    Shift,
    /// An integer product.
    Multiply,
    /// An integer quotient or remainder.
    Divide,
    /// A conditional branch.
    Branch,
    /// A copy between registers.
    Move,
    /// A sum of two elements.
    ElementAdd,
    /// A product of two elements.
    ElementMultiply,
    /// A product of two elements, added to a third.
    ElementMultiplyAdd,
}

impl Opcode {
    /// All opcodes, in the order of [`Counts`].
    pub const ALL: [Opcode; 11] = [
        Opcode::Load,
        Opcode::Store,
        Opcode::Add,
        Opcode::Shift,
        Opcode::Multiply,
        Opcode::Divide,
        Opcode::Branch,
        Opcode::Move,
        Opcode::ElementAdd,
        Opcode::ElementMultiply,
        Opcode::ElementMultiplyAdd,
    ];

    /// Returns the name, as in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Opcode::Load => "load",
            Opcode::Store => "store",
            Opcode::Add => "add",
            Opcode::Shift => "shift",
            Opcode::Multiply => "multiply",
            Opcode::Divide => "divide",
            Opcode::Branch => "branch",
            Opcode::Move => "move",
            Opcode::ElementAdd => "element_add",
            Opcode::ElementMultiply => "element_multiply",
            Opcode::ElementMultiplyAdd => "element_multiply_add",
        }
    }
}

/// The number of executed instructions of each opcode, in the order of [`Opcode::ALL`].
pub type Counts = [u64; Opcode::ALL.len()];

/// A device with processing in memory: equal cores, each with a bank of its own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    /// The number of cores.
    pub cores: usize,
    /// The bytes of the memory of one core.
    pub bank_bytes: u64,
    /// The cores.
    pub core: Core,
    /// The cycles of each opcode, in the order of [`Opcode::ALL`]. `None` is a cost for which no source is known; a kernel
    /// that executes such an opcode is an error until [`with_cost`](Device::with_cost) gives a cost.
    pub cycles: [Option<f64>; Opcode::ALL.len()],
}

/// The model of a core and its memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Core {
    /// An in-order scalar core in the bank of a DRAM chip, which waits for each access. Time is the sum of instruction
    /// cycles and memory time, as in the simulator of BLIMP.
    Blimp {
        /// Instruction cycles a second.
        hertz: f64,
        /// The memory.
        dram: Dram,
    },
    /// A DRAM processing unit of UPMEM: threads share a pipeline that accepts an instruction of each every `revolver`
    /// cycles, and move data from the bank by DMA.
    Upmem {
        /// Cycles a second.
        hertz: f64,
        /// Threads of a core, which divide its work evenly: the model does not say how.
        tasklets: u32,
        /// Cycles between two instructions of one thread.
        revolver: f64,
        /// Cycles lost to register-file conflicts for each executed branch, and for each instruction.
        conflicts: (f64, f64),
        /// The memory.
        dma: Dma,
    },
}

/// A bank with one open row. Times are in cycles of its clock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dram {
    /// Seconds in a cycle.
    pub cycle: f64,
    /// The bytes of a row.
    pub row_bytes: u64,
    /// Cycles from the activation of a row to its first read (tRCD).
    pub activate: u32,
    /// Cycles to close a row (tRP).
    pub precharge: u32,
    /// Cycles from the read of an open row to its data (CL).
    pub column: u32,
    /// Cycles in which a burst is transferred (half its length).
    pub burst: u32,
    /// Least cycles between the activation of a row and its precharge (tRAS).
    pub active: u32,
    /// Cycles that the controller adds to each access.
    pub controller: u32,
}

/// Transfers between a bank and the scratchpad of a core. A thread waits `latency + bytes * per_byte` cycles for each, and the
/// engine that moves the data for all threads is taken for `engine + bytes * engine_per_byte`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dma {
    /// Cycles of a read, without its bytes.
    pub read_latency: f64,
    /// Cycles of a write, without its bytes.
    pub write_latency: f64,
    /// Cycles for each byte.
    pub per_byte: f64,
    /// Cycles in which a transfer takes the engine, without its bytes.
    pub engine: f64,
    /// Cycles in which each byte takes the engine.
    pub engine_per_byte: f64,
    /// Bytes that a transfer from an array brings that is read in order.
    pub block: u64,
    /// Bytes that a transfer brings from an array that is read at places out of order.
    pub gather: u64,
}

impl Device {
    /// Returns the device of the UniSparse paper: BLIMP cores.
    ///
    /// From the paper's simulator (Devic et al. 2022; `simulation/README.md` of its repository): 200 MHz, one single-stage
    /// in-order core for each bank of 32 MB, rows of 1 KB, time as the sum of instruction cycles and memory time. **Ours**:
    /// one cycle for each opcode, because its table of cycles is not published; and the timings of the memory, those of
    /// `DDR3_micron_32M_8B_x8_sg15.ini` of DRAMSim2, since the paper does not name a memory.
    #[must_use]
    pub fn blimp(cores: usize) -> Self {
        Device {
            cores,
            bank_bytes: 32 << 20,
            core: Core::Blimp {
                hertz: 200e6,
                dram: Dram {
                    cycle: 1.5e-9,   // tCK, sg15.ini
                    row_bytes: 1024, // BLIMP
                    activate: 10,    // tRCD, sg15.ini
                    precharge: 10,   // tRP, sg15.ini
                    column: 10,      // CL, sg15.ini
                    burst: 4,        // BL / 2, sg15.ini
                    active: 24,      // tRAS, sg15.ini
                    // DRAMSim2 takes 29 cycles for an isolated read (measured): tRCD + CL + BL / 2 are 24 of these. That a row
                    // hit takes the other five, too, is assumed.
                    controller: 5,
                },
            },
            cycles: [Some(1.0); Opcode::ALL.len()],
        }
    }

    /// Returns an UPMEM system at 350 MHz with 16 tasklets per core.
    ///
    /// From measurements of the hardware (Gómez-Luna et al., IEEE Access 2022): 64 MB a bank, transfers of 77 or 61 cycles
    /// and 0.5 for each byte; from SparseP: 8-byte transfers of `x`. From uPIMulator (default values): 11 cycles between
    /// instructions of a thread. The conflicts are the line through two loops measured with uPIMulator: 4.3 cycles an
    /// iteration of 8 instructions, 8.7 of 32; the cycles in which transfers take the engine, the line through two
    /// measurements with it: 16.3 cycles for 8 bytes, 571.8 MB/s in transfers of 1 KB. The costs of products and quotients, and of all element operations, are
    /// unknown: no source that we could read has them.
    #[must_use]
    pub fn upmem(cores: usize) -> Self {
        let mut cycles = [Some(1.0); Opcode::ALL.len()];
        for opcode in Opcode::ALL {
            let unknown = matches!(
                opcode,
                Opcode::Multiply
                    | Opcode::Divide
                    | Opcode::ElementAdd
                    | Opcode::ElementMultiply
                    | Opcode::ElementMultiplyAdd
            );
            if unknown {
                cycles[opcode as usize] = None;
            }
        }
        let per_instruction = (8.7 - 4.3) / (32.0 - 8.0);
        let hertz = 350e6;
        // 16.3 cycles for 8 bytes, 571.8 MB/s in transfers of 1 KB.
        let (of_word, of_block) = (16.3, 1024.0 * hertz / 571.8e6);
        let engine_per_byte = (of_block - of_word) / (1024.0 - 8.0);
        Device {
            cores,
            bank_bytes: 64 << 20,
            core: Core::Upmem {
                hertz,
                tasklets: 16,
                revolver: 11.0,
                conflicts: (4.3 - 8.0 * per_instruction, per_instruction),
                dma: Dma {
                    read_latency: 77.0,
                    write_latency: 61.0,
                    per_byte: 0.5,
                    engine: of_word - 8.0 * engine_per_byte,
                    engine_per_byte,
                    block: 256, // the block of the loops measured with uPIMulator
                    gather: 8,  // SparseP
                },
            },
            cycles,
        }
    }

    /// Sets the cycles of an opcode.
    #[must_use]
    pub fn with_cost(mut self, opcode: Opcode, cycles: f64) -> Self {
        self.cycles[opcode as usize] = Some(cycles);
        self
    }

    /// Returns the floating-point operations a second that all cores reach if they do nothing else.
    #[must_use]
    pub fn peak_flops(&self) -> f64 {
        let (Core::Blimp { hertz, .. } | Core::Upmem { hertz, .. }) = self.core;
        let cycles = self.cycles[Opcode::ElementMultiplyAdd as usize].unwrap_or(f64::INFINITY);
        self.cores as f64 * 2.0 * hertz / cycles
    }

    /// Returns the bytes a second that all cores can read: words of 8 bytes from open rows, or transfers of 2048 bytes.
    #[must_use]
    pub fn bandwidth(&self) -> f64 {
        let of_core = match self.core {
            Core::Blimp { dram, .. } => {
                let hit = [dram.column, dram.burst, dram.controller].map(f64::from);
                8.0 / (hit.iter().sum::<f64>() * dram.cycle)
            }
            Core::Upmem {
                hertz, tasklets, dma, ..
            } => {
                let waited = (dma.read_latency + 2048.0 * dma.per_byte) / f64::from(tasklets.max(1));
                2048.0 * hertz / waited.max(dma.engine + 2048.0 * dma.engine_per_byte)
            }
        };
        self.cores as f64 * of_core
    }
}
