//! A kernel with data as files.

use core::fmt;
use std::io;
use std::path::Path;

use super::HEADERS;
use super::function::Signature;
use crate::file;

/// A kernel for high-level synthesis with the operands of one call: the files that a tool takes, and those of a simulation.
///
/// The result of the same kernel on this machine is what a simulation has to give, bit for bit.
pub struct Project {
    name: String,
    /// The text of the function.
    text: String,
    /// The type of elements in C++.
    element: &'static str,
    /// Files by name, without those of the data.
    files: Vec<(String, String)>,
    /// The data of each port, by its name, and the bytes of the output after the call.
    data: Vec<(String, Datum)>,
}

/// The bytes of an array, or of a number.
pub(super) struct Datum(pub(super) Vec<u8>);

impl Datum {
    pub(super) fn number(number: u64) -> Self {
        Datum(number.to_le_bytes().to_vec())
    }
}

impl Project {
    /// Creates the project of a function, whose text is `text` and whose header `kernel.h` is `header`.
    pub(super) fn new(
        signature: &Signature<'_>,
        element: &'static str,
        header: String,
        text: String,
        data: Vec<Datum>,
        expected: Vec<u8>,
    ) -> Self {
        let kernel = format!("#include \"kernel.h\"\n\n{text}");
        let files = [
            ("kernel.h", header),
            ("kernel.cpp", kernel),
            ("testbench.cpp", signature.test_bench()),
            ("Makefile", signature.makefile()),
            ("link.cfg", signature.link()),
            ("synthesis.tcl", signature.script()),
        ];
        let names = signature.ports.iter().map(|port| port.name).chain(["expected"]);
        let data = data.into_iter().chain([Datum(expected)]);
        Project {
            name: signature.name.to_owned(),
            text,
            element,
            files: files.map(|(name, text)| (name.to_owned(), text)).into(),
            data: names.map(str::to_owned).zip(data).collect(),
        }
    }

    /// Adds a file.
    pub(super) fn with_file(mut self, name: &str, text: String) -> Self {
        self.files.push((name.to_owned(), text));
        self
    }

    /// Adds data that is no port, as a file of the folder `golden`.
    pub(super) fn with_data(mut self, name: &str, bytes: Vec<u8>) -> Self {
        self.data.push((name.to_owned(), Datum(bytes)));
        self
    }

    /// Returns the name of the function.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text of the function, as it is in `kernel.cpp`.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes all files into a folder, which is made if it is not there: the kernel, a test bench with its data, the files of the
    /// vendor's flow, and the headers for a simulation by a C++ compiler alone. `make csim` there simulates the kernel.
    ///
    /// # Errors
    /// What the system reports.
    pub fn emit(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        let text = |name: &str, text: &str| file::write(&folder.join(name), text.as_bytes());
        for (name, of_file) in &self.files {
            text(name, of_file)?;
        }
        for (name, header) in HEADERS {
            // These go beside the vendor's headers, too; the others stand for them.
            let is_ours = name.starts_with("unisparse_");
            let path = if is_ours {
                name.to_owned()
            } else {
                format!("shim/{name}")
            };
            text(&path, header)?;
        }
        self.emit_data(folder.join("golden"))
    }

    /// Writes the data of the test bench into a folder: one file for each port, little-endian, and the expected output. Another
    /// project of the same kernel, formats and element type can be simulated by the test bench of this one:
    /// `./csim FOLDER`.
    ///
    /// # Errors
    /// What the system reports.
    pub fn emit_data(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        for (name, Datum(bytes)) in &self.data {
            file::write(&folder.join(format!("{name}.bin")), bytes)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Project")
            .field("name", &self.name)
            .field("element", &self.element)
            .finish_non_exhaustive()
    }
}
