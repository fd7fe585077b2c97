//! Twenty formats that nobody has declared before, and lists of all formats.

use unisparse::sparse_format;

sparse_format! {
    pub format Columns16 = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u16); }
    pub format WideRows = |i, j| (row: i, col: j) { merge(row); trim(col); index(col: u64); pointer(u64); }
    pub format Antidiagonals = |i, j| (front: i + j, row: i) { merge(front); trim(front..=row); }
    pub format FullAntidiagonals = |i, j| (front: i + j, diag: j - i) { merge(front); trim(front..=diag); }
    pub format Panels<const H: usize = 8> = |i, j| (panel: i / H, col: j, lane: i % H) { merge(panel); trim(col); }
    pub format Tiled<const S: usize = 16> =
        |i, j| (trow: i / S, tcol: j / S, brow: i % S / 4, bcol: j % S / 4, r: i % 4, c: j % 4)
        { merge(trow, tcol, brow, bcol); trim(tcol..=bcol); }
    pub format ColumnBands = |i, j| (band: j / 32, row: i, col: j % 32) { merge(band, row); trim(row..=col); }
    pub format Dealt = |i, j| (deal: i % 3, row: i / 3, col: j) { merge(deal, row); trim(col); }
    pub format DealtColumns = |i, j| (deal: j % 5, row: i, col: j / 5) { merge(deal, row); trim(row..=col); }
    pub format ShearedRows = |i, j| (shear: i + 2 * j, col: j) { merge(shear); trim(shear..=col); }
    pub format PackedPairs = |i, j| (col: j, row: i) { trim(col..=row); pack(col..=row); }
    pub format Slots = |i, j| (slot, row: i, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); } { merge(slot); trim(slot..=row); }
    pub format ColumnSlots = |i, j| (slot, col: j, row: i)
        where { slot = enumerate(_ => 0).group_by(j).traverse_by(i); } { merge(slot); trim(slot..=col); }
    pub format BusyFirst = |i, j| (rank, row: i, col: j)
        where {
            len  = sum(value != 0 => 1, _ => 0).group_by(i);
            rank = reorder(len, descending).traverse_by(i);
        } { merge(rank); trim(rank); trim(col); }
    pub format ByLength = |i, j| (len, row: i, col: j)
        where { len = sum(value != 0 => 1, _ => 0).group_by(i); } { merge(len, row); trim(len..=col); }
    pub format BySize = |i, j| (class, row: i, col: j)
        where { class = sum(value > 4 => 1, _ => 0).group_by(i, j); } { merge(class, row); trim(class..=col); }
    pub format Parity = |i, j| (parity: (i + j) % 2, row: i, col: j) { merge(parity, row); trim(row..=col); }
    pub format DiagonalBlocks = |i, j| (diag: j / 4 - i / 4, brow: i / 4, r: i % 4, c: j % 4)
        { merge(diag, brow); trim(diag..=brow); }
    pub format FineFirst = |i, j| (r: i % 4, brow: i / 4, col: j) { merge(r, brow); trim(col); }
    pub hybrid LongAndShort = Csr + Slots split sum(value != 0 => 1, _ => 0).group_by(i) > longest;
}

use unisparse::formats::*;

/// Calls a macro for each stock format of two dims.
macro_rules! stock {
    ($do:ident) => {
        $do!(
            Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64>, Bcsc<f64>, Csb<f64>,
            Bdia<f64>, HiCoo<f64>, Ell<f64>, Sell<f64>, Jds<f64>, Bell<f64>, C2sr<f64>, Cisr<f64>, CisrPlus<f64>,
            Serpens<f64, 8, 64, 4>, Dok<f64>, Lil<f64>, BdiaCsr<f64>, BellCoo<f64>
        )
    };
}

/// Calls a macro for each of the formats above.
macro_rules! unheard_of {
    ($do:ident) => {
        $do!(
            Columns16<f64>,
            WideRows<f64>,
            Antidiagonals<f64>,
            FullAntidiagonals<f64>,
            Panels<f64>,
            Tiled<f64>,
            ColumnBands<f64>,
            Dealt<f64>,
            DealtColumns<f64>,
            ShearedRows<f64>,
            PackedPairs<f64>,
            Slots<f64>,
            ColumnSlots<f64>,
            BusyFirst<f64>,
            ByLength<f64>,
            BySize<f64>,
            Parity<f64>,
            DiagonalBlocks<f64>,
            FineFirst<f64>,
            LongAndShort<f64>
        )
    };
}

pub(crate) use {stock, unheard_of};
