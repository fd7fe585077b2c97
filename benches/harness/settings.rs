//! The settings from the command line.

use std::time::Duration;

pub(crate) const USAGE: &str = "cargo bench -p benches --bench compute -- [--workload NAME] [--columns N] ..
cargo bench -p benches --bench convert -- [--pair NAME] ..
cargo bench -p benches --bench sizes -- [--workload NAME] [--memory reused|fresh] ..
cargo bench -p benches --bench advise -- ..
cargo bench -p benches --bench tune -- [--columns N] ..
cargo bench -p benches --features cuda --bench gpu -- [--columns N] ..
    [--quick] [--matrix NAME] [--scalar f32|f64] [--threads 1|all|N] [--cache warm|cold] [--scale FACTOR] [--seconds SECONDS]

--workload  of compute: spmv, spmm, spgemm, add, mttkrp, sddmm, overhead; of sizes: what contains NAME, several with commas, or growth; all if not given
--columns   of the dense operand: of spmm 8, 32, 128 and 1000, of tune 1, of gpu 1, 32 and 128 if not given
--pair      of convert: what contains NAME
--matrix    the one of this name, else what contains NAME; several with commas between them; or the path of a Matrix Market file
--scalar    both if not given; of convert: the matrices of the paper in f32, the generated ones in f64
--threads   one thread and all of them if not given
--cache     of compute: what the caches hold when a clock starts; both, where that matters, if not given
--memory    of sizes: where results lie; both if not given
--scale     how many elements the generated matrices have: 1 is beyond the caches
--seconds   how long one comparison takes at least, after three rounds
--quick     small matrices, one round: whether everything works

UNISPARSE_PYTHON     the python with scipy, `python3` if not set
UNISPARSE_MKL        the file libmkl_rt.so, looked for below MKLROOT and where libraries are if not set
UNISPARSE_GRAPHBLAS  the file libgraphblas.so, of version 7 or later, looked for where libraries are if not set
UNISPARSE_EIGEN      the folder with Eigen's headers, /usr/include/eigen3 if not set";

/// How long one comparison takes at least, if the command line does not say.
pub(crate) const BUDGET: Duration = Duration::from_millis(800);

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub quick: bool,
    pub workload: Option<String>,
    pub columns: Option<usize>,
    pub pair: Option<String>,
    pub matrix: Option<String>,
    pub scalar: Option<String>,
    pub threads: Vec<usize>,
    pub cache: Option<String>,
    pub memory: Option<String>,
    pub scale: f64,
    seconds: Option<Duration>,
}

impl Settings {
    /// Returns the settings of this process, which ends if a name is unknown. Run by `cargo test`, which does not pass
    /// `--bench`, the benches are quick.
    pub(crate) fn of_process() -> Self {
        Self::from_arguments(std::env::args().skip(1)).unwrap_or_else(|error| {
            eprintln!("{error}\n\n{USAGE}");
            std::process::exit(2);
        })
    }

    fn from_arguments(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let mut settings = Settings {
            quick: true,
            workload: None,
            columns: None,
            pair: None,
            matrix: None,
            scalar: None,
            threads: if all > 1 { vec![1, all] } else { vec![1] },
            cache: None,
            memory: None,
            scale: 1.0,
            seconds: None,
        };
        let arguments: Vec<String> = arguments.collect();
        if arguments.iter().any(|argument| argument == "--bench") {
            settings.quick = arguments.iter().any(|argument| argument == "--quick");
        }
        let mut rest = arguments.into_iter().filter(|argument| argument != "--bench");
        while let Some(option) = rest.next() {
            if option == "--quick" {
                continue;
            }
            let value = rest
                .next()
                .ok_or_else(|| format!("`{option}` is not an option, or has no value"))?;
            let number = || {
                value
                    .parse::<f64>()
                    .map_err(|_| format!("`{option} {value}` is not a number"))
            };
            match option.as_str() {
                "--workload" => settings.workload = Some(value),
                "--columns" => settings.columns = Some((number()? as usize).max(1)),
                "--pair" => settings.pair = Some(value),
                "--matrix" => settings.matrix = Some(value),
                "--scalar" if value == "f32" || value == "f64" => settings.scalar = Some(value),
                "--threads" if value == "all" => settings.threads = vec![all],
                "--threads" => settings.threads = vec![(number()? as usize).max(1)],
                "--cache" if value == "warm" || value == "cold" => settings.cache = Some(value),
                "--memory" if value == "reused" || value == "fresh" => settings.memory = Some(value),
                "--scale" => settings.scale = number()?,
                "--seconds" => {
                    settings.seconds = Some(Duration::try_from_secs_f64(number()?).map_err(|e| e.to_string())?);
                }
                _ => return Err(format!("`{option} {value}` is not an option")),
            }
        }
        if settings.quick {
            settings.scale = settings.scale.min(2e-4);
        }
        Ok(settings)
    }

    /// Returns how long one comparison takes at least: `usual`, if the command line does not say.
    pub(crate) fn budget(&self, usual: Duration) -> Duration {
        match self.quick {
            true => Duration::ZERO,
            false => self.seconds.unwrap_or(usual),
        }
    }

    pub(crate) fn wants_scalar(&self, name: &str) -> bool {
        self.scalar.as_ref().is_none_or(|scalar| scalar == name)
    }

    /// Whether a matrix is selected, by one of several names; `names` are all there are.
    pub(crate) fn wants_matrix(&self, name: &str, names: &[String]) -> bool {
        self.matrix.as_ref().is_none_or(|wanted| {
            wanted
                .split(',')
                .any(|wanted| name == wanted || (name.contains(wanted) && !names.iter().any(|name| name == wanted)))
        })
    }
}
