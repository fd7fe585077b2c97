//! The accesses of a core as a trace for DRAMSim2.

use std::io::{self, Write};

use super::memory::{Access, Memory};

/// Writes each access as a line `0xADDRESS P_MEM_RD number` or `0xADDRESS P_MEM_WR number`, the format of the `k6` traces of
/// DRAMSim2, whose file names start with `k6_`. The number is the running number of the access, as in the traces of BLIMP.
#[derive(Debug)]
pub struct Trace<W> {
    into: W,
    count: u64,
    /// The first error of the writer.
    error: Option<io::Error>,
}

impl<W: Write> Trace<W> {
    /// Creates a trace that is written to `into`.
    #[must_use]
    pub fn new(into: W) -> Self {
        Trace {
            into,
            count: 0,
            error: None,
        }
    }

    /// Ends the trace. Returns the number of its lines.
    ///
    /// # Errors
    /// The first error of the writer.
    pub fn finish(mut self) -> io::Result<u64> {
        match self.error.take() {
            Some(error) => Err(error),
            None => self.into.flush().map(|()| self.count),
        }
    }
}

impl<W: Write> Memory for Trace<W> {
    fn access(&mut self, access: Access) {
        if self.error.is_some() {
            return;
        }
        let kind = if access.write { "P_MEM_WR" } else { "P_MEM_RD" };
        self.error = writeln!(self.into, "0x{:X} {kind} {}", access.address, self.count).err();
        self.count += 1;
    }
}
