//! Measures this machine for the advice of all later processes, and prints what was found.
//!
//! `cargo run --release --example calibrate`

fn main() {
    let calibration = unisparse::calibrate();
    print!("{calibration}");
    println!("\nnanoseconds: of each kind of work; per byte and per line, for working sets of 16 KiB, 32 KiB, ..");
    match calibration.file() {
        Some(file) => println!("kept in {}", file.display()),
        None => println!("not kept: the cache folder cannot be written"),
    }
}
