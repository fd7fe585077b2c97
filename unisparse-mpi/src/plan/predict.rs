//! The time of a product on any number of ranks, from models.

use std::fmt;

use unisparse::{Advice, Error, Source, SparseTensor, Triplets};

use super::{Network, Plan, partitions};
use crate::partition::Partition;

/// The modelled time of a product `y = A x`, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The product of the own part, on the rank with the most work.
    pub own: f64,
    /// The product of the halo part there.
    pub halo: f64,
    /// The messages of the rank for which they take longest.
    pub messages: f64,
    /// The part of these that every message takes, however short.
    pub latency: f64,
    /// The time of messages that passes during the product of the own part.
    pub hidden: f64,
}

impl Prediction {
    fn new(plan: &Plan, [own, halo]: [f64; 2], network: &Network, element_bytes: usize) -> Self {
        let of_ranks = plan.ranks().iter().map(|rank| {
            let messages = rank.receives.max(rank.sends);
            let elements = rank.halo_columns.max(rank.sent);
            [
                network.seconds(messages, elements * element_bytes),
                network.seconds(messages, 0),
            ]
        });
        let [messages, latency] = of_ranks.fold(
            [0.0; 2],
            |most, of_rank| if of_rank[0] > most[0] { of_rank } else { most },
        );
        Prediction {
            own,
            halo,
            messages,
            latency,
            hidden: network.overlap * messages.min(own),
        }
    }

    /// Returns the seconds of a product.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.own + self.messages - self.hidden + self.halo
    }

    /// Describes the largest part of the time in words.
    #[must_use]
    pub fn why(&self) -> &'static str {
        let parts = [
            (self.own, "the own part"),
            (self.halo, "the halo part"),
            (self.latency, "the number of messages"),
            (self.messages - self.latency, "the bytes of messages"),
        ];
        let most = parts.into_iter().max_by(|left, right| left.0.total_cmp(&right.0));
        most.map_or("", |most| most.1)
    }
}

impl fmt::Display for Prediction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Prediction {
            own,
            halo,
            messages,
            hidden,
            ..
        } = self.scaled(1e6);
        let total = 1e6 * self.seconds();
        write!(
            f,
            "{total:.1} us: own {own:.1}, halo {halo:.1}, messages {messages:.1} of which {hidden:.1} are hidden; most by {}",
            self.why()
        )
    }
}

impl Prediction {
    fn scaled(&self, factor: f64) -> Self {
        Prediction {
            own: self.own * factor,
            halo: self.halo * factor,
            messages: self.messages * factor,
            latency: self.latency * factor,
            hidden: self.hidden * factor,
        }
    }
}

impl Plan {
    /// Predicts the time of a product of a matrix that this process has, distributed as [`Plan::of`] does, in the formats `F` and `H`.
    /// The rank with the most rows and elements is taken for the slowest; [`SparseTensor::advise`] gives the times of its parts.
    ///
    /// # Errors
    /// As [`SparseTensor::advise`].
    pub fn predict<F, H, S>(source: &S, ranks: usize, network: &Network) -> Result<(Plan, Prediction), Error>
    where
        F: SparseTensor<2>,
        H: SparseTensor<2, Scalar = F::Scalar>,
        S: Source<2, Scalar = F::Scalar>,
    {
        let plan = Plan::of(source, ranks);
        let work = |rank: usize| plan.ranks()[rank].rows + plan.ranks()[rank].own + plan.ranks()[rank].halo;
        let slowest = (0..plan.ranks().len()).max_by_key(|rank| work(*rank)).unwrap_or(0);
        let [own, halo] = parts_of(source, &partitions(source, ranks), slowest)?;
        let seconds = [F::advise(&own)?.seconds(), H::advise(&halo)?.seconds()];
        let prediction = Prediction::new(&plan, seconds, network, size_of::<unisparse::ValueOf<F, 2>>());
        Ok((plan, prediction))
    }

    /// Predicts the time of a product of a matrix that no process has, from the advice on a smaller one of the same kind: the times
    /// of the slowest rank's parts grow with their rows and elements. `elements` is the number of elements of the smaller matrix, which
    /// has some, and `element_bytes` the size of an element of `x`.
    #[must_use]
    pub fn extrapolate(
        &self,
        smaller: &Advice,
        elements: usize,
        network: &Network,
        element_bytes: usize,
    ) -> Prediction {
        let slowest = self.ranks().iter().max_by_key(|rank| rank.rows + rank.own + rank.halo);
        let Some(slowest) = slowest else {
            return Prediction::new(self, [0.0; 2], network, element_bytes);
        };
        let seconds = |part: usize, shape: [usize; 2]| match part {
            0 => 0.0,
            part => smaller.scaled(part as f64 / elements as f64, &shape, 1).0,
        };
        let own = seconds(slowest.own, [slowest.rows, slowest.columns]);
        let halo = seconds(slowest.halo, [slowest.halo_rows, slowest.halo_columns]);
        Prediction::new(self, [own, halo], network, element_bytes)
    }
}

/// Returns the own and the halo part of a rank.
fn parts_of<S: Source<2>>(
    source: &S,
    [rows, columns]: &[Partition; 2],
    rank: usize,
) -> Result<[Triplets<S::Scalar, 2>; 2], Error> {
    let (of_rows, of_columns) = (rows.of(rank), columns.of(rank));
    let (mut own, mut others) = (Triplets::new([of_rows.len(), of_columns.len()]), Vec::new());
    let mut pushed = Ok(());
    source.for_each(|[row, column], value| {
        if !of_rows.contains(&row) {
        } else if !of_columns.contains(&column) {
            others.push(([row, column], value));
        } else if pushed.is_ok() {
            pushed = own.push([row - of_rows.start, column - of_columns.start], value);
        }
    });
    pushed?;
    let numbers = |dim: usize| {
        let mut numbers: Vec<usize> = others.iter().map(|(at, _)| at[dim]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers
    };
    let numbers = [numbers(0), numbers(1)];
    let place = |at: [usize; 2]| [0, 1].map(|dim| numbers[dim].partition_point(|other| *other < at[dim]));
    let halo = others.iter().map(|(at, value)| (place(*at), *value));
    let halo = Triplets::try_from_triplets([numbers[0].len(), numbers[1].len()], halo)?;
    Ok([own, halo])
}
