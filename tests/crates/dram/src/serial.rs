//! DRAMsim3 with one bank, and one access after another.

use std::cell::Cell;
use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

use dramsim3::MemorySystem;
use unisparse::pim::Dram;

/// A configuration of DRAMsim3.
pub(crate) struct Serial {
    folder: PathBuf,
    /// Cycles from a read to its end, without those of the memory's timings.
    pub(crate) controller: u32,
}

impl Serial {
    /// Writes the configuration of one bank with these timings, and measures one read.
    pub(crate) fn new(dram: Dram) -> Result<Self, Box<dyn Error>> {
        let folder = std::env::temp_dir().join(format!("dram-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("bank.ini"), configuration(&dram))?;
        let mut memory = Serial { folder, controller: 0 };
        let read = memory.cycles([(0, false)])?;
        let timings = u64::from(dram.activate + dram.column + dram.burst);
        memory.controller = u32::try_from(
            read.checked_sub(timings)
                .ok_or("a read that is faster than its timings")?,
        )?;
        Ok(memory)
    }

    /// Returns the cycles of these accesses, addresses in bytes and whether they write, each issued when the one before is done.
    pub(crate) fn cycles(&self, accesses: impl IntoIterator<Item = (u64, bool)>) -> Result<u64, Box<dyn Error>> {
        let mut system = MemorySystem::new(self.folder.join("bank.ini"), &self.folder)
            .map_err(|error| format!("DRAMsim3 does not start: {error:?}"))?;
        let mut cycles = 0;
        let done = Cell::new(true);
        for (address, write) in accesses {
            while !system.can_add(address, write) {
                system.tick(|_, _| ());
                cycles += 1;
            }
            done.set(false);
            system.add(address, write);
            while !done.get() {
                system.tick(|_, _| done.set(true));
                cycles += 1;
            }
        }
        Ok(cycles)
    }
}

impl Drop for Serial {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns the text of a configuration. What [`Dram`] does not have is that of DDR3-1333 with 1 Gb, of DRAMsim3's own configurations.
fn configuration(dram: &Dram) -> String {
    const BANK_BYTES: u64 = 32 << 20;
    let word = 8;
    let mut text = String::new();
    let mut section = |name: &str, entries: &[(&str, u64)]| {
        let _ = writeln!(text, "[{name}]");
        for (key, value) in entries {
            let _ = writeln!(text, "{key} = {value}");
        }
    };
    section(
        "timing",
        &[
            ("AL", 0),
            ("CL", dram.column.into()),
            ("CWL", 7),
            ("tRCD", dram.activate.into()),
            ("tRP", dram.precharge.into()),
            ("tRAS", dram.active.into()),
            ("tRFC", 74),
            ("tREFI", 5200),
            ("tRPRE", 1),
            ("tWPRE", 1),
            ("tRRD_S", 4),
            ("tWTR_S", 5),
            ("tFAW", 20),
            ("tWR", 10),
            ("tCCD_S", dram.burst.into()),
            ("tRTP", 5),
            ("tCKE", 4),
            ("tCKESR", 1),
            ("tXS", 81),
            ("tXP", 5),
            ("tRTRS", 1),
        ],
    );
    section(
        "dram_structure",
        &[
            ("bankgroups", 1),
            ("banks_per_group", 1),
            ("rows", BANK_BYTES / dram.row_bytes),
            ("columns", dram.row_bytes / word),
            ("device_width", 8),
            ("BL", 2 * u64::from(dram.burst)),
        ],
    );
    section(
        "system",
        &[
            ("channel_size", BANK_BYTES >> 20),
            ("channels", 1),
            ("bus_width", 8 * word),
            ("trans_queue_size", 32),
            ("cmd_queue_size", 8),
        ],
    );
    let _ = write!(
        text,
        "address_mapping = rochrababgco\nqueue_structure = PER_BANK\nrow_buf_policy = OPEN_PAGE\n\
         [dram_structure]\nprotocol = DDR3\n[timing]\ntCK = {}\n[other]\nepoch_period = 1000000000\noutput_level = 0\n",
        dram.cycle * 1e9
    );
    text
}
