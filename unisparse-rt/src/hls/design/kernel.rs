//! Prints a design as C++: the tasks of each channel, and those that they share.

use std::fmt::Write as _;

use super::Parameters;
use super::cycles::{channels_in_block, groups};
use super::layout::Layout;
use super::packed::Packed;
use super::simulate::Dense;
use crate::element::Bits;
use crate::hls::element::{Element, to_bytes};
use crate::hls::function::{Port, Signature};
use crate::hls::project::{Datum, Project};
use crate::words::WordField;

/// The tasks that do not depend on the number of channels.
const TASKS: &str = include_str!("../shim/design.cpp.in");
/// Places have 32 bits below this number.
const NARROW: usize = 1 << 30;
/// The part of a stack in a simulation that is not arrays.
const STACK: usize = 256 << 10;

/// A design with a matrix.
pub(super) struct Kernel<'a> {
    pub(super) layout: &'a Layout,
    pub(super) parameters: &'a Parameters,
    pub(super) packed: &'a Packed,
}

impl Kernel<'_> {
    pub(super) fn project<T: Element + Bits>(
        &self,
        dense: &Dense<T>,
        [alpha, beta]: [T; 2],
        expected: &[T],
    ) -> Project {
        // The prefix keeps it apart from the words of C++, from `main` and from the tasks.
        let name = format!("stream_{}", snake_case(self.layout.name));
        let words: Vec<String> = (0..self.channels()).map(|channel| format!("words_{channel}")).collect();
        let ports = ports(&words);
        let signature = Signature {
            name: &name,
            ports: &ports,
        };
        let packed = self.packed;
        let mut data: Vec<Datum> = (0..self.channels())
            .map(|channel| Datum(packed.buffer(channel, self.parameters.multiple)))
            .collect();
        data.push(Datum(self.sizes(dense)));
        data.push(Datum(to_bytes(dense.x.iter().copied())));
        data.push(Datum(to_bytes(dense.y.iter().copied())));
        data.push(Datum(to_bytes(dense.y.iter().map(|_| T::default()))));
        let addresses = packed.steps.div_ceil(packed.lanes);
        for number in [packed.columns.len(), addresses, packed.steps] {
            data.push(Datum::number(number as u64));
        }
        data.push(Datum(to_bytes([alpha].into_iter())));
        data.push(Datum(to_bytes([beta].into_iter())));
        let header = self.header::<T>(&signature);
        let expected = to_bytes(expected.iter().copied());
        let place = |place: &Option<usize>| place.map_or(u64::MAX, |place| place as u64).to_le_bytes();
        Project::new(&signature, T::TEXT, header, self.text(&signature), data, expected)
            .with_data("rows", packed.rows.iter().flat_map(place).collect())
            .with_data("columns", packed.columns.iter().flatten().flat_map(place).collect())
    }

    fn channels(&self) -> usize {
        self.layout.count_channels()
    }

    /// Whether places need 64 bits.
    fn is_wide(&self) -> bool {
        let longest = self.packed.streams.iter().map(Vec::len).max().unwrap_or(0);
        longest.max(self.packed.rows.len()).max(self.packed.shape[1]) >= NARROW
    }

    /// Returns the table of sizes: for all windows in total, then for each window, the slots of each channel and the blocks of `x`.
    fn sizes<T>(&self, dense: &Dense<T>) -> Vec<u8> {
        let (block, packed) = (self.parameters.block, self.packed);
        let slots = |channel: usize| packed.windows().map(move |slots| slots[channel]);
        let mut sizes: Vec<usize> = (0..self.channels()).map(|channel| slots(channel).sum()).collect();
        sizes.push(dense.x.len() / block);
        for (slots, bounds) in packed.windows().zip(dense.starts.windows(2)) {
            sizes.extend(slots);
            sizes.push((bounds[1] - bounds[0]) / block);
        }
        let width = if self.is_wide() { 8 } else { 4 };
        sizes
            .iter()
            .flat_map(|size| (*size as u64).to_le_bytes().into_iter().take(width))
            .collect()
    }

    fn header<T: Element + Bits>(&self, signature: &Signature<'_>) -> String {
        let (layout, parameters) = (self.layout, self.parameters);
        let (lanes, places, bits) = (layout.count_lanes(), layout.count_places(), layout.word.bits as usize);
        let columns = layout
            .columns
            .fixed()
            .unwrap_or(parameters.columns)
            .next_multiple_of(parameters.block);
        let copies = lanes.div_ceil(2);
        let stack = STACK + size_of::<T>() * (lanes * places * parameters.addresses + copies * columns);
        let wide = if self.is_wide() { "#define UNISPARSE_WIDE\n" } else { "" };
        let numbers = [
            ("CHANNELS", self.channels(), "streams of words"),
            ("LANES", lanes, "words of a slot"),
            ("WORD_BITS", bits, "bits of a word"),
            (
                "DISTANCE",
                layout.distance,
                "slots between additions to one memory word, at least",
            ),
            ("ADDRESSES", parameters.addresses, "memory words of sums in each lane"),
            ("PLACES", places, "sums in a memory word"),
            ("COLUMNS", columns, "elements of x on the chip"),
            ("COPIES", copies, "copies of them, as a memory has two ports"),
            ("BLOCK", parameters.block, "elements that a port passes in a cycle"),
            (
                "BLOCK_CHANNELS",
                channels_in_block(layout, parameters.block),
                "channels whose memory words are a block of y",
            ),
            ("GROUPS", groups(layout, parameters.block), "blocks of y in a step"),
        ];
        let mut text = format!(
            "// {}: y = alpha A x + beta y\n#ifndef KERNEL_H\n#define KERNEL_H\n\n{wide}#define UNISPARSE_STACK {stack}\n\
             #include \"unisparse_hls.h\"\n\ntypedef {} unisparse_value;\n\n",
            layout.name,
            T::TEXT
        );
        for (name, number, about) in numbers {
            let _ = writeln!(text, "static const unisparse_size {name} = {number}; // {about}");
        }
        let width = T::BITS.next_power_of_two().max(8);
        text += &format!(
            "\n// The words of a slot.\ntypedef ap_uint<{}> unisparse_beat;\n\
             typedef uint{width}_t value_bits;\n\
             struct block_of_x {{\n    unisparse_value values[BLOCK];\n}};\n\
             struct block_of_y {{\n    unisparse_value values[BLOCK_CHANNELS * PLACES];\n}};\n\
             struct memory_word {{\n    unisparse_value sums[PLACES];\n}};\n\
             // The slots of a channel in a window, and the blocks of x.\n\
             struct window_size {{\n    unisparse_size slots, blocks;\n}};\n",
            lanes * bits
        );
        text + &format!("\n{};\n\n#endif\n", signature.declaration())
    }

    /// Returns the tasks and the function.
    fn text(&self, signature: &Signature<'_>) -> String {
        let interval = self.layout.interval(self.parameters.addition);
        let mut text = format!("#include <unisparse_tasks.h>\n\n{}", self.fields());
        text += TASKS;
        text += &self.read_sizes();
        if self.channels() > 1 {
            text += &channel(interval, self.layout.distance, true);
        }
        text += &channel(interval, self.layout.distance, false);
        text += &self.collect();
        text + &self.top(signature)
    }

    /// Returns the functions that read the fields of a word, whose lowest bit is `low` in a slot.
    fn fields(&self) -> String {
        let layout = self.layout;
        let of = |name: &str, digits: &[(Option<WordField>, Option<usize>)]| {
            let mut number = String::from("0");
            for (field, size) in digits {
                let Some(field) = field else { continue };
                let field = range(field.at, field.bits);
                number = match (number.as_str(), size) {
                    ("0", _) => field,
                    (number, Some(size)) => format!("({number}) * {size} + {field}"),
                    (number, None) => format!("({number}) + {field}"),
                };
            }
            format!(
                "static unisparse_size {name}_of(const unisparse_beat &beat, unisparse_size low) {{\n#pragma HLS INLINE\n    \
                 return unisparse_size({number});\n}}\n"
            )
        };
        let digits = |digits: &super::digits::Digits| -> Vec<_> {
            digits.0.iter().map(|digit| (digit.field, digit.size)).collect()
        };
        let mut text = String::from("// The fields of the word whose lowest bit in a slot is `low`.\n");
        text += &of("address", &digits(&layout.addresses));
        text += &of("place", &digits(&layout.places));
        text += &of("column", &digits(&layout.columns));
        let value = range(layout.value.at, layout.value.bits.min(64));
        text += &format!(
            "static unisparse_value value_of(const unisparse_beat &beat, unisparse_size low) {{\n#pragma HLS INLINE\n    \
             union {{\n        value_bits bits;\n        unisparse_value value;\n    }} of;\n    of.bits = value_bits({value});\n    \
             return of.value;\n}}\n"
        );
        let filler = match layout.word.filler {
            None => "false".to_owned(),
            Some(filler) => {
                let half = |at: u32| {
                    let bits = (layout.word.bits - at).min(64);
                    format!("{} == {:#x}u", range(at, bits), (filler >> at) as u64)
                };
                let halves: Vec<String> = (0..layout.word.bits).step_by(64).map(half).collect();
                halves.join(" && ")
            }
        };
        text + &format!(
            "// Whether it is filler, in place of an element.\n\
             static bool is_filler(const unisparse_beat &beat, unisparse_size low) {{\n#pragma HLS INLINE\n    return {filler};\n}}\n\n"
        )
    }

    /// Returns the task that passes the sizes of windows to all channels.
    fn read_sizes(&self) -> String {
        let each = |text: &str| -> String {
            (0..self.channels())
                .map(|channel| text.replace("{c}", &channel.to_string()))
                .collect()
        };
        format!(
            "// Passes on the number of slots of each channel and of blocks of x: in total, then for each window.\n\
             static void read_sizes(const unisparse_size *sizes,{} hls::stream<unisparse_size> &blocks, unisparse_size windows) {{\n{}    \
             blocks.write(sizes[CHANNELS]);\n    for (unisparse_size window = 1; window <= windows; window++) {{\n        \
             const unisparse_size *of = sizes + window * (CHANNELS + 1);\n{}    }}\n}}\n\n",
            each(" hls::stream<unisparse_size> &slots_{c}, hls::stream<window_size> &sizes_{c},"),
            each("    slots_{c}.write(sizes[{c}]);\n"),
            each("        sizes_{c}.write(window_size{of[{c}], of[CHANNELS]});\n")
        )
    }

    /// Returns the task that collects the sums of all channels.
    fn collect(&self) -> String {
        let in_block = channels_in_block(self.layout, self.parameters.block);
        let mut cases = String::new();
        for (group, channels) in self.layout.order.chunks(in_block).enumerate() {
            let _ = writeln!(cases, "            case {group}:");
            for (at, channel) in channels.iter().enumerate() {
                let _ = writeln!(cases, "                words[{at}] = sums_{channel}.read();");
            }
            cases += "                break;\n";
        }
        let streams: String = (0..self.channels())
            .map(|channel| format!("hls::stream<memory_word> &sums_{channel}, "))
            .collect();
        format!(
            "// Combines the memory words of the channels, in the order of their rows, with y.\n\
             static void collect({streams}hls::stream<block_of_y> &y, block_of_y *result, unisparse_size steps,\n                    \
             unisparse_value alpha, unisparse_value beta) {{\n    \
             for (unisparse_size step = 0; step < steps; step++) {{\n        \
             for (unisparse_size group = 0; group < GROUPS; group++) {{\n#pragma HLS PIPELINE II=1\n            \
             memory_word words[BLOCK_CHANNELS];\n            switch (group) {{\n{cases}            }}\n            \
             block_of_y block = y.read();\n            \
             for (unisparse_size at = 0; at < BLOCK_CHANNELS * PLACES; at++) {{\n#pragma HLS UNROLL\n                \
             block.values[at] = words[at / PLACES].sums[at % PLACES] * alpha + block.values[at] * beta;\n            }}\n            \
             result[step * GROUPS + group] = block;\n        }}\n    }}\n}}\n\n"
        )
    }

    /// Returns the function: its ports, its streams and its tasks.
    fn top(&self, signature: &Signature<'_>) -> String {
        let mut text = format!("{} {{\n", signature.declaration());
        for port in signature.ports {
            let _ = match port.is_array {
                true => writeln!(
                    text,
                    "#pragma HLS INTERFACE m_axi port={0} offset=slave bundle={0}",
                    port.name
                ),
                false => writeln!(text, "#pragma HLS INTERFACE s_axilite port={}", port.name),
            };
        }
        text += "#pragma HLS INTERFACE s_axilite port=return\n#pragma HLS DATAFLOW\n";
        let depth = self.parameters.depth;
        let mut stream = |kind: &str, name: String| {
            let _ = writeln!(text, "    UNISPARSE_STREAM({kind}, {name}, {depth});");
        };
        for channel in 0..self.channels() {
            stream("unisparse_size", format!("slots_{channel}"));
            stream("window_size", format!("sizes_{channel}"));
            stream("unisparse_beat", format!("beats_{channel}"));
            stream("block_of_x", format!("x_{channel}"));
            stream("memory_word", format!("sums_{channel}"));
        }
        stream("unisparse_size", "blocks".to_owned());
        stream("block_of_y", "blocks_of_y".to_owned());
        let each = |text: &str| -> String {
            (0..self.channels())
                .map(|channel| text.replace("{c}", &channel.to_string()))
                .collect()
        };
        text += "    UNISPARSE_TASKS;\n";
        let _ = writeln!(
            text,
            "    UNISPARSE_TASK(read_sizes(sizes, {}blocks, windows));",
            each("slots_{c}, sizes_{c}, ")
        );
        text += "    UNISPARSE_TASK(read_x(x, blocks, x_0));\n";
        for channel in 0..self.channels() {
            let next = channel + 1;
            let (last, passed) = match next < self.channels() {
                true => ("", format!("x_{next}, ")),
                false => ("last_", String::new()),
            };
            let _ = writeln!(
                text,
                "    UNISPARSE_TASK(read_words(words_{channel}, slots_{channel}, beats_{channel}));\n    \
                 UNISPARSE_TASK({last}channel(sizes_{channel}, beats_{channel}, x_{channel}, {passed}sums_{channel}, windows, \
                 addresses, steps));"
            );
        }
        text += "    UNISPARSE_TASK(read_y(y, steps, blocks_of_y));\n";
        let _ = writeln!(
            text,
            "    UNISPARSE_TASK(collect({}blocks_of_y, result, steps, alpha, beta));",
            each("sums_{c}, ")
        );
        text + "    UNISPARSE_RUN;\n}\n"
    }
}

/// Returns `RowStreams` as `row_streams`, and `CISR` as `cisr`.
fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    let mut after_small = false;
    for character in name.chars() {
        if character.is_uppercase() && after_small {
            snake.push('_');
        }
        after_small = !character.is_uppercase() && character != '_';
        snake.extend(character.to_lowercase());
    }
    snake
}

/// Returns the bits of a field as C++.
fn range(at: u32, bits: u32) -> String {
    format!("uint64_t(beat.range(low + {}, low + {at}))", at + bits - 1)
}

/// Returns the task of a channel, which passes `x` on to the next one, if there is one.
fn channel(interval: u64, distance: usize, passes: bool) -> String {
    let (last, next, write) = match passes {
        true => (
            "",
            "hls::stream<block_of_x> &next, ",
            "            next.write(block);\n",
        ),
        false => ("last_", "", ""),
    };
    include_str!("../shim/channel.cpp.in")
        .replace("LAST_", last)
        .replace("NEXT_PARAMETER", next)
        .replace("PASS_ON\n", write)
        .replace("INTERVAL", &interval.to_string())
        .replace("SLOTS_APART", &distance.to_string())
}

/// Returns the ports: the words of each channel, and what the channels share.
fn ports(words: &[String]) -> Vec<Port<'_>> {
    let port = |name, kind, is_array, is_written| Port {
        name,
        kind,
        is_array,
        is_written,
    };
    let mut ports: Vec<Port<'_>> = words
        .iter()
        .map(|name| port(name, "unisparse_beat", true, false))
        .collect();
    ports.extend([
        port("sizes", "unisparse_size", true, false),
        port("x", "block_of_x", true, false),
        port("y", "block_of_y", true, false),
        port("result", "block_of_y", true, true),
        port("windows", "unisparse_size", false, false),
        port("addresses", "unisparse_size", false, false),
        port("steps", "unisparse_size", false, false),
        port("alpha", "unisparse_value", false, false),
        port("beta", "unisparse_value", false, false),
    ]);
    ports
}
