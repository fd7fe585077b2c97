//! The pictures of formats: well-formed SVG, with the arrays that the run time makes of the same tensor.

use unisparse::__private::Tree;
use unisparse::prelude::*;
use unisparse::{SparseTensor, Triplets, sparse_format};

sparse_format! {
    /// For these tests.
    pub format PaperA = |i, j| (row: i, col: j) { trim(1..=1); }
    /// For these tests.
    pub format Dense = |i, j| (row: i, col: j) { }
    /// For these tests.
    pub format Redundant = |i, j| (diag: j - i, row: i, col: j) { merge(diag); trim(diag); }
    /// For these tests.
    pub format Vector = |i| (at: i) { trim(at); }
    /// For these tests.
    pub format Fibers = |i, j, k| (x: i, y: j, z: k) { merge(x, y); trim(x..=z); }
    /// For these tests.
    pub format Mixed = |i, j, k, l| (l: l, i: i, jk: 2 * j + k, k: k) { merge(l); trim(i); }
    /// For these tests.
    pub format UnknownBlocks<const R: usize = 9, const C: usize = 3> =
        |i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }
    /// For these tests.
    pub format Ranked = |i, j| (half: rank / 2, rank, row: i, col: j) where {
        stored = sum(value > 3.5 => 2, value != 0 => 1, _ => 0).group_by(i);
        rank = reorder(stored, ascending).traverse_by(-i);
    } { merge(half, rank); trim(col); }
}

/// Returns the name and the entries of each array in a picture.
fn arrays(svg: &str) -> Vec<(String, Vec<String>)> {
    let document = roxmltree::Document::parse(svg).unwrap_or_else(|error| panic!("{error}\n{svg}"));
    let groups = document
        .descendants()
        .filter(|node| node.attribute("class") == Some("array"));
    let texts = |group: roxmltree::Node<'_, '_>| -> Vec<String> {
        let texts = group.children().filter(|node| node.has_tag_name("text"));
        texts.map(|text| text.text().unwrap_or_default().to_owned()).collect()
    };
    let arrays = groups.map(|group| {
        let mut texts = texts(group).into_iter();
        (texts.next().expect("a name"), texts.collect())
    });
    arrays.collect()
}

/// Checks that the picture of a format has the arrays of a tensor with these elements.
fn check<F: SparseTensor<N, Scalar = f64> + Tree<N, M, Scalar = f64>, const N: usize, const M: usize>(
    shape: [usize; N],
    elements: &[[usize; N]],
) {
    let values = (1..).map(f64::from);
    let triplets = Triplets::try_from_triplets(shape, elements.iter().copied().zip(values)).unwrap();
    let tensor: F = triplets.convert_within(Limit::none()).unwrap();
    // Packed arrays and arrays of parts are compared entry by entry, from the root down.
    let drawn = arrays(&F::describe().svg()).into_iter();
    let drawn = drawn.filter(|(name, _)| !name.ends_with("_size"));
    let (drawn, values): (Vec<_>, Vec<_>) = drawn.partition(|(name, _)| name != "values");
    let drawn: Vec<Vec<String>> = drawn.into_iter().map(|(_, entries)| entries).collect();
    let levels = tensor.arrays().into_iter().flat_map(|level| [level.ptr, level.idx]);
    let expected: Vec<Vec<String>> = levels
        .flatten()
        .map(|array| (0..array.len()).map(|at| array.at(at).to_string()).collect())
        .collect();
    let name = <F as SparseTensor<N>>::NAME;
    assert_eq!(drawn, expected, "{name}");
    let held = (0..Tree::stored(&tensor)).map(|at| match tensor.value(at) {
        0.0 => ".".to_owned(),
        value => value.to_string(),
    });
    assert_eq!(values[0].1, held.collect::<Vec<_>>(), "{name}");
}

#[test]
fn pictures_show_the_arrays_of_the_papers_matrix() {
    macro_rules! each {
        ($($format:ty),* $(,)?) => {$(
            check::<$format, 2, _>([5, 4], &[[0, 0], [1, 1], [2, 1], [2, 2], [2, 3], [4, 3]]);
        )*};
    }
    each!(Coo<f64>, Csr<f64>, Csc<f64>, Dcsr<f64>, Dcsc<f64>, Dia<f64>, DiaVariant<f64>, Bcsr<f64, 2, 2>, Bcsc<f64, 2, 2>);
    each!(Csb<f64, 2>, Bdia<f64, 2>, HiCoo<f64, 2>, PaperA<f64>, Dense<f64>, Redundant<f64>, UnknownBlocks<f64, 2, 3>);
    each!(Ell<f64>, Sell<f64, 2, 2>, Jds<f64>, Bell<f64, 2>, Serpens<f64, 2, 2, 2>, Ranked<f64>);
}

#[test]
fn pictures_show_the_arrays_of_tensors_of_other_ranks() {
    check::<Vector<f64>, 1, _>([8], &[[1], [4], [6]]);
    let elements = [[0, 0, 0], [0, 2, 1], [1, 1, 0], [1, 1, 1], [2, 0, 1], [2, 2, 0]];
    check::<Fibers<f64>, 3, _>([3, 3, 2], &elements);
    check::<Mixed<f64>, 4, _>([3, 3, 2, 2], &elements.map(|[i, j, k]| [i, j, k, i % 2]));
}

#[test]
fn everything_is_in_a_picture() {
    let svg = Bcsr::<f64, 4, 3>::describe().svg();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|node| node.text()).collect();
    let shown = [
        "Bcsr<R=4, C=3>",
        "|i, j| (brow: i / R, bcol: j / C, r: i % R, c: j % C) { merge(brow, bcol); trim(bcol); }",
        "0..⌈j_extent / C⌉",
        "ptr u32, idx u32",
        "trimmed, below brow, one segment for each of its nodes",
    ];
    for text in shown {
        assert!(texts.contains(&text), "{text} is not in {texts:?}");
    }
    // The picture has the default parameters, and names them.
    assert!(texts.iter().any(|text| text.contains("R = 2, C = 2")), "{texts:?}");
}

#[test]
fn a_hybrid_is_drawn_part_by_part() {
    let drawn = arrays(&BdiaCsr::<f64, 2>::describe().svg());
    let parts = [Bdia::<f64, 2>::describe(), Csr::<f64>::describe()].map(|part| arrays(&part.svg()));
    assert_eq!(drawn, parts.concat());
}

#[test]
fn domains_are_in_the_level_table() {
    let table = Dia::<f64>::describe().to_string();
    assert!(table.contains("1 - i_extent..j_extent"), "{table}");
    let a = Dia::try_from_triplets([3, 4], [([2, 1], 1.0)]).unwrap();
    assert!(a.explain().to_string().contains("-2..4"), "{}", a.explain());
}
