//! Formats from which tensors are converted, besides the stock formats: every order of the dims, descending orders, blocks,
//! levels that others determine, and queries, in one to five dims.

unisparse::sparse_format! {
    /// A list.
    pub format List1 = |i| (i) { trim(i); }
    /// A vector.
    pub format Dense1 = |i| (i) {}
    /// A list from the last coordinate to the first.
    pub format Down1 = |i| (down: -i) { trim(down); }
    /// Dense blocks.
    pub format Blocks1 = |i| (block: i / 3, lane: i % 3) { merge(block); trim(block); }

    /// Rows and columns from the last to the first.
    pub format Down2 = |i, j| (up: -i, left: -j) { merge(up); trim(up..=left); }
    /// By antidiagonals.
    pub format Skew2 = |i, j| (sum: i + j, j, i) { merge(sum); trim(j..=i); }
    /// Odd columns after even ones.
    pub format Parity2 = |i, j| (odd: j % 2, i, half: j / 2) { merge(odd); trim(odd..=half); }
    /// By columns, with levels that follow from others in every place.
    pub format Follow2 = |i, j| (two: 2, j, twice: 2 * j, i, sum: i + j, again: i) { merge(j); trim(j..=again); }

    /// Coordinates.
    pub format Coo3 = |i, j, k| (i, j, k) { trim(i..=k); }
    /// Fibers along the second dim.
    pub format Csf3Ikj = |i, j, k| (i, k, j) { merge(i, k); trim(i..=j); }
    /// Fibers along the last dim, by the second one.
    pub format Csf3Jik = |i, j, k| (j, i, k) { merge(j, i); trim(i..=k); }
    /// Fibers along the first dim, by the second one.
    pub format Csf3Jki = |i, j, k| (j, k, i) { merge(j, k); trim(j..=i); }
    /// Fibers along the second dim, by the last one.
    pub format Csf3Kij = |i, j, k| (k, i, j) { merge(k, i); trim(k..=j); }
    /// Fibers along the first dim, by the last one.
    pub format Csf3Kji = |i, j, k| (k, j, i) { merge(k, j); trim(i); }
    /// Dense blocks.
    pub format Blocks3 = |i, j, k| (a: i / 2, b: k / 2, j, r: i % 2, c: k % 2) { merge(a, b, j); trim(b..=j); }
    /// From the last coordinate to the first.
    pub format Down3 = |i, j, k| (a: -k, b: -j, c: -i) { merge(a); trim(a..=c); }
    /// Sums, with levels that follow from others.
    pub format Follow3 = |i, j, k| (sum: i + k, i, odd: i % 2, k, j, again: i + j) { merge(sum, i, k); trim(i..=again); }
    /// The first element of each row, then the second.
    pub format Slots3 = |i, j, k| (slot, i, j, k)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(k, j); } { merge(slot, i); trim(slot..=k); }

    /// Coordinates.
    pub format Coo4 = |i, j, k, l| (i, j, k, l) { trim(i..=l); }
    /// Fibers along the last dim.
    pub format Csf4 = |i, j, k, l| (i, j, k, l) { merge(i, j, k); trim(i..=l); }
    /// Fibers along the first dim.
    pub format Csf4Lkji = |i, j, k, l| (l, k, j, i) { merge(l, k, j); trim(k..=i); }
    /// Fibers along the third dim.
    pub format Csf4Jlik = |i, j, k, l| (j, l, i, k) { merge(j, l); trim(j..=k); }
    /// Fibers along the second dim.
    pub format Csf4Kilj = |i, j, k, l| (k, i, l, j) { merge(k, i, l); trim(k..=j); }
    /// Every coordinate.
    pub format Dense4 = |i, j, k, l| (l, j, i, k) {}
    /// Dense blocks.
    pub format Blocks4 = |i, j, k, l| (i, a: j / 2, b: l / 2, k, r: j % 2, c: l % 2) { merge(i, a, b, k); trim(a..=k); }
    /// From the last coordinate to the first, with levels that follow from others.
    pub format Follow4 = |i, j, k, l| (a: -i, sum: i + l, b: -j, l, c: -k, again: j + k) { merge(a, sum, b); trim(a..=again); }

    /// Coordinates.
    pub format Coo5 = |i, j, k, l, m| (i, j, k, l, m) { trim(i..=m); }
    /// Fibers along the last dim.
    pub format Csf5 = |i, j, k, l, m| (i, j, k, l, m) { merge(i, j, k, l); trim(i..=m); }
    /// Fibers along the first dim.
    pub format Csf5Mlkji = |i, j, k, l, m| (m, l, k, j, i) { merge(m, l, k, j); trim(l..=i); }
    /// Fibers along the third dim.
    pub format Csf5Jmlik = |i, j, k, l, m| (j, m, l, i, k) { merge(j, m); trim(j..=k); }
    /// Dense blocks.
    pub format Blocks5 = |i, j, k, l, m| (i, a: m / 2, k, l, j, b: m % 2) { merge(i, a, k, l, j); trim(i..=j); }
    /// Sums, with levels that follow from others.
    pub format Follow5 = |i, j, k, l, m| (sum: j + m, i, m, l, twice: 2 * j, k, again: i) { merge(sum, i, m); trim(sum..=again); }
}
