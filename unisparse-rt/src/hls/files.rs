//! Prints the files of a project.

use std::fmt::Write as _;

use super::function::{Function, Port, Signature};

/// The header of a kernel, for one element type and operands of some lengths.
pub(super) struct Header {
    pub(super) function: &'static Function,
    /// The type of elements in C++.
    pub(super) element: &'static str,
    /// Whether places have 64 bits.
    pub(super) is_wide: bool,
    /// The mean and the greatest number of iterations of each loop of the function.
    pub(super) trips: Vec<(u64, u64)>,
    pub(super) constants: Vec<(&'static str, usize)>,
}

/// The memory banks of a device with HBM.
const BANKS: usize = 32;

impl Signature<'_> {
    /// Returns the declaration in C++, without a semicolon.
    pub(super) fn declaration(&self) -> String {
        let of = |port: &Port<'_>| {
            let Port {
                name,
                kind,
                is_array,
                is_written,
            } = port;
            let constant = if *is_array && !is_written { "const " } else { "" };
            format!("{constant}{kind} {}{name}", if *is_array { "*" } else { "" })
        };
        let ports: Vec<String> = self.ports.iter().map(of).collect();
        format!("extern \"C\" void {}({})", self.name, ports.join(", "))
    }

    /// Returns a program that calls the kernel with the data of a folder, and compares.
    pub(super) fn test_bench(&self) -> String {
        let (name, ports) = (self.name, self.ports);
        let mut text = format!(
            "{}\nint main(int count, char **arguments) {{\n",
            include_str!("shim/testbench.h")
        );
        text += "    const std::string folder = count > 1 ? arguments[1] : \"golden\";\n";
        for Port {
            name, kind, is_array, ..
        } in ports
        {
            let _ = match (is_array, *kind) {
                (true, _) => writeln!(text, "    data {name}(folder, \"{name}\");"),
                (false, "unisparse_value") => {
                    writeln!(
                        text,
                        "    const {kind} {name} = data(folder, \"{name}\").element<{kind}>();"
                    )
                }
                (false, _) => writeln!(
                    text,
                    "    const {kind} {name} = ({kind})data(folder, \"{name}\").element<uint64_t>();"
                ),
            };
        }
        let passed = ports.iter().map(|port| match port.is_array {
            true => format!("{}.elements<{}>()", port.name, port.kind),
            false => port.name.to_owned(),
        });
        let passed: Vec<String> = passed.collect();
        let output = ports.iter().find(|port| port.is_written).map_or("", |port| port.name);
        let _ = writeln!(text, "    {name}({});", passed.join(", "));
        text +=
            &format!("    return compare<unisparse_value>(\"{name}\", {output}, data(folder, \"expected\"));\n}}\n");
        text
    }

    pub(super) fn makefile(&self) -> String {
        include_str!("shim/Makefile.in").replace("KERNEL_NAME", self.name)
    }

    /// Returns the banks of memory in which the arrays are.
    pub(super) fn link(&self) -> String {
        let (name, ports) = (self.name, self.ports);
        let mut text = "# A bank of memory for each array. A device without HBM has DDR[0], DDR[1], ..\n".to_owned();
        text += &format!("[connectivity]\nnk={name}:1:{name}_1\n");
        for (bank, port) in ports.iter().filter(|port| port.is_array).enumerate() {
            text += &format!("sp={name}_1.{}:HBM[{}]\n", port.name, bank % BANKS);
        }
        text
    }

    /// Returns the script that simulates and synthesises the kernel alone.
    pub(super) fn script(&self) -> String {
        let name = self.name;
        format!(
            "# vitis_hls -f synthesis.tcl\nopen_project -reset synthesis\nset_top {name}\nadd_files kernel.cpp -cflags \"-I.\"\n\
             add_files -tb testbench.cpp -cflags \"-I.\"\nadd_files -tb golden\nopen_solution -reset solution -flow_target vitis\n\
             set_part {{xcu280-fsvh2892-2L-e}}\ncreate_clock -period 3.33\ncsim_design\ncsynth_design\nexit\n"
        )
    }
}

impl Header {
    /// Returns `kernel.h`: the types, the constants of this choice of formats and operands, and the function.
    pub(super) fn text(&self) -> String {
        let Header {
            function,
            element,
            is_wide,
            trips,
            constants,
        } = self;
        let mut text = format!("// {}\n#ifndef KERNEL_H\n#define KERNEL_H\n\n", function.about);
        if *is_wide {
            text += "#define UNISPARSE_WIDE\n";
        }
        text += &format!("#include \"unisparse_hls.h\"\n\ntypedef {element} unisparse_value;\n\n");
        for (name, value) in constants {
            text += &format!("static const unisparse_size {name} = {value};\n");
        }
        text += "// Numbers of iterations of these operands, for the tool's reports.\n#define UNISPARSE_TRIPS\n";
        for (loops, (mean, most)) in function.trips.iter().zip(trips) {
            let name = loops.name;
            text += &format!("static const unsigned mean_of_{name} = {mean}, most_of_{name} = {most};\n");
        }
        text + &format!(
            "\n{}{};\n\n#endif\n",
            function.structs,
            function.signature().declaration()
        )
    }
}
