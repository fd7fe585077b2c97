//! The results that a program writes, compared with the expected ones.

use std::collections::BTreeMap;

use unisparse::__private::c::ParameterKind;

use crate::data::{Case, Expected};

/// The rest of the program's output.
pub(crate) struct Results<'a>(pub(crate) &'a [u8]);

impl<'a> Results<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (bytes, rest) = self.0.split_at(count);
        self.0 = rest;
        bytes
    }

    pub(crate) fn number(&mut self) -> usize {
        u64::from_ne_bytes(self.bytes(8).try_into().unwrap()) as usize
    }
}

/// Returns the difference of the next result from the expected one.
pub(crate) fn difference(case: &Case, results: &mut Results<'_>) -> Option<String> {
    match &case.expected {
        Expected::Dense(expected) => {
            let size = (case.rounded)(&vec![0; case.width]).len();
            let expected: Vec<&[u8]> = expected.chunks(size).collect();
            let found = results.bytes(expected.len() * case.width).chunks(case.width);
            let found: Vec<Vec<u8>> = found.map(case.rounded).collect();
            let at = expected
                .iter()
                .zip(&found)
                .position(|(expected, found)| expected != found);
            at.map(|at| format!("{at}: {:?}, not {:?}", found[at], expected[at]))
        }
        Expected::Sparse(expected) => {
            let found = elements(case, results);
            let other = expected
                .iter()
                .find(|(coordinate, value)| found.get(*coordinate) != Some(*value));
            let more = found.iter().find(|(coordinate, _)| !expected.contains_key(*coordinate));
            other.or(more).map(|(coordinate, _)| {
                format!(
                    "{coordinate:?}: {:?}, not {:?}",
                    found.get(coordinate),
                    expected.get(coordinate)
                )
            })
        }
    }
}

/// Returns the elements of a sparse result. Only an unordered result may have duplicates.
fn elements(case: &Case, results: &mut Results<'_>) -> BTreeMap<Vec<usize>, Vec<u8>> {
    let scattered = matches!(
        case.function.parameters[0].kind,
        ParameterKind::Output { scattered: true }
    );
    let Expected::Sparse(expected) = &case.expected else {
        return BTreeMap::new();
    };
    let (count, dims) = (results.number(), expected.keys().next().map_or(0, Vec::len));
    let coordinates: Vec<Vec<usize>> = (0..count)
        .map(|_| (0..dims).map(|_| results.number()).collect())
        .collect();
    let mut elements: BTreeMap<Vec<usize>, Vec<u8>> = BTreeMap::new();
    for coordinate in coordinates {
        let value = results.bytes(case.width);
        match elements.get_mut(&coordinate) {
            None => {
                elements.insert(coordinate, value.to_vec());
            }
            Some(sum) => {
                assert!(scattered, "{}: {coordinate:?} comes twice", case.function.name);
                *sum = (case.plus)(sum, value);
            }
        }
    }
    for element in elements.values_mut() {
        *element = (case.rounded)(element);
    }
    elements
}
