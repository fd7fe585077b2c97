//! Writes the Matrix Market exchange format.

use super::in_order::in_order;
use super::{InFile, WriteScalar};
use crate::source::Source;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::Range;
use std::path::Path;

/// Number of entries that are written as one text, on any thread.
const PIECE_ENTRIES: usize = 1 << 12;

/// Number of bytes that an entry is expected to take.
const ENTRY_BYTES: usize = 32;

/// Number of texts per thread in memory.
const PIECES_PER_THREAD: usize = 8;

/// Writes a matrix to the Matrix Market file at `path`, uncompressed. See
/// [`write_matrix_market_to`].
///
/// # Errors
/// The errors of creating and writing the file.
pub fn write_matrix_market<S: Source<2, Scalar: InFile<Number: WriteScalar>>>(
    path: impl AsRef<Path>,
    matrix: &S,
) -> io::Result<()> {
    let mut writer = BufWriter::new(File::create(path)?);
    write_matrix_market_to(&mut writer, matrix)?;
    writer.flush()
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

    let borders = matrix.borders(count.div_ceil(PIECE_ENTRIES).max(1));
    let pieces: Vec<_> = borders.windows(2).map(|border| border[0]..border[1]).collect();
    let mut result = Ok(());
    for pieces in pieces.chunks(rayon::current_num_threads() * PIECES_PER_THREAD) {
        if let [piece] = pieces {
            // Its text may be long, and nothing else is to be done in the meantime.
            result = result.and_then(|()| write_piece(writer, matrix, piece));
            continue;
        }
        let text = |piece: &Range<usize>| {
            let mut text = Vec::with_capacity(PIECE_ENTRIES * ENTRY_BYTES);
            write_piece(&mut text, matrix, piece).map(|()| text)
        };
        in_order(
            pieces,
            text,
            || {},
            |text| {
                result = text.and_then(|text| writer.write_all(&text));
                result.is_ok()
            },
        );
        if result.is_err() {
            break;
        }
    }
    result
}

/// Writes the entries of a piece of a matrix.
fn write_piece<S: Source<2, Scalar: InFile<Number: WriteScalar>>>(
    writer: &mut dyn Write,
    matrix: &S,
    piece: &Range<usize>,
) -> io::Result<()> {
    let (mut line, mut digits) = (Vec::new(), itoa::Buffer::new());
    let mut result = Ok(());
    matrix.for_each_between(piece.clone(), |[row, column], value| {
        if result.is_err() {
            return;
        }
        line.clear();
        line.extend_from_slice(digits.format(row + 1).as_bytes());
        line.push(b' ');
        line.extend_from_slice(digits.format(column + 1).as_bytes());
        if S::Scalar::HAS_NUMBER {
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
