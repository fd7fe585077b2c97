//! Writes the Matrix Market exchange format, and the entries of other formats of lines.

use super::files::write_file;
use super::in_order::in_order;
use super::{InFile, WriteScalar};
use crate::report::advance;
use crate::source::Source;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// Number of entries that are written as one text, on any thread.
const PIECE_ENTRIES: usize = 1 << 12;

/// Number of bytes that an entry is expected to take.
const ENTRY_BYTES: usize = 32;

/// Number of texts per thread in memory.
const PIECES_PER_THREAD: usize = 8;

/// Writes a matrix to the Matrix Market file at `path`, as gzip if its name ends in `.gz`. See
/// [`write_matrix_market_to`].
///
/// # Errors
/// The errors of creating and writing the file.
pub fn write_matrix_market<S: Source<2, Scalar: InFile<Number: WriteScalar>>>(
    path: impl AsRef<Path>,
    matrix: &S,
) -> io::Result<()> {
    write_file(path.as_ref(), |writer| write_matrix_market_to(writer, matrix))
}

/// Writes a matrix as Matrix Market text: `coordinate`, the field given by the element type, `general`, and
/// the entries in storage order. The text reads back as the same entries.
///
/// ```
/// # use unisparse_rt as unisparse;
/// use unisparse::{Triplets, io};
/// let mut matrix = Triplets::new([2, 3]);
/// matrix.push([1, 2], 0.5)?;
/// let mut text = Vec::new();
/// io::write_matrix_market_to(&mut text, &matrix)?;
/// assert_eq!(text, b"%%MatrixMarket matrix coordinate real general\n2 3 1\n2 3 0.5\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of the writer.
pub fn write_matrix_market_to<S: Source<2, Scalar: InFile<Number: WriteScalar>>>(
    writer: &mut dyn Write,
    matrix: &S,
) -> io::Result<()> {
    // `count` is only an upper bound, so the entries are counted first.
    let mut count = 0_usize;
    matrix.for_each(|_, _| count += 1);
    let [rows, columns] = matrix.shape();
    let field = if S::Scalar::HAS_NUMBER {
        <S::Scalar as InFile>::Number::FIELD
    } else {
        "pattern"
    };
    writeln!(writer, "%%MatrixMarket matrix coordinate {field} general")?;
    writeln!(writer, "{rows} {columns} {count}")?;

    write_entries(writer, matrix, count, S::Scalar::HAS_NUMBER)
}

/// Writes a line for each of `count` entries, in storage order: the coordinates from 1, and the number if lines have numbers.
pub(super) fn write_entries<S: Source<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
    writer: &mut dyn Write,
    tensor: &S,
    count: usize,
    has_numbers: bool,
) -> io::Result<()> {
    let borders = tensor.borders(count.div_ceil(PIECE_ENTRIES).max(1));
    let pieces: Vec<_> = borders.windows(2).map(|border| border[0]..border[1]).collect();
    let (mut result, mut written) = (Ok(()), 0);
    for some in pieces.chunks(rayon::current_num_threads() * PIECES_PER_THREAD) {
        if let [piece] = some {
            // Its text may be long, and nothing else is to be done in the meantime.
            result = result.and_then(|()| write_piece(writer, tensor, piece, has_numbers));
        } else {
            let text = |piece: &Range<usize>| {
                let mut text = Vec::with_capacity(PIECE_ENTRIES * ENTRY_BYTES);
                write_piece(&mut text, tensor, piece, has_numbers).map(|()| text)
            };
            in_order(
                some,
                text,
                || {},
                |text| {
                    result = text.and_then(|text| writer.write_all(&text));
                    result.is_ok()
                },
            );
        }
        if result.is_err() {
            break;
        }
        written += some.len();
        advance(written, pieces.len());
    }
    result
}

/// Writes the entries of a piece of a tensor.
fn write_piece<S: Source<N, Scalar: InFile<Number: WriteScalar>>, const N: usize>(
    writer: &mut dyn Write,
    tensor: &S,
    piece: &Range<usize>,
    has_numbers: bool,
) -> io::Result<()> {
    let (mut line, mut digits) = (Vec::new(), itoa::Buffer::new());
    let mut result = Ok(());
    tensor.for_each_between(piece.clone(), |coordinate, value| {
        if result.is_err() {
            return;
        }
        line.clear();
        for (dim, at) in coordinate.into_iter().enumerate() {
            if dim > 0 {
                line.push(b' ');
            }
            line.extend_from_slice(digits.format(at as u64 + 1).as_bytes());
        }
        if has_numbers {
            line.push(b' ');
            result = value.number().write(&mut line);
        }
        line.push(b'\n');
        if result.is_ok() {
            result = writer.write_all(&line);
        }
    });
    result
}
