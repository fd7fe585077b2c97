//! Where the elements of a matrix are, as a picture.

use core::fmt::{self, Debug, Display, Formatter, Write as _};

use crate::array::First;
use crate::source::Source;

/// Maximum numbers of rows and of columns of cells in the text: a Braille letter is four cells high and two wide.
const TEXT: [usize; 2] = [4 * 40, 2 * 80];
/// Maximum number of cells of the SVG in each direction.
const CELLS: usize = 256;
/// Width of the greater side of the SVG, in pixels.
const PIXELS: usize = 512;

/// Where the elements of a matrix are. It [displays](Display) as Braille letters, each dot a cell of the matrix, and as an
/// [SVG](Spy::svg). In a large matrix, a cell stands for several rows and columns.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Spy, Triplets};
/// let diagonal = Triplets::try_from_triplets([4, 4], (0..4).map(|i| ([i, i], 1.0)))?;
/// assert_eq!(Spy::of(&diagonal).to_string(), "⠑⢄");
/// # Ok::<(), unisparse::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Spy {
    shape: [usize; 2],
    /// Number of rows and columns of cells.
    cells: [usize; 2],
    /// Number of elements in each cell, row by row.
    counts: Vec<u64>,
}

impl Spy {
    /// Counts the elements of a matrix in at most 256 x 256 cells. `O(nnz)`.
    pub fn of<S: Source<2>>(matrix: &S) -> Self {
        let shape = matrix.shape();
        let cells = shape.map(|extent| extent.min(CELLS));
        let mut counts = vec![0; cells[0] * cells[1]];
        matrix.for_each(|at, _| {
            let [row, column] = [0, 1].map(|dim| cell(at[dim], shape[dim], cells[dim]));
            if let Some(count) = counts.get_mut(row * cells[1] + column) {
                *count += 1;
            }
        });
        Spy { shape, cells, counts }
    }

    /// Returns the picture as an SVG: a cell is the darker, the greater the share of its coordinates that are stored.
    #[must_use]
    pub fn svg(&self) -> String {
        let ([rows, columns], [height, width]) = (self.cells, self.pixels());
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {columns} {rows}\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\">\n\
             <title>{} x {}, {} elements</title>\n\
             <rect width=\"{columns}\" height=\"{rows}\" fill=\"#fff\" stroke=\"#888\" vector-effect=\"non-scaling-stroke\"/>\n",
            self.shape[0],
            self.shape[1],
            self.counts.iter().sum::<u64>(),
        );
        for (row, counts) in self.counts.chunks(columns.max(1)).enumerate() {
            let mut column = 0;
            // Neighbouring cells of one shade are one rectangle.
            for run in counts.chunk_by(|left, right| self.shade(*left) == self.shade(*right)) {
                if run[0] > 0 {
                    let shade = self.shade(run[0]);
                    let _ = writeln!(
                        svg,
                        "<rect x=\"{column}\" y=\"{row}\" width=\"{}\" height=\"1\" fill-opacity=\".{shade}\"/>",
                        run.len(),
                    );
                }
                column += run.len();
            }
        }
        svg + "</svg>\n"
    }

    /// Returns the opacity of a cell with this many elements, from 30 to 99 percent: the square root of the share of its
    /// coordinates that are stored.
    fn shade(&self, count: u64) -> u64 {
        let area: f64 = (0..2)
            .map(|dim| self.shape[dim] as f64 / self.cells[dim].max(1) as f64)
            .product();
        if count == 0 {
            return 0;
        }
        (30.0 + 69.0 * (count as f64 / area).min(1.0).sqrt()) as u64
    }

    /// Returns the height and the width in pixels.
    fn pixels(&self) -> [usize; 2] {
        let greatest = self.shape[0].max(self.shape[1]).max(1) as f64;
        // A long and narrow matrix keeps a side that can be seen.
        self.shape
            .map(|extent| (PIXELS as f64 * extent as f64 / greatest).max(8.0) as usize)
    }
}

/// Returns the cell of a coordinate, where `extent` coordinates are divided evenly among `cells`.
fn cell(at: usize, extent: usize, cells: usize) -> usize {
    (at as u128 * cells as u128 / extent.max(1) as u128) as usize
}

/// Only the first counts are shown.
impl Debug for Spy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spy")
            .field("shape", &self.shape)
            .field("cells", &self.cells)
            .field("counts", &First(&self.counts))
            .finish()
    }
}

impl Display for Spy {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let dots = [0, 1].map(|dim| self.cells[dim].min(TEXT[dim]));
        let letters = [dots[0].div_ceil(4), dots[1].div_ceil(2)];
        let mut masks = vec![0u8; letters[0] * letters[1]];
        for (at, _) in self.counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let place = [at / self.cells[1], at % self.cells[1]];
            let [row, column] = [0, 1].map(|dim| cell(place[dim], self.cells[dim], dots[dim]));
            // Unicode numbers the upper six dots of a letter by column, and the lowest two after them.
            let dot = match (row % 4, column % 2) {
                (3, right) => 6 + right,
                (row, right) => row + 3 * right,
            };
            masks[row / 4 * letters[1] + column / 2] |= 1 << dot;
        }
        for (number, line) in masks.chunks(letters[1].max(1)).enumerate() {
            if number > 0 {
                f.write_str("\n")?;
            }
            for &mask in line {
                f.write_char(char::from_u32(0x2800 + u32::from(mask)).unwrap_or(' '))?;
            }
        }
        Ok(())
    }
}
