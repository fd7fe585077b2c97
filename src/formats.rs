//! The stock formats, declared with the macro itself.
//!
//! | for | take |
//! |---|---|
//! | anything | [`Csr`], by columns [`Csc`]; of three dims [`Csf`], of one [`SparseVec`] |
//! | building, exchanging | [`Coo`], or [`Triplets`](crate::Triplets) |
//! | mostly empty rows or columns | [`Dcsr`], [`Dcsc`] |
//! | diagonals | [`Dia`], [`DiaVariant`]; broken ones [`Bdia`]; with other elements beside them [`BdiaCsr`] |
//! | dense blocks | [`Bcsr`], [`Bcsc`], [`Bell`]; with other elements beside them [`BellCoo`] |
//! | clusters | [`Csb`], [`HiCoo`] |
//! | rows of like length | [`Ell`], [`Sell`], [`Jds`] |
//! | banks of memory, accelerators | [`C2sr`], [`Cisr`], [`CisrPlus`], [`Serpens`] |
//! | columns and values side by side | [`Lil`], [`Dok`] |
//!
//! The [cookbook](crate::guide::cookbook) has the bytes that each takes, [`advise`](fn@crate::advise) ranks them for a matrix.
//! Each page shows the declaration, how each level is stored and why, and the arrays of an example.

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
    /// A sparse vector: the places of its elements, ascending.
    pub format SparseVec = |i| (at: i) { trim(at); }
    /// Compressed sparse fibers of three dims.
    pub format Csf = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); }
    /// Hierarchical coordinates: blocks of `B` by `B` that hold an element, short coordinates within.
    pub format HiCoo<const B: usize = 128> =
        |i, j| (brow: i / B, bcol: j / B, r: i % B, c: j % B) { merge(bcol); trim(brow..=c); index(r: u8, c: u8); }

    /// ELLPACK: the first element of each row, then the second of each, as many times as the longest row has elements.
    pub format Ell = |i, j| (slot, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot); }
    /// SELL-C-sigma: rows sorted by length within windows of `SIGMA`, then ELLPACK in chunks of `C` rows.
    pub format Sell<const C: usize = 8, const SIGMA: usize = 64> =
        |i, j| (window: i / SIGMA, chunk: rank / C, slot, lane: rank % C, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).group_by(i / SIGMA).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(window, chunk, slot); trim(slot); }
    /// Jagged diagonals: rows sorted by length, the first element of each, then the second of each that has one.
    pub format Jds = |i, j| (slot, rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            slot = enumerate(value == 0 => len, _ => 0).group_by(i).traverse_by(j);
        } { merge(slot); trim(slot..=rank); }
    /// Blocked ELLPACK: the first block of `B` by `B` of each block row, then the second of each.
    pub format Bell<const B: usize = 16> = |i, j| (slot, brow: i / B, bcol: j / B, r: i % B, c: j % B)
        where {
            slot = enumerate(_ => 0).group_by(i / B).traverse_by(j / B);
        } { merge(slot, brow, bcol); trim(slot); }
    /// Rows dealt round-robin to `BANKS` banks, compressed within each.
    pub format C2sr<const BANKS: usize = 2> =
        |i, j| (bank: i % BANKS, local: i / BANKS, col: j) { merge(bank, local); trim(col); partition(bank); }
    /// Rows dealt out to `BANKS` banks, each to the one with the fewest elements so far.
    pub format Cisr<const BANKS: usize = 2> = |i, j| (bank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            bank = schedule(len, BANKS).traverse_by(i);
        } { merge(bank, row); trim(row..=col); partition(bank); }
    /// As [`Cisr`], the longest rows first.
    pub format CisrPlus<const BANKS: usize = 2> = |i, j| (bank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
            bank = schedule(len, BANKS).traverse_by(rank);
        } { merge(bank, row); trim(row..=col); partition(bank); }
    /// What the Serpens accelerator streams: windows of columns, in each as many slots as the busiest of `PES` processing
    /// elements needs, and in each slot one element for each of them. Two elements of one pair of rows are at least `DISTANCE` slots apart.
    pub format Serpens<const PES: usize = 128, const WINDOW: usize = 8192, const DISTANCE: usize = 10> =
        |i, j| (window: j / WINDOW, slot, pe: i / 2 % PES, pair: i / 2 / PES, half: i % 2, col: j % WINDOW)
        where {
            slot = slot(DISTANCE).group_by(j / WINDOW, i / 2 % PES).key(i / 2 / PES).traverse_by(j, i);
        } { merge(window, slot); pad(slot); }
    /// A dictionary of keys: each coordinate and its value side by side.
    pub format Dok = |i, j| (row: i, col: j) { trim(row..=col); pack(row..=col); }
    /// A list of lists: for each row its columns and values, side by side.
    pub format Lil = |i, j| (row: i, col: j) { merge(row); trim(col); pack(row..=col); }
    /// Dense diagonals of blocks of `B` rows in `Bdia`, the rest in `Csr`.
    pub hybrid BdiaCsr<const B: usize = 64> = Bdia<B> + Csr
        split sum(value != 0 => 1, _ => 0).group_by(i / B, j - i) > threshold;

    /// Blocks of `B` by `B` with many elements in [`Bell`], the rest in [`Coo`].
    pub hybrid BellCoo<const B: usize = 16> = Bell<B> + Coo
        split sum(value != 0 => 1, _ => 0).group_by(i / B, j / B) > threshold;
}
