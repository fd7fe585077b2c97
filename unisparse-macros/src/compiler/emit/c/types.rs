//! Types of C, and the arithmetic of elements.

use crate::compiler::loops::{Literal, Reduction};

/// The type of elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// The name in Rust, such as `f64`.
    pub(crate) name: &'static str,
    /// The type in operands, as in C, such as `double`.
    pub(crate) stored: &'static str,
    /// The type of products, sums and results.
    pub(crate) text: &'static str,
    kind: ElementKind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ElementKind {
    Float,
    /// The names of the least and the greatest value.
    Integer(&'static str, &'static str),
    Bool,
    /// Two floating-point numbers, which have no order.
    Complex,
    /// Widened to `float` where it is read. Sums and results are `float`, so that they are rounded once.
    Half,
    /// Any of the others but complex numbers: the text names its types and functions, which the prelude defines.
    Any,
    /// The same, as a type that has operators.
    #[cfg_attr(not(feature = "hls"), expect(dead_code, reason = "of high-level synthesis"))]
    Operators,
}

impl Element {
    /// The element type that is chosen when the text is compiled.
    pub(crate) const ANY: Element = Element {
        name: "value",
        stored: "unisparse_stored",
        text: "unisparse_value",
        kind: ElementKind::Any,
    };

    /// The element type that is chosen when the text is compiled, in a language with operators for its own types.
    #[cfg(feature = "hls")]
    pub(crate) const OPERATORS: Element = Element {
        name: "value",
        stored: "unisparse_value",
        text: "unisparse_value",
        kind: ElementKind::Operators,
    };

    pub(crate) const ALL: [Element; 15] = [
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
        Element::new("Complex64", "double _Complex", ElementKind::Complex),
        Element::new("Complex32", "float _Complex", ElementKind::Complex),
        Element::half("f16", "unisparse_f16"),
        Element::half("bf16", "unisparse_bf16"),
    ];

    const fn new(name: &'static str, text: &'static str, kind: ElementKind) -> Self {
        Element {
            name,
            stored: text,
            text,
            kind,
        }
    }

    const fn half(name: &'static str, stored: &'static str) -> Self {
        Element {
            name,
            stored,
            text: "float",
            kind: ElementKind::Half,
        }
    }

    /// Returns the element type for a path as Rust prints its tokens.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let name = path.rsplit("::").next().map(str::trim);
        Self::ALL.into_iter().find(|element| Some(element.name) == name)
    }

    /// Returns the suffix of names in C.
    pub(crate) fn suffix(self) -> String {
        self.name.to_lowercase()
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self.kind, ElementKind::Float | ElementKind::Half)
    }

    /// Whether results have four or eight bytes, and an order, or may have.
    pub(crate) fn is_word(self) -> bool {
        !matches!(self.text, "int8_t" | "int16_t" | "uint8_t" | "uint16_t" | "bool") && !self.is_complex()
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self.kind, ElementKind::Integer(..))
    }

    pub(crate) fn is_complex(self) -> bool {
        self.kind == ElementKind::Complex
    }

    pub(crate) fn is_any(self) -> bool {
        self.kind == ElementKind::Any
    }

    /// Whether elements of operands are converted where they are read.
    pub(crate) fn is_half(self) -> bool {
        self.kind == ElementKind::Half
    }

    /// Returns an element of an operand as a number to compute with.
    pub(crate) fn read(self, stored: String) -> String {
        if self.is_half() || self.is_any() {
            format!("{}({stored})", self.function("wide"))
        } else {
            stored
        }
    }

    /// Returns the name of a prelude function for this type.
    pub(crate) fn function(self, function: &str) -> String {
        format!("unisparse_{function}_{}", self.suffix())
    }

    fn call(self, function: &str, arguments: &[&Operation]) -> Operation {
        let arguments: Vec<&str> = arguments.iter().map(|argument| argument.text.as_str()).collect();
        Operation::atom(format!("{}({})", self.function(function), arguments.join(", ")))
    }

    /// Returns the start value of sums.
    pub(crate) fn zero(self) -> &'static str {
        match self.kind {
            ElementKind::Bool => "false",
            _ => "0",
        }
    }

    /// Returns the identity of a reduction, which preserves NaN.
    pub(crate) fn identity(self, reduction: Reduction) -> &'static str {
        match (reduction, self.kind) {
            (Reduction::Min | Reduction::Max, ElementKind::Float | ElementKind::Half) => "NAN",
            (Reduction::Min, ElementKind::Any | ElementKind::Operators) => "UNISPARSE_MIN_IDENTITY",
            (Reduction::Max, ElementKind::Any | ElementKind::Operators) => "UNISPARSE_MAX_IDENTITY",
            _ => self.start(reduction),
        }
    }

    /// Returns the start value of a scalar output.
    pub(crate) fn start(self, reduction: Reduction) -> &'static str {
        match (reduction, self.kind) {
            (Reduction::Min, ElementKind::Float | ElementKind::Half) => "INFINITY",
            (Reduction::Max, ElementKind::Float | ElementKind::Half) => "-INFINITY",
            (Reduction::Min, ElementKind::Integer(_, greatest)) => greatest,
            (Reduction::Max, ElementKind::Integer(least, _)) => least,
            (Reduction::Min | Reduction::And, ElementKind::Bool) => "true",
            (Reduction::Min, ElementKind::Any | ElementKind::Operators) => "UNISPARSE_MIN_START",
            (Reduction::Max, ElementKind::Any | ElementKind::Operators) => "UNISPARSE_MAX_START",
            (Reduction::And, ElementKind::Any | ElementKind::Operators) => "UNISPARSE_AND_START",
            _ => self.zero(),
        }
    }

    /// Returns a number of the statement.
    pub(crate) fn literal(self, literal: Literal) -> Operation {
        Operation::atom(match literal {
            Literal::Integer(number) => format!("({}){number}", self.text),
            Literal::Float(number) => format!("({}){number:?}", self.text),
        })
    }

    pub(crate) fn plus(self, left: &Operation, right: &Operation) -> Operation {
        match self.kind {
            ElementKind::Integer(..) | ElementKind::Any => self.call("plus", &[left, right]),
            ElementKind::Bool => left.joined("|", right, Binding::Bits),
            _ => left.joined("+", right, Binding::Sum),
        }
    }

    pub(crate) fn times(self, left: &Operation, right: &Operation) -> Operation {
        match self.kind {
            ElementKind::Integer(..) | ElementKind::Any => self.call("times", &[left, right]),
            ElementKind::Bool => left.joined("&", right, Binding::Bits),
            ElementKind::Complex => self.call("times", &[left, right]),
            _ => left.joined("*", right, Binding::Product),
        }
    }

    pub(crate) fn negated(self, value: &Operation) -> Operation {
        match self.kind {
            ElementKind::Integer(..) | ElementKind::Any => self.call("negated", &[value]),
            // The parentheses keep the sign from merging with an operator before it.
            _ => Operation::atom(format!("(-{})", value.within(Binding::Atom))),
        }
    }

    /// Returns the reduction of both values.
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

/// The precedence of the outermost operator of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Binding {
    /// A bitwise operator, in parentheses inside every other operator.
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

    /// Returns the expression as an operand, in parentheses if its precedence is lower than `binding`.
    fn within(&self, binding: Binding) -> String {
        if self.binding >= binding {
            self.text.clone()
        } else {
            format!("({})", self.text)
        }
    }

    /// Returns a binary operation. Operators associate to the left, so the right operand needs a higher precedence.
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

/// Returns the type of a number that is a `usize` or an `isize` in Rust.
pub(crate) fn number(natural: bool) -> &'static str {
    if natural { "size_t" } else { "ptrdiff_t" }
}

/// Keywords, macros of the headers that the prelude includes, and names that the printer uses.
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
