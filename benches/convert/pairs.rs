//! The conversions that are measured.

use unisparse::formats::{Bcsr, C2sr, Cisr, CisrPlus, Coo, Csb, Csc, Csr, Dcsc, Dcsr, Dia, DiaVariant, Ell, Serpens};
use unisparse::{Error, Limit, Source, SparseTensor, TripletsView};

use crate::harness::conversion::{Problem, Task};
use crate::harness::matrices::{Arrangement, Element, Entries, Recipe};
use crate::harness::measure::{Contestant, Rules, Shot};
use crate::harness::peers::Peers;
use crate::harness::report::Row;
use crate::reference::{self, Layout};

/// The limit on storage: padded formats of unsuitable matrices are refused before they swap. The paper's largest takes half.
const LIMIT: Limit = Limit::bytes(1 << 30);

/// A conversion from one format to another.
pub(crate) struct Pair {
    pub name: &'static str,
    /// Whether it is in the paper's table.
    pub in_paper: bool,
    which: Which,
}

#[derive(Clone, Copy)]
enum Which {
    TripletsCsr(Arrangement),
    CooCsr,
    CooCsrConsumed,
    CsrCsc,
    CsrBcsr,
    CsrDcsrConsumed,
    DcscBcsr,
    CsbDiaVariant,
    CooDia,
    CooEll,
    CooC2sr,
    CooCisr,
    CooCisrPlus,
    CooSerpens,
}

/// All pairs, those of the paper first.
pub(crate) const PAIRS: [Pair; 16] = {
    const fn pair(name: &'static str, in_paper: bool, which: Which) -> Pair {
        Pair { name, in_paper, which }
    }
    [
        pair("csr-csc", true, Which::CsrCsc),
        pair("dcsc-bcsr", true, Which::DcscBcsr),
        pair("csb-diavariant", true, Which::CsbDiaVariant),
        pair("coo-ell", true, Which::CooEll),
        pair("coo-dia", true, Which::CooDia),
        pair("coo-c2sr", true, Which::CooC2sr),
        pair("coo-cisr", true, Which::CooCisr),
        pair("coo-cisrplus", false, Which::CooCisrPlus),
        pair("coo-serpens", false, Which::CooSerpens),
        pair("coo-csr-shuffled", false, Which::TripletsCsr(Arrangement::Shuffled)),
        pair("coo-csr-columns", false, Which::TripletsCsr(Arrangement::Columns)),
        pair("coo-csr-rows", false, Which::TripletsCsr(Arrangement::Rows)),
        pair("coo-csr", false, Which::CooCsr),
        pair("coo-csr-consumed", false, Which::CooCsrConsumed),
        pair("csr-bcsr", false, Which::CsrBcsr),
        pair("csr-dcsr-consumed", false, Which::CsrDcsrConsumed),
    ]
};

/// The peers, and how long to measure.
pub(crate) struct Race<'a> {
    pub peers: &'a Peers<'a>,
    pub rules: Rules,
    /// Whether copies of the result are measured, too.
    pub copies: bool,
}

impl Pair {
    /// Measures one row of this pair's table.
    ///
    /// # Errors
    /// The error of our conversion, if it refuses.
    pub(crate) fn run<T: Element>(&self, race: &Race, matrix: &Recipe, entries: &Entries<T>) -> Result<Row, Error> {
        let runner = Runner { race, matrix, entries };
        let coo = || entries.triplets().convert::<Coo<T>>();
        let csr = || entries.triplets().convert::<Csr<T>>();
        let by_rows = || reference::by_rows(entries);
        match self.which {
            Which::TripletsCsr(arrangement) => {
                // Peers read the same arrays.
                let arranged = entries.arranged(arrangement);
                let source = TripletsView::try_new(arranged.shape, [&arranged.rows, &arranged.cols], &arranged.values)?;
                let bytes = source.len() * (size_of::<[u32; 2]>() + size_of::<T>());
                runner.borrowed::<_, Csr<T>>(&source, bytes, by_rows, Some(Task::Compress(arrangement)))
            }
            Which::CooCsr => runner.tensor::<_, Csr<T>>(&coo()?, by_rows, Some(Task::Compress(Arrangement::Rows))),
            Which::CooCsrConsumed => {
                runner.consumed::<_, Csr<T>>(&coo()?, by_rows, Some(Task::Compress(Arrangement::Rows)))
            }
            Which::CsrCsc => {
                runner.tensor::<_, Csc<T>>(&csr()?, || reference::by_columns(entries), Some(Task::Transpose))
            }
            Which::CsrBcsr => {
                runner.tensor::<_, Bcsr<T, 3, 3>>(&csr()?, || reference::blocks(entries, 3), Some(Task::Blocks(3)))
            }
            Which::CsrDcsrConsumed => runner.consumed::<_, Dcsr<T>>(&csr()?, by_rows, None),
            Which::DcscBcsr => {
                let source: Dcsc<T> = entries.triplets().convert()?;
                runner.tensor::<_, Bcsr<T, 4, 4>>(&source, || reference::blocks(entries, 4), None)
            }
            Which::CsbDiaVariant => {
                let source: Csb<T, 64> = entries.triplets().convert()?;
                let along = entries.shape[1];
                runner.tensor::<_, DiaVariant<T>>(&source, || reference::diagonals(entries, along), None)
            }
            Which::CooDia => {
                let along = entries.shape[0];
                let layout = || reference::diagonals(entries, along);
                runner.tensor::<_, Dia<T>>(&coo()?, layout, Some(Task::Diagonals))
            }
            Which::CooEll => runner.tensor::<_, Ell<T>>(&coo()?, || reference::ellpack(entries), Some(Task::Ellpack)),
            Which::CooC2sr => runner.tensor::<_, C2sr<T, 1024>>(&coo()?, || reference::dealt(entries, 1024), None),
            Which::CooCisr => {
                runner.tensor::<_, Cisr<T, 1024>>(&coo()?, || reference::scheduled(entries, 1024, false), None)
            }
            Which::CooCisrPlus => {
                runner.tensor::<_, CisrPlus<T, 1024>>(&coo()?, || reference::scheduled(entries, 1024, true), None)
            }
            Which::CooSerpens => {
                runner.tensor::<_, Serpens<T>>(&coo()?, || reference::serpens(entries, 128, 8192, 10), None)
            }
        }
    }
}

struct Runner<'a, T> {
    race: &'a Race<'a>,
    matrix: &'a Recipe,
    entries: &'a Entries<T>,
}

impl<T: Element> Runner<'_, T> {
    /// A source in some format, which the conversion borrows.
    fn tensor<S: SparseTensor<2, Scalar = T>, F: SparseTensor<2, Scalar = T>>(
        &self,
        source: &S,
        layout: impl FnOnce() -> Layout,
        task: Option<Task>,
    ) -> Result<Row, Error> {
        self.borrowed::<S, F>(source, SparseTensor::bytes(source), layout, task)
    }

    /// Any source, with its size in bytes.
    fn borrowed<S: Source<2, Scalar = T>, F: SparseTensor<2, Scalar = T>>(
        &self,
        source: &S,
        bytes: usize,
        layout: impl FnOnce() -> Layout,
        task: Option<Task>,
    ) -> Result<Row, Error> {
        let convert = || F::assemble(source, LIMIT);
        let ours = Contestant::ours(F::NAME, move |shot: Shot| shot.time(convert));
        self.race(&convert()?, bytes, layout, ours, task)
    }

    /// A source that the conversion consumes: each run gets its own copy.
    fn consumed<S: SparseTensor<2, Scalar = T> + Clone, F: SparseTensor<2, Scalar = T>>(
        &self,
        source: &S,
        layout: impl FnOnce() -> Layout,
        task: Option<Task>,
    ) -> Result<Row, Error> {
        let ours = Contestant::ours(F::NAME, |shot: Shot| {
            let own = source.clone();
            shot.once(|| own.convert_into_within::<F>(LIMIT))
        });
        self.race(
            &source.clone().convert_into_within::<F>(LIMIT)?,
            source.bytes(),
            layout,
            ours,
            task,
        )
    }

    fn race<F: SparseTensor<2, Scalar = T>>(
        &self,
        result: &F,
        source_bytes: usize,
        layout: impl FnOnce() -> Layout,
        ours: Contestant,
        task: Option<Task>,
    ) -> Result<Row, Error> {
        let bytes = result.bytes();
        if let Err(difference) = reference::check(result, self.entries, &layout()) {
            panic!("{} of {}: {difference}", F::NAME, self.matrix.name);
        }
        let problem = task.map(|task| Problem::new(task, self.entries));
        let mut contestants = vec![ours.of_bytes(source_bytes + bytes)];
        if self.race.copies {
            contestants.extend(copies(bytes));
        }
        if let Some(problem) = &problem {
            contestants.extend(self.race.peers.convert(problem));
        }
        let subject = self.matrix.subject(self.entries.len(), 0.0);
        Ok(Row::measured(subject, contestants, self.race.rules))
    }
}

/// Larger than the caches.
const WARM: usize = 64 << 20;

/// Returns a `clone` of this many bytes, and a copy between memory in use.
fn copies(bytes: usize) -> [Contestant<'static>; 2] {
    let output = vec![0x5au8; bytes];
    let (warm, mut to) = (vec![0x5au8; WARM], vec![0u8; WARM]);
    [
        Contestant::new("fresh copy", move |shot| shot.once(|| output.clone())),
        Contestant::new("copy", move |shot| shot.once(|| to.copy_from_slice(&warm))).of_bytes(2 * WARM),
    ]
}
