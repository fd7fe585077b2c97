unisparse::sparse_format! {
    // Not a size of a word.
    pub format Size = |i, j| (row: i, col: j) { merge(row); trim(col); word(24) { col: 8 @ 16, value: 16 @ 0 }; }
    // Bit 31 is in both.
    pub format Overlap = |i, j| (row: i, col: j) { merge(row); trim(col); word(128) { value: 32 @ 0, col: 32 @ 31 }; }
    // No room above the other field.
    pub format Inside = |i, j| (row: i, col: j) { trim(row..=col); word(64) { value: 8 @ 0, row: 32 @ 32, col: 16 @ 40 }; }
    // One bit too high.
    pub format Outside = |i, j| (row: i, col: j) { merge(row); trim(col); word(32) { col: 16 @ 17, value: 16 @ 0 }; }
    // Numbers that no word has: a field of 129 bits, a place at 300.
    pub format Numbers = |i, j| (row: i, col: j) { trim(row..=col); word(128) { col: 129 @ 0, row: 8 @ 300, value: 32 @ 0 }; }
    // A field of no bits.
    pub format NoBits = |i, j| (row: i, col: j) { merge(row); trim(col); word(64) { col: 0 @ 32, value: 32 @ 0 }; }
    // 0 to 15 in three bits.
    pub format Narrow = |i, j| (brow: i / 16, col: j, r: i % 16) {
        merge(brow); trim(col..=r); word(64) { col: 29 @ 35, r: 3 @ 32, value: 32 @ 0 };
    }
    // -8 to 7 in three bits, a two's complement.
    pub format NarrowNegative = |i, j| (brow: i / 16, col: j, r: i % 16 - 8) {
        merge(brow); trim(col..=r); word(64) { col: 29 @ 35, r: 3 @ 32, value: 32 @ 0 };
    }
    // No fields at all: three errors.
    pub format MissingAll = |i, j| (row: i, col: j) { trim(row..=col); word(32) {}; }
    // A name with a typo, and one that is far from all.
    pub format Unknown = |i, j| (row: i, col: j) { trim(row..=col); word(128) { rwo: 32 @ 96, channel: 32 @ 64, value: 64 @ 0 }; }
    // `col` and `value` twice.
    pub format Repeated = |i, j| (row: i, col: j) {
        merge(row); trim(col); word(128) { col: 16 @ 112, col: 16 @ 96, value: 32 @ 0, value: 32 @ 32 };
    }
    // A filler of 33 bits.
    pub format WideFiller = |i, j| (slot, row: i, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); }
        { merge(slot); trim(slot); word(32) { col: 16 @ 16, value: 16 @ 0 } filler 0x1_0000_0000; }
    // No holes.
    pub format NoHoles = |i, j| (row: i, col: j) { merge(row); trim(col); word(64) { col: 32 @ 32, value: 32 @ 0 } filler 0; }
    // The lowest coordinate of `shift` depends on the elements.
    pub format OpenBelow = |i, j| (slot, row: i, shift: j - slot, col: j)
        where { slot = enumerate(_ => 0).group_by(i).traverse_by(j); }
        { merge(slot); trim(slot); word(64) { shift: 16 @ 48, col: 16 @ 32, value: 32 @ 0 } filler 0; }
    // Two layouts.
    pub format Packed = |i, j| (row: i, col: j) {
        trim(row..=col); pack(row..=col); word(128) { row: 32 @ 96, col: 32 @ 64, value: 64 @ 0 };
    }
    // Two words, of which the second is too narrow as well: one error.
    pub format Twice = |i, j| (brow: i / 16, col: j, r: i % 16) {
        merge(brow); trim(col..=r);
        word(64) { col: 28 @ 36, r: 4 @ 32, value: 32 @ 0 };
        word(64) { col: 29 @ 35, r: 3 @ 32, value: 32 @ 0 };
    }
}

unisparse::sparse_format! {
    pub format NoSize = |i, j| (row: i, col: j) { merge(row); trim(col); word() { col: 32 @ 32, value: 32 @ 0 }; }
}
unisparse::sparse_format! {
    pub format NoFields = |i, j| (row: i, col: j) { merge(row); trim(col); word(64); }
}
unisparse::sparse_format! {
    pub format NoPlace = |i, j| (row: i, col: j) { merge(row); trim(col); word(64) { col: 32, value: 32 @ 0 }; }
}
unisparse::sparse_format! {
    pub format NoFiller = |i, j| (row: i, col: j) { merge(row); trim(col); word(64) { col: 32 @ 32, value: 32 @ 0 } filler; }
}
unisparse::sparse_format! {
    pub format Suffix = |i, j| (row: i, col: j) { merge(row); trim(col); word(64u8) { col: 32 @ 32, value: 32 @ 0 }; }
}

fn main() {}
