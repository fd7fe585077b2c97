//! The arguments of a kernel, as data from which a host makes its calls.

use crate::compiler::encoding::IndexType;
use crate::compiler::kernel::OperandKind;
use crate::compiler::loops::{TensorLevel, Variables};
use crate::compiler::lower::Program;
use crate::compiler::storage::{FieldKind, fields};

/// One argument of a kernel.
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) kind: ArgumentKind,
    /// The type of a scalar argument, or of the entries of an array.
    pub(super) entry: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArgumentKind {
    /// The elements of a dense operand, by its number in the kernel. The kernels write only operand 0.
    Dense(usize),
    /// A scalar operand, by its number in the kernel.
    Scalar(usize),
    /// The values of a tensor, by its number in the program.
    Values(usize),
    /// The `ptr` array of a level.
    Pointers(TensorLevel),
    /// The `idx` array of a level.
    Indices(TensorLevel),
    /// The number of entries of the `idx` array of a level at the root.
    Count(TensorLevel),
    /// The extent of an index, by its number in the kernel.
    Extent(usize),
    /// A const parameter of a tensor's format.
    Parameter { tensor: usize, parameter: usize },
}

impl ArgumentKind {
    pub(super) fn is_array(self) -> bool {
        use ArgumentKind::{Count, Dense, Extent, Indices, Parameter, Pointers, Scalar, Values};
        match self {
            Dense(_) | Values(_) | Pointers(_) | Indices(_) => true,
            Scalar(_) | Count(_) | Extent(_) | Parameter { .. } => false,
        }
    }
}

impl Argument {
    /// Returns the declaration of the parameter.
    pub(super) fn declaration(&self) -> String {
        let Argument { name, kind, entry } = self;
        match kind {
            ArgumentKind::Dense(0) => format!("__global {entry} *restrict {name}"),
            kind if kind.is_array() => format!("__global const {entry} *restrict {name}"),
            _ => format!("const {entry} {name}"),
        }
    }
}

const ELEMENT: &str = "ELEMENT";
const NUMBER: &str = "long";

/// Returns the output, the inputs in order of appearance, then the extents and the const parameters.
pub(super) fn arguments(program: &Program<'_>, variables: &mut Variables) -> Vec<Argument> {
    let mut arguments = Arguments {
        taken: reserved(),
        arguments: Vec::new(),
    };
    let parameters = program.tensors.iter().flat_map(|tensor| &tensor.format.parameters);
    arguments
        .taken
        .extend(parameters.map(|parameter| name(&parameter.name)));
    for (number, operand) in program.kernel.operands.iter().enumerate() {
        let lower = operand.name.to_lowercase();
        match operand.kind {
            OperandKind::Dense => arguments.add(&lower, ArgumentKind::Dense(number), ELEMENT),
            OperandKind::Scalar => arguments.add(&lower, ArgumentKind::Scalar(number), ELEMENT),
            OperandKind::Sparse => {
                let tensors = (0..program.tensors.len()).filter(|&tensor| program.tensors[tensor].operand == number);
                tensors.for_each(|tensor| arguments.of_tensor(program, tensor));
            }
        }
    }
    variables.avoid(&arguments.taken, &[]);
    let Arguments { mut arguments, .. } = arguments;
    let mut add = |name: String, kind| {
        arguments.push(Argument {
            name,
            kind,
            entry: NUMBER.to_owned(),
        });
    };
    for (index, extent) in program.extents.iter().enumerate() {
        add(name(variables.name(*extent)), ArgumentKind::Extent(index));
    }
    for (tensor, of) in program.tensors.iter().enumerate() {
        for (number, parameter) in of.format.parameters.iter().enumerate() {
            let parameter_of = ArgumentKind::Parameter {
                tensor,
                parameter: number,
            };
            add(name(&parameter.name), parameter_of);
        }
    }
    // Tensors of one format may share their const parameters.
    let mut seen = Vec::new();
    arguments.retain(|argument| {
        let is_new = !seen.contains(&argument.name);
        seen.push(argument.name.clone());
        is_new
    });
    arguments
}

struct Arguments {
    taken: Vec<String>,
    arguments: Vec<Argument>,
}

impl Arguments {
    /// Adds an argument with this name, followed by underscores if the name is taken.
    fn add(&mut self, wanted: &str, kind: ArgumentKind, entry: &str) {
        let mut name = wanted.trim_start_matches("r#").to_owned();
        while self.taken.contains(&name) {
            name.push('_');
        }
        self.taken.push(name.clone());
        let entry = entry.to_owned();
        self.arguments.push(Argument { name, kind, entry });
    }

    /// Adds the arrays of a tensor, from the root down.
    fn of_tensor(&mut self, program: &Program<'_>, tensor: usize) {
        let (of, prefix) = (&program.tensors[tensor], program.prefix(tensor));
        for field in fields(of.format, of.storage) {
            let level = TensorLevel {
                tensor,
                level: field.level,
            };
            let array = format!("{prefix}{}", field.name);
            match field.kind {
                // Formats with sizes are rejected.
                FieldKind::Size => {}
                FieldKind::Pointers => self.add(&array, ArgumentKind::Pointers(level), &integer(field.integer)),
                FieldKind::Indices => {
                    if of.storage.levels[field.level].parent.is_none() {
                        let count = format!("{prefix}{}_count", of.format.levels[field.level].name);
                        self.add(&count, ArgumentKind::Count(level), NUMBER);
                    }
                    self.add(&array, ArgumentKind::Indices(level), &integer(field.integer));
                }
            }
        }
        self.add(&format!("{prefix}values"), ArgumentKind::Values(tensor), ELEMENT);
    }
}

/// Returns the type of the entries of an array.
fn integer(index: IndexType) -> String {
    let sign = if index.signed { "" } else { "u" };
    let name = match index.bits {
        8 => "char",
        16 => "short",
        32 => "int",
        _ => "long",
    };
    format!("{sign}{name}")
}

/// Returns a name that the user chose, as a name in OpenCL C.
pub(super) fn name(name: &str) -> String {
    let name = name.trim_start_matches("r#");
    if reserved().iter().any(|reserved| reserved == name) {
        format!("{name}_")
    } else {
        name.to_owned()
    }
}

/// Returns the names that variables must not have: the language's and the printer's.
fn reserved() -> Vec<String> {
    const TYPES: [&str; 11] = [
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
    ];
    const WORDS: &str = "auto bool break case complex const constant continue default do else enum event_t extern for \
        generic global goto if image2d_t image3d_t imaginary inline kernel local main pipe private quad read_only \
        read_write register restrict return sampler_t signed sizeof size_t static struct switch typedef union unsigned \
        void volatile while write_only ptrdiff_t intptr_t uintptr_t bitfield ELEMENT get_global_id sum sums";
    let vectors = TYPES
        .iter()
        .flat_map(|name| ["", "2", "3", "4", "8", "16"].map(|width| format!("{name}{width}")));
    vectors.chain(WORDS.split_whitespace().map(ToOwned::to_owned)).collect()
}
