//! Accelerators that stream a sparse matrix from several channels of memory, derived from the declaration of its format.

mod check;
mod cycles;
mod digits;
mod host;
mod kernel;
mod layout;
mod packed;
mod parameters;
mod simulate;
mod table;
mod violation;

use core::fmt;
use core::marker::PhantomData;

use self::kernel::Kernel;
use self::layout::Layout;
use self::simulate::{Dense, simulate};
use super::element::Element;
use super::project::Project;
use crate::element::Bits;
use crate::error::Error;
use crate::source::Source;
use crate::tensor::SparseTensor;
use crate::words::WordParts;
pub use cycles::Cycles;
pub use packed::Packed;
pub use parameters::Parameters;
pub use violation::{Violation, WordPosition};

/// The accelerator of a format with `partition` and `word`: `y = alpha A x + beta y`.
///
/// What it is follows from the declaration, whatever the name of the format (docs/HLS.md has the rules): channels are the levels
/// down to that of `partition`; windows are the levels of columns above the slots; slots are a level that a query numbers; lanes
/// are the levels of rows below them; the fields of a word are a row and a column on the chip; the key of the slots is the address
/// of a memory word, and elements with one address are the `distance` of the slots apart.
pub struct Design<F> {
    layout: Layout,
    parameters: Parameters,
    format: PhantomData<fn() -> F>,
}

impl<F> Design<F>
where
    F: WordParts<2> + SparseTensor<2, Scalar: Element + Bits>,
{
    /// Derives the design.
    ///
    /// # Errors
    /// `Structure` for a format that has no such design, with what its declaration lacks. `Limit` for parameters that are zero, and
    /// for windows that are longer than `x` on the chip.
    pub fn new(parameters: Parameters) -> Result<Self, Error> {
        let layout = Layout::of::<F>()?;
        parameters.check(layout.columns.fixed())?;
        Ok(Design {
            layout,
            parameters,
            format: PhantomData,
        })
    }

    /// Packs a matrix into streams of words, and fills the windows of all channels up to the longest. `O(stored + rows + columns)`.
    ///
    /// # Errors
    /// `Limit` for a matrix that does not fit on the chip, or whose streams take more bytes than `limit` of the parameters allows. `Overflow` for a coordinate that does not fit its field.
    /// `Structure` for an element whose word is the filler, and for rows that lie in several lanes.
    pub fn pack(&self, a: &F) -> Result<Packed, Error> {
        packed::pack(a, (a.shape(), a.nnz()), &self.layout, &self.parameters)
    }

    /// Checks a stream against the matrix from its words alone, whoever packed it. `O(words + elements)`.
    ///
    /// # Errors
    /// The first violation: a packing of another design, or one of lengths, fields, windows, the distance between additions, the
    /// elements, or the places of rows and columns.
    pub fn check(&self, packed: &Packed, matrix: &impl Source<2, Scalar = F::Scalar>) -> Result<(), Violation> {
        check::check::<F, _>(packed, &self.layout, &self.parameters, matrix)
    }

    /// Returns `alpha A x + beta y`, bit for bit as the hardware computes it: products are rounded, and added in the order of slots.
    ///
    /// # Errors
    /// `Shape` for an operand of another length, `Length` for a channel with another number of words than its windows have, `Structure`
    /// for a packing of another design and for a word that leads outside of the chip.
    pub fn simulate(
        &self,
        packed: &Packed,
        x: &[F::Scalar],
        y: &[F::Scalar],
        [alpha, beta]: [F::Scalar; 2],
    ) -> Result<Vec<F::Scalar>, Error> {
        self.check_packed(packed)?;
        let dense = Dense::new(packed, self.parameters.block, x, y)?;
        let sums = simulate(packed, &self.layout, &dense, [alpha, beta])?;
        Ok(Dense::in_rows(packed, &sums))
    }

    /// Returns the modelled cycles of one product.
    #[must_use]
    pub fn cycles(&self, packed: &Packed) -> Cycles {
        Cycles::of(packed, &self.layout, &self.parameters)
    }

    /// Returns the design as C++ with the data of one product, for a C++ compiler and the vendor's tools.
    ///
    /// # Errors
    /// As [`simulate`](Design::simulate), and `Limit` if the buffers of all channels, filled up to a multiple, take more bytes than
    /// `limit` of the parameters allows.
    pub fn project(
        &self,
        packed: &Packed,
        x: &[F::Scalar],
        y: &[F::Scalar],
        [alpha, beta]: [F::Scalar; 2],
    ) -> Result<Project, Error> {
        self.check_packed(packed)?;
        self.check_buffers(packed)?;
        let dense = Dense::new(packed, self.parameters.block, x, y)?;
        let expected = simulate(packed, &self.layout, &dense, [alpha, beta])?;
        let kernel = Kernel {
            layout: &self.layout,
            parameters: &self.parameters,
            packed,
        };
        let report = format!("{}\n", self.cycles(packed));
        let project = kernel
            .project(&dense, [alpha, beta], &expected)
            .with_file("report.txt", report);
        Ok(match host::host(&self.layout, &self.parameters, F::Scalar::TEXT) {
            Some(host) => project.with_file("host_pack.cpp", host),
            None => project,
        })
    }

    /// Checks that a packing is one of this design.
    fn check_packed(&self, packed: &Packed) -> Result<(), Error> {
        check::check_words(packed, &self.layout)
            .and_then(|()| check::check_chip(packed, &self.layout, &self.parameters))
            .map_err(|violation| violation.error())
    }

    fn check_buffers(&self, packed: &Packed) -> Result<(), Error> {
        let (width, limit) = (self.layout.width(), self.parameters.limit);
        let multiple = self.parameters.multiple.saturating_mul(width) as u128;
        let buffer = |channel: usize| (packed.streams[channel].len() as u128).next_multiple_of(multiple);
        let bytes = (0..packed.channels()).map(buffer).sum();
        packed::check_bytes(
            "buffers",
            bytes,
            limit.allowed(packed.elements(), width, &packed.shape()),
        )
    }

    /// Returns the number of channels: streams of words, each in a memory of its own.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.layout.count_channels()
    }

    /// Returns the number of lanes: the words that a channel reads in a cycle.
    #[must_use]
    pub fn lanes(&self) -> usize {
        self.layout.count_lanes()
    }

    /// Returns the number of columns in a window, if the declaration fixes it.
    #[must_use]
    pub fn window(&self) -> Option<usize> {
        self.layout.columns.fixed()
    }

    /// Returns the least number of slots between two additions to one memory word: 1 if the format promises none.
    #[must_use]
    pub fn distance(&self) -> usize {
        self.layout.distance
    }

    /// Returns the number of sums in a memory word on the chip.
    #[must_use]
    pub fn sums_in_memory_word(&self) -> usize {
        self.layout.count_places()
    }

    /// Returns the parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

impl<F> fmt::Debug for Design<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Design")
            .field("format", &self.layout.name)
            .field("parameters", &self.parameters)
            .finish_non_exhaustive()
    }
}
