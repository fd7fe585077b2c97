unisparse::sparse_format! {
    pub format Deep = |i, j| (
        a: i / 65536, b: i / 32768 % 2, c: i / 16384 % 2, d: i / 8192 % 2, e: i / 4096 % 2, f: i / 2048 % 2,
        g: i / 1024 % 2, h: i / 512 % 2, k: i / 256 % 2, l: i / 128 % 2, m: i / 64 % 2, n: i / 32 % 2,
        o: i / 16 % 2, p: i / 8 % 2, q: i / 4 % 2, r: i % 4, col: j
    ) { trim(col); }
}

fn main() {}
