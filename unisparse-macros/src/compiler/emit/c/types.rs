//! Types of C, and the arithmetic of elements.

use crate::compiler::encoding::IndexType;
use crate::compiler::loops::{Literal, Reduction};

/// The type of elements, and of sums of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// As in Rust: `f64`.
    pub(crate) name: &'static str,
    /// As in C: `double`.
    pub(crate) text: &'static str,
    kind: ElementKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ElementKind {
    Float,
    /// The least and the greatest.
    Integer(&'static str, &'static str),
    Bool,
}

impl Element {
    pub(crate) const ALL: [Element; 11] = [
        Element::new("f64", "double", ElementKind::Float),
        Element::new("f32", "float", ElementKind::Float),
        Element::new("i8", "int8_t", ElementKind::Integer("INT8_MIN", "INT8_MAX")),
        Element::new("i16", "int16_t", ElementKind::Integer("INT16_MIN", "INT16_MAX")),
        Element::new("i32", "int32_t", ElementKind::Integer("INT32_MIN", "INT32_MAX")),
        Element::new("i64", "int64_t", ElementKind::Integer("INT64_MIN", "INT64_MAX")),
        Element::new("u8", "uint8_t", ElementKind::Integer("0", "UINT8_MAX")),
        Element::new("u16", "uint16_t", ElementKind::Integer("0", "UINT16_MAX")),
        Element::new("u32", "uint32_t", ElementKind::Integer("0", "UINT32_MAX")),
        Element::new("u64", "uint64_t", ElementKind::Integer("0", "UINT64_MAX")),
        Element::new("bool", "bool", ElementKind::Bool),
    ];

    const fn new(name: &'static str, text: &'static str, kind: ElementKind) -> Self {
        Element { name, text, kind }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|element| element.name == name)
    }

    pub(crate) fn is_float(self) -> bool {
        self.kind == ElementKind::Float
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self.kind, ElementKind::Integer(..))
    }

    /// A function of the prelude for this type.
    pub(crate) fn function(self, function: &str) -> String {
        format!("unisparse_{function}_{}", self.name)
    }

    fn call(self, function: &str, arguments: &[&Operation]) -> Operation {
        let arguments: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        Operation::atom(format!("{}({})", self.function(function), arguments.join(", ")))
    }

    /// What sums start from.
    pub(crate) fn zero(self) -> &'static str {
        match self.kind {
            ElementKind::Float | ElementKind::Integer(..) => "0",
            ElementKind::Bool => "false",
        }
    }

    /// What leaves the other value of a reduction as it is, NaN too.
    pub(crate) fn identity(self, reduction: Reduction) -> &'static str {
        match (reduction, self.kind) {
            (Reduction::Min | Reduction::Max, ElementKind::Float) => "NAN",
            _ => self.start(reduction),
        }
    }

    /// What a scalar output starts from.
    pub(crate) fn start(self, reduction: Reduction) -> &'static str {
        match (reduction, self.kind) {
            (Reduction::Min, ElementKind::Float) => "INFINITY",
            (Reduction::Max, ElementKind::Float) => "-INFINITY",
            (Reduction::Min, ElementKind::Integer(_, greatest)) => greatest,
            (Reduction::Max, ElementKind::Integer(least, _)) => least,
            (Reduction::Min | Reduction::And, ElementKind::Bool) => "true",
            _ => self.zero(),
        }
    }

    /// A number of the statement.
    pub(crate) fn literal(self, literal: Literal) -> Operation {
        Operation::atom(match literal {
            Literal::Integer(number) => format!("({}){number}", self.text),
            Literal::Float(number) => format!("({}){number:?}", self.text),
        })
    }

    pub(crate) fn plus(self, left: &Operation, right: &Operation) -> Operation {
        match self.kind {
            ElementKind::Float => left.joined("+", right, Binding::Sum),
            ElementKind::Integer(..) => self.call("plus", &[left, right]),
            ElementKind::Bool => left.joined("|", right, Binding::Bits),
        }
    }

    pub(crate) fn times(self, left: &Operation, right: &Operation) -> Operation {
        match self.kind {
            ElementKind::Float => left.joined("*", right, Binding::Product),
            ElementKind::Integer(..) => self.call("times", &[left, right]),
            ElementKind::Bool => left.joined("&", right, Binding::Bits),
        }
    }

    pub(crate) fn negated(self, value: &Operation) -> Operation {
        match self.kind {
            ElementKind::Integer(..) => self.call("negated", &[value]),
            // In parentheses, so that no operator before it becomes another.
            _ => Operation::atom(format!("(-{})", value.within(Binding::Atom))),
        }
    }

    /// Both values in one.
    pub(crate) fn reduced(self, reduction: Reduction, left: &Operation, right: &Operation) -> Operation {
        match reduction {
            Reduction::Plus => self.plus(left, right),
            Reduction::Min => self.call("lesser", &[left, right]),
            Reduction::Max => self.call("greater", &[left, right]),
            Reduction::Or => left.joined("|", right, Binding::Bits),
            Reduction::And => left.joined("&", right, Binding::Bits),
        }
    }
}

/// How tightly the outermost operator of an expression binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Binding {
    /// Bitwise: in parentheses inside anything.
    Bits,
    Sum,
    Product,
    Atom,
}

/// An expression of C.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) text: String,
    binding: Binding,
}

impl Operation {
    pub(crate) fn atom(text: impl Into<String>) -> Self {
        Operation {
            text: text.into(),
            binding: Binding::Atom,
        }
    }

    /// As an operand of an operator: in parentheses unless it binds as tightly.
    fn within(&self, binding: Binding) -> String {
        if self.binding >= binding {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// Operators associate to the left, so that the right operand must bind more tightly.
    fn joined(&self, operator: &str, right: &Operation, binding: Binding) -> Self {
        let (left_binding, right_binding) = match binding {
            Binding::Bits | Binding::Atom => (Binding::Atom, Binding::Atom),
            Binding::Sum => (Binding::Sum, Binding::Product),
            Binding::Product => (Binding::Product, Binding::Atom),
        };
        let (left, right) = (self.within(left_binding), right.within(right_binding));
        Operation {
            text: format!("{left} {operator} {right}"),
            binding,
        }
    }
}

/// The type of an entry of an `idx` or a `ptr` array.
pub(crate) fn integer(index: IndexType) -> String {
    match (index.native, index.signed) {
        (true, false) => "size_t".to_owned(),
        (true, true) => "ptrdiff_t".to_owned(),
        (false, false) => format!("uint{}_t", index.bits),
        (false, true) => format!("int{}_t", index.bits),
    }
}

/// The type of a number that is a `usize` or an `isize` in Rust.
pub(crate) fn number(natural: bool) -> &'static str {
    if natural { "size_t" } else { "ptrdiff_t" }
}

/// Keywords, macros of what the prelude includes, and names that the printer gives.
pub(crate) const RESERVED: [&str; 49] = [
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "true",
    "false",
    "asm",
    "NULL",
    "INFINITY",
    "NAN",
    "I",
    "size_t",
    "ptrdiff_t",
    "sum",
    "any",
    "total",
    "fiber",
    "errno",
];
