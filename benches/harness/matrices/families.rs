//! Matrices by family: the advice on one must not be fitted to its like.

use super::super::settings::Settings;
use super::{Recipe, Set, recipes};

/// Real matrices with fewer elements are left out by the benches of advice.
pub(crate) const FEWEST: usize = 5000;

/// Real matrices of these folders, each a family, if they are there.
const FOLDERS: [&str; 5] = ["structured", "circuit", "graph", "rect", "dlmc"];

/// Returns the matrices of these sets that the settings want, each with its family. A path to a file is the only matrix, a real
/// one.
pub(crate) fn families(sets: &[Set], settings: &Settings) -> Vec<(Recipe, String)> {
    if let Some(path) = settings.matrix.as_ref().filter(|name| name.contains(".mtx")) {
        return vec![(Recipe::read(path, Set::Real, path.into()), String::new())];
    }
    let mut all = Vec::new();
    for &set in sets {
        if set == Set::Real {
            for folder in FOLDERS {
                let recipes = Recipe::of_folder(set, folder);
                all.extend(recipes.into_iter().map(|recipe| (recipe, folder.to_owned())));
            }
        } else {
            // The matrices in cache are named as the large ones, with one more letter.
            let family = |recipe: Recipe| {
                let family = recipe.name.trim_end_matches('s').to_owned();
                (recipe, family)
            };
            all.extend(recipes(&[set], settings.scale).into_iter().map(family));
        }
    }
    let names: Vec<String> = all.iter().map(|(recipe, _)| recipe.name.clone()).collect();
    all.retain(|(recipe, _)| settings.wants_matrix(&recipe.name, &names));
    all
}
