//! What a run took: of each core, and of all.

use std::fmt::{self, Write};

use super::device::{Core, Counts, Device, Opcode};

/// The work and the modelled time of one core.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoreReport {
    /// The number of the core.
    pub core: usize,
    /// The number of parts that it holds.
    pub parts: usize,
    /// The elements of these parts: nonzeros.
    pub elements: u64,
    /// The elements of the output that it wrote, rows in a product with a vector.
    pub outputs: u64,
    /// The instructions that it executed, by opcode.
    pub instructions: Counts,
    /// The bytes that its loads read.
    pub read_bytes: u64,
    /// The bytes that its stores wrote.
    pub written_bytes: u64,
    /// The bytes of its bank that arrays take.
    pub bank_bytes: u64,
    /// The modelled time of its instructions alone.
    pub compute_seconds: f64,
    /// The modelled time of its accesses alone.
    pub memory_seconds: f64,
    /// The modelled time of both: their sum on a BLIMP core; on an UPMEM core threads overlap them.
    pub seconds: f64,
}

impl CoreReport {
    /// Returns the operations on elements: a product that is added counts as two.
    #[must_use]
    pub fn flops(&self) -> u64 {
        let of = |opcode: Opcode| self.instructions[opcode as usize];
        of(Opcode::ElementAdd) + of(Opcode::ElementMultiply) + 2 * of(Opcode::ElementMultiplyAdd)
    }
}

/// The report of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The statement of the kernel.
    pub kernel: String,
    /// The format.
    pub format: String,
    /// The device.
    pub device: Device,
    /// The cores that hold parts; the others of the device are idle.
    pub cores: Vec<CoreReport>,
    /// The additions of the host: how often a core wrote an element of the output that a core before it wrote, too. Zero if each
    /// element has one owner.
    pub shared: u64,
}

/// A point below the roofs of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roofline {
    /// Operations on elements for each byte that is read or written.
    pub intensity: f64,
    /// Operations a second, in the modelled time.
    pub flops: f64,
    /// The greatest number of operations a second.
    pub peak: f64,
    /// The greatest number of bytes a second.
    pub bandwidth: f64,
}

impl Roofline {
    /// Returns the operations a second that the roofs allow at this intensity.
    #[must_use]
    pub fn roof(&self) -> f64 {
        self.peak.min(self.bandwidth * self.intensity)
    }
}

/// Returns the least possible greatest number of elements of a core, if the elements of each of `groups` stay on one core.
/// Without groups, elements can be anywhere.
#[must_use]
pub fn lower_bound(elements: u64, cores: usize, groups: impl IntoIterator<Item = u64>) -> u64 {
    let mean = elements.div_ceil(cores.max(1) as u64);
    groups.into_iter().fold(mean, u64::max)
}

impl Report {
    /// Returns the number of elements of each core.
    #[must_use]
    pub fn loads(&self) -> Vec<u64> {
        self.cores.iter().map(|core| core.elements).collect()
    }

    /// Returns the number of elements of all cores.
    #[must_use]
    pub fn elements(&self) -> u64 {
        self.cores.iter().map(|core| core.elements).sum()
    }

    /// Returns the greatest number of elements of a core.
    #[must_use]
    pub fn greatest_load(&self) -> u64 {
        self.cores.iter().map(|core| core.elements).max().unwrap_or(0)
    }

    /// Returns the greatest number of elements of a core over the mean of all cores of the device, idle ones included. 1 is
    /// even. Without elements, 1.
    #[must_use]
    pub fn imbalance(&self) -> f64 {
        self.of_mean(self.greatest_load())
    }

    /// Returns the number of elements that 99 % of the cores do not exceed, over the mean.
    #[must_use]
    pub fn imbalance_99(&self) -> f64 {
        let mut loads = self.loads();
        loads.sort_unstable();
        // Cores without parts are not listed. They come first, and the others are `loads`.
        let idle = self.device.cores.saturating_sub(loads.len()) as u128;
        let within = (self.device.cores as u128 * 99).div_ceil(100);
        let at = within.checked_sub(idle + 1).and_then(|at| usize::try_from(at).ok());
        self.of_mean(at.and_then(|at| loads.get(at)).copied().unwrap_or(0))
    }

    fn of_mean(&self, load: u64) -> f64 {
        match self.elements() {
            0 => 1.0,
            elements => load as f64 * self.device.cores as f64 / elements as f64,
        }
    }

    /// Returns the modelled time of the slowest core, which is that of the device. Transfers from and to the host, and its
    /// [`shared`](Report::shared) additions, are left out, as in the paper.
    #[must_use]
    pub fn makespan(&self) -> f64 {
        self.cores.iter().map(|core| core.seconds).fold(0.0, f64::max)
    }

    /// Returns the instructions of all cores, by opcode.
    #[must_use]
    pub fn instructions(&self) -> Counts {
        let mut all = Counts::default();
        for core in &self.cores {
            all.iter_mut()
                .zip(core.instructions)
                .for_each(|(sum, count)| *sum += count);
        }
        all
    }

    /// Returns the point of the run below the roofs of its device.
    #[must_use]
    pub fn roofline(&self) -> Roofline {
        let flops = self.cores.iter().map(CoreReport::flops).sum::<u64>() as f64;
        let bytes = self
            .cores
            .iter()
            .map(|core| core.read_bytes + core.written_bytes)
            .sum::<u64>() as f64;
        let ratio = |above: f64, below: f64| if below > 0.0 { above / below } else { 0.0 };
        Roofline {
            intensity: ratio(flops, bytes),
            flops: ratio(flops, self.makespan()),
            peak: self.device.peak_flops(),
            bandwidth: self.device.bandwidth(),
        }
    }

    /// Returns a table with a line for each core, as comma-separated values.
    #[must_use]
    pub fn csv(&self) -> String {
        let opcodes: Vec<&str> = Opcode::ALL.iter().map(|opcode| opcode.name()).collect();
        let mut text = format!(
            "core,parts,elements,outputs,read_bytes,written_bytes,bank_bytes,compute_seconds,memory_seconds,seconds,{}\n",
            opcodes.join(",")
        );
        for core in &self.cores {
            let counts: Vec<String> = core.instructions.iter().map(u64::to_string).collect();
            let _ = writeln!(
                text,
                "{},{},{},{},{},{},{},{:e},{:e},{:e},{}",
                core.core,
                core.parts,
                core.elements,
                core.outputs,
                core.read_bytes,
                core.written_bytes,
                core.bank_bytes,
                core.compute_seconds,
                core.memory_seconds,
                core.seconds,
                counts.join(",")
            );
        }
        text
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let model = match self.device.core {
            Core::Blimp { .. } => "BLIMP",
            Core::Upmem { .. } => "UPMEM",
        };
        let Report { kernel, format, .. } = self;
        writeln!(
            f,
            "{kernel} over {format} on {} {model} cores (modelled)",
            self.device.cores
        )?;
        let outputs: u64 = self.cores.iter().map(|core| core.outputs).sum();
        writeln!(
            f,
            "  elements      {} in all, {} at most on a core",
            self.elements(),
            self.greatest_load()
        )?;
        writeln!(
            f,
            "  imbalance     {:.3} at most, {:.3} for 99 % of the cores",
            self.imbalance(),
            self.imbalance_99()
        )?;
        writeln!(
            f,
            "  outputs       {outputs} written by cores, {} added by the host",
            self.shared
        )?;
        let slowest = self.cores.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        if let Some(core) = slowest {
            writeln!(
                f,
                "  makespan      {:.3} us: core {}, {:.3} us of instructions and {:.3} us of memory",
                1e6 * core.seconds,
                core.core,
                1e6 * core.compute_seconds,
                1e6 * core.memory_seconds
            )?;
        }
        for (opcode, count) in Opcode::ALL
            .iter()
            .zip(self.instructions())
            .filter(|(_, count)| *count > 0)
        {
            writeln!(f, "  {:<22}{count}", opcode.name())?;
        }
        let roofline = self.roofline();
        writeln!(
            f,
            "  roofline      {:.3} flop/B, {:.3} GFLOP/s of {:.3} below the roofs",
            roofline.intensity,
            1e-9 * roofline.flops,
            1e-9 * roofline.roof()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(cores: usize, loads: &[u64]) -> Report {
        let core = |(core, &elements): (usize, &u64)| CoreReport {
            core,
            parts: 1,
            elements,
            outputs: 0,
            instructions: Counts::default(),
            read_bytes: 0,
            written_bytes: 0,
            bank_bytes: 0,
            compute_seconds: 0.0,
            memory_seconds: 0.0,
            seconds: 0.0,
        };
        Report {
            kernel: String::new(),
            format: String::new(),
            device: Device::blimp(cores),
            cores: loads.iter().enumerate().map(core).collect(),
            shared: 0,
        }
    }

    #[test]
    fn the_load_that_99_of_100_cores_do_not_exceed() {
        // (cores, loads, the load of the core at 99 %)
        let hundred: Vec<u64> = (1..=100).rev().collect();
        let cases: [(usize, &[u64], u64); 7] = [
            (100, &hundred, 99),
            (200, &hundred, 98), // the first hundred are idle: the 198th is the 98th of the others
            (4, &[5, 1, 3, 2], 5),
            (100, &[7], 0),
            (100, &[7, 8], 7),
            (50, &[7], 7), // 49.5 cores are 50
            (1, &[], 0),
        ];
        for (cores, loads, expected) in cases {
            let report = report(cores, loads);
            let sum: u64 = loads.iter().sum();
            let expected = if sum == 0 {
                1.0
            } else {
                (expected * cores as u64) as f64 / sum as f64
            };
            assert!((report.imbalance_99() - expected).abs() < 1e-12, "{cores} {loads:?}");
        }
    }

    #[test]
    fn idle_cores_take_no_memory() {
        assert_eq!(report(usize::MAX, &[1, 2]).imbalance_99(), 0.0);
    }
}
