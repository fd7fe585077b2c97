//! What the command line asks for.

use std::time::Duration;

pub(crate) const USAGE: &str =
    "cargo bench --bench convert -- [--quick] [--pair NAME] [--matrix NAME] [--scalar f32|f64]
    [--threads 1|all|N] [--scale FACTOR] [--seconds SECONDS]

--pair, --matrix  what contains NAME; a matrix may also be the path of a Matrix Market file
--scalar          both if not given: the matrices of the paper in f32, the generated ones in f64
--threads         one thread and all of them if not given
--scale           how many elements the generated matrices have: 1 is about 5 million
--seconds         how long one comparison takes at least, after three rounds
--quick           small matrices, three rounds: whether everything works

UNISPARSE_PYTHON  the python with scipy, `python3` if not set
UNISPARSE_MKL     the file libmkl_rt.so, looked for below MKLROOT and where libraries are if not set
UNISPARSE_EIGEN   the folder with Eigen's headers, /usr/include/eigen3 if not set";

#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub quick: bool,
    pub pair: Option<String>,
    pub matrix: Option<String>,
    pub scalar: Option<String>,
    pub threads: Vec<usize>,
    pub scale: f64,
    pub budget: Duration,
}

impl Settings {
    /// Those of this process. Run by `cargo test`, which does not pass `--bench`, it is quick.
    pub(crate) fn from_arguments(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let all = std::thread::available_parallelism().map_or(1, usize::from);
        let mut settings = Settings {
            quick: true,
            pair: None,
            matrix: None,
            scalar: None,
            threads: if all > 1 { vec![1, all] } else { vec![1] },
            scale: 1.0,
            budget: Duration::from_millis(800),
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
                "--pair" => settings.pair = Some(value),
                "--matrix" => settings.matrix = Some(value),
                "--scalar" if value == "f32" || value == "f64" => settings.scalar = Some(value),
                "--threads" if value == "all" => settings.threads = vec![all],
                "--threads" => settings.threads = vec![(number()? as usize).max(1)],
                "--scale" => settings.scale = number()?,
                "--seconds" => settings.budget = Duration::try_from_secs_f64(number()?).map_err(|e| e.to_string())?,
                _ => return Err(format!("`{option} {value}` is not an option")),
            }
        }
        if settings.quick {
            settings.budget = Duration::ZERO;
        }
        Ok(settings)
    }
}
