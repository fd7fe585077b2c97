//! The stock formats, declared with the macro itself.

crate::sparse_format! {
    /// Coordinates, one entry per stored element.
    pub format Coo = |i, j| (row: i, col: j) { trim(row..=col); }
    /// Compressed sparse rows.
    pub format Csr = |i, j| (row: i, col: j) { merge(row); trim(col); }
    /// Compressed sparse columns.
    pub format Csc = |i, j| (col: j, row: i) { merge(col); trim(row); }
    /// Compressed sparse rows, empty rows left out.
    pub format Dcsr = |i, j| (row: i, col: j) { merge(row); trim(row..=col); }
    /// Compressed sparse columns, empty columns left out.
    pub format Dcsc = |i, j| (col: j, row: i) { merge(col); trim(col..=row); }
    /// Diagonals that hold an element, each stored by row.
    pub format Dia = |i, j| (diag: j - i, row: i) { merge(diag); trim(diag); }
    /// Diagonals that hold an element, each stored by column.
    pub format DiaVariant = |i, j| (diag: j - i, col: j) { merge(diag); trim(diag); }
    /// Block compressed sparse rows: dense blocks of `R` by `C`.
    pub format Bcsr<const R: usize = 2, const C: usize = 2> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
    /// Block compressed sparse columns: dense blocks of `R` by `C`, each stored by column.
    pub format Bcsc<const R: usize = 2, const C: usize = 2> =
        |i, j| (bcol: j / C, brow: i / R, c: j % C, r: i % R) { merge(bcol, brow); trim(brow); }
    /// Compressed sparse blocks of `B` by `B`, coordinates within each block.
    pub format Csb<const B: usize = 64> =
        |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(r..=c); }
    /// Blocks of `B` rows, each with the diagonals that hold an element in it.
    pub format Bdia<const B: usize = 64> =
        |i, j| (block: i / B, diag: j - i, lane: i % B) { merge(block); trim(diag); }
    /// Compressed sparse fibers of three dimensions.
    pub format Csf = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); }
    /// Hierarchical coordinates: blocks of `B` by `B` that hold an element, short coordinates within.
    pub format HiCoo<const B: usize = 128> =
        |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); index(r: u8, c: u8); }
}
