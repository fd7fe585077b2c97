//! The page docs/guide/support.md: which stock kernels each stock format has, and for which targets they are printed.

use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;

use super::{golden, report, stock_declarations};
use crate::compiler::compiled::compile;
use crate::compiler::diagnostics::Diagnostics;
use crate::compiler::emit::c::{self, Dialect, Element};
#[cfg(feature = "hls")]
use crate::compiler::emit::hls;
use crate::compiler::emit::{cuda, pim};
use crate::compiler::front::stock::stock;
use crate::compiler::kernel::{self, Kernel, OperandKind};
use crate::compiler::lower::{Program, Target, lower};
use crate::compiler::operand::Operand;
use crate::compiler::storage::Stored;
use crate::compiler::syntax::kernel::KernelDecl;

const PAGE: &str = "../../../docs/guide/support.md";

const INTRODUCTION: &str = "\
# What runs where

A test of the compiler makes this table from the declarations of the stock formats and kernels, and compares it with this page.

- Every format is built from triplets in any order, from its arrays, and from every other format of as many dims. *zeros*: whether
  a stored zero is kept when the tensor is read; if it is not, `Pattern`s cannot be stored.
- *kernels*: the stock kernels that take the format, as any of their operands; the results have any format. `sparse_kernel!` makes
  others, over any formats.
- *C*, *CUDA*, *HLS*, *PIM*: for which of these there is a text or a program, if the format is the first sparse operand and others
  are `Csr`; *all*: for each of them. A text of C or CUDA is given by `kernel_text!`. Of those of CUDA, in **bold** what also runs
  on a device through the run time (`spmv_on`). HLS: `spmv_hls`, or a text. PIM: `pim_kernel!`, for the parts of partitioned
  formats.
- A text is not a measurement. What has been run on which hardware is said in `docs/CUDA.md`, `docs/HLS.md` and `docs/PIM.md`.
- The hybrids `BdiaCsr` and `BellCoo` are not listed: kernels run over their parts, one after the other.
";

/// A kernel of the facade.
struct Known {
    declaration: KernelDecl,
    kernel: Kernel,
    /// Whether every declared format has it.
    is_stock: bool,
}

/// Returns the stock kernels, and those that `src/kernels.rs` declares.
fn kernels() -> Vec<Known> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../src/kernels.rs");
    let text = std::fs::read_to_string(path).expect("the stock kernels");
    let tokens: TokenStream = text.parse().expect("Rust");
    let bodies = tokens.into_iter().filter_map(|token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    let mut statements = Vec::new();
    for body in bodies {
        let mut statement = TokenStream::new();
        for token in body {
            let ends = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == ';');
            statement.extend([token]);
            if ends {
                statements.push(std::mem::take(&mut statement));
            }
        }
    }
    let declared = statements.into_iter().filter_map(|statement| {
        let declaration: KernelDecl = syn::parse2(statement).ok()?;
        let kernel = kernel::check(&declaration, &mut Diagnostics::default())?;
        Some((declaration, kernel, false))
    });
    stock()
        .map(|(declaration, kernel)| (declaration, kernel, true))
        .chain(declared)
        .map(|(declaration, kernel, is_stock)| Known {
            declaration,
            kernel,
            is_stock,
        })
        .collect()
}

impl Known {
    fn takes(&self, format: &Operand) -> bool {
        if self.is_stock {
            return self.kernel.operands[self.kernel.implementor()].rank == format.dims;
        }
        let listed = self.declaration.sparse.iter().flat_map(|operand| &operand.formats);
        listed
            .map(|written| written.path.to_token_stream().to_string())
            .any(|name| name == format.name)
    }

    /// Returns the loops over a format as the first sparse operand, and over `Csr` as the others.
    fn program<'a>(&self, format: &'a Operand, csr: &'a Operand, target: &Target) -> Program<'a> {
        let inputs = 1..self.kernel.operands.len();
        let inputs = inputs.filter(|&number| self.kernel.operands[number].kind == OperandKind::Sparse);
        let operands: Vec<(usize, &Operand)> = inputs
            .zip(std::iter::once(format).chain(std::iter::repeat(csr)))
            .collect();
        lower(&self.kernel, &operands, target)
    }

    fn source<'a>(&self, program: Program<'a>, dialect: Dialect) -> c::Source<'a> {
        c::Source {
            program,
            operands: Vec::new(),
            element: Element::parse("f32").expect("an element type"),
            dialect,
            name: self.kernel.name.clone(),
        }
    }
}

/// A stock format, with `Csr` for other operands.
struct Row {
    format: Operand,
    /// The part of a partitioned format.
    part: Option<Operand>,
    has_holes: bool,
    csr: Operand,
}

/// Returns the operand of a declaration, and whether the format has holes.
fn operand(tokens: &TokenStream) -> (Operand, bool) {
    let compiled = compile(tokens.clone()).unwrap_or_else(|errors| panic!("{errors}"));
    let has_holes = compiled.storage.holes;
    (Operand::of_format(Stored::new(compiled.format)), has_holes)
}

impl Row {
    fn new(tokens: &TokenStream, csr: &TokenStream) -> Self {
        let (format, has_holes) = operand(tokens);
        let part = format.is_partitioned().then(|| operand(tokens).0.into_part());
        Row {
            format,
            part,
            has_holes,
            csr: operand(csr).0,
        }
    }

    fn has_c(&self, known: &Known) -> bool {
        let program = known.program(&self.format, &self.csr, &Target::C);
        !known.source(program, Dialect::C).print().text.is_empty()
    }

    fn has_cuda(&self, known: &Known) -> bool {
        let program = known.program(&self.format, &self.csr, &cuda::TARGET);
        cuda::reason(&program).is_none() && !cuda::print(&known.source(program, cuda::DIALECT)).text.is_empty()
    }

    #[cfg(feature = "hls")]
    fn has_hls(&self, known: &Known) -> bool {
        let program = known.program(&self.format, &self.csr, &hls::TARGET);
        hls::reason(&program).is_none() && !hls::print(&known.source(program, hls::DIALECT)).text.is_empty()
    }

    fn has_pim(&self, known: &Known) -> bool {
        let part = self.part.as_ref();
        part.is_some_and(|part| pim::reason(&known.program(part, &self.csr, &pim::TARGET)).is_none())
    }

    /// Returns the cells of the row. `hls` is the cell for high-level synthesis, where the feature is off.
    fn cells(&self, kernels: &[Known], hls: &str) -> Vec<String> {
        let taking: Vec<&Known> = kernels.iter().filter(|known| known.takes(&self.format)).collect();
        let names = |printed: &dyn Fn(&Known) -> bool| -> Vec<&str> {
            let printed = taking.iter().filter(|known| printed(known));
            printed.map(|known| known.kernel.name.as_str()).collect()
        };
        let list = |names: Vec<&str>| match names.len() {
            0 => "none".to_owned(),
            all if all == taking.len() => "all".to_owned(),
            _ => names.join(", "),
        };
        let cuda: Vec<String> = names(&|known| self.has_cuda(known) && known.declaration.on_device)
            .into_iter()
            .map(|name| format!("**{name}**"))
            .collect();
        let all = list(names(&|known| self.has_cuda(known)));
        let cuda = if cuda.is_empty() {
            all
        } else {
            format!("{all}: {}", cuda.join(", "))
        };
        #[cfg(feature = "hls")]
        let hls = {
            let _ = hls;
            list(names(&|known| self.has_hls(known)))
        };
        vec![
            format!("[`{0}`](crate::formats::{0})", self.format.name),
            if self.has_holes { "dropped" } else { "kept" }.to_owned(),
            match names(&|_| true).join(", ") {
                none if none.is_empty() => "none".to_owned(),
                names => names,
            },
            list(names(&|known| self.has_c(known))),
            cuda,
            hls.to_owned(),
            list(names(&|known| self.has_pim(known))),
        ]
    }
}

/// `BLESS=1 cargo test -p unisparse-macros --features hls support` writes the page again. Without the feature, what the page
/// says on high-level synthesis is not compared.
#[test]
fn the_page_on_support_is_what_the_compiler_prints() {
    let page = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(PAGE);
    let before = std::fs::read_to_string(page).unwrap_or_default();
    let kernels = kernels();
    assert!(kernels.len() >= 10);
    let declarations = stock_declarations();
    let is_csr = |tokens: &&TokenStream| operand(tokens).0.name == "Csr";
    let csr = declarations.iter().find(is_csr).expect("a stock format");
    let mut text = INTRODUCTION.to_owned();
    text += "\n| format | zeros | kernels | C | CUDA | HLS | PIM |\n|---|---|---|---|---|---|---|\n";
    for tokens in &declarations {
        let row = Row::new(tokens, csr);
        let line = before
            .lines()
            .find(|line| line.starts_with(&format!("| [`{}`]", row.format.name)));
        let hls = line.and_then(|line| line.split(" | ").nth(5)).unwrap_or_default();
        text += &format!("| {} |\n", row.cells(&kernels, hls).join(" | "));
    }
    report(std::iter::once(golden(PAGE, &text)));
}
