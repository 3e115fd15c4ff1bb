//! What the peers, our own bench and the page's print, read as times.

use anyhow::{Context, Result};
use serde::Deserialize;

/// A step of one program at one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    /// Which program, and how.
    pub who: String,
    /// Width, heads, layers, tokens.
    pub shape: [u32; 4],
    /// Threads or ranks.
    pub threads: u32,
    /// Milliseconds.
    pub milliseconds: f64,
    /// Whether it says that loss and gradients were not the reference's.
    pub is_other_work: bool,
}

/// Our own steps, by `ringside bench --equal-work FOLDER --json`: the quickest and the mean.
pub fn ours(json: &str) -> Result<Vec<(Time, Time)>> {
    #[derive(Deserialize)]
    struct File {
        steps: Vec<Step>,
    }
    #[derive(Deserialize)]
    struct Step {
        d_model: u32,
        heads: u32,
        layers: u32,
        seq_len: u32,
        world_size: u32,
        milliseconds: f64,
        mean_milliseconds: f64,
    }
    let File { steps } = serde_json::from_str(json).context("what `ringside bench` printed")?;
    let times = steps.into_iter().map(|step| {
        let time = |milliseconds| Time {
            who: "ringside".to_owned(),
            shape: [step.d_model, step.heads, step.layers, step.seq_len],
            threads: step.world_size,
            milliseconds,
            is_other_work: false,
        };
        (time(step.milliseconds), time(step.mean_milliseconds))
    });
    Ok(times.collect())
}

/// PyTorch's mean times: `torch threads 1 (64, 4, 2, 256) naive 6.5 ms sdpa 5.7 ms`, a line a
/// shape.
pub fn torch(text: &str) -> Vec<Time> {
    let line = |line: &str| -> Option<[Time; 2]> {
        let (threads, rest) = line.strip_prefix("torch threads ")?.split_once(" (")?;
        let (sizes, rest) = rest.split_once(')')?;
        let (shape, threads) = (shape(sizes, ',')?, threads.trim().parse().ok()?);
        let time = |how: &str| -> Option<Time> {
            let (_, behind) = rest.split_once(&format!(" {how} "))?;
            let milliseconds = behind.split_whitespace().next()?.parse().ok()?;
            let who = format!("PyTorch {how}");
            Some(Time { who, shape, threads, milliseconds, is_other_work: false })
        };
        Some([time("sdpa")?, time("naive")?])
    };
    text.lines().filter_map(line).flatten().collect()
}

/// The quickest times of a library in the browser: lines of a shape, what its check found and
/// what it measured, as in `64_4_2_256 tuned {"ok":true, ..} MS {"min":28.1, ..}`.
pub fn browser(who: &str, threads: u32, text: &str) -> Vec<Time> {
    #[derive(Deserialize)]
    struct Check {
        ok: bool,
    }
    #[derive(Deserialize)]
    struct Measured {
        min: f64,
    }
    let line = |line: &str| -> Option<Time> {
        let (found, measured) = line.trim().split_once(" MS ")?;
        let shape = shape(found.split_whitespace().next()?, '_')?;
        let check: Check = serde_json::from_str(&found[found.find('{')?..]).ok()?;
        let Measured { min } = serde_json::from_str(measured).ok()?;
        let who = who.to_owned();
        Some(Time { who, shape, threads, milliseconds: min, is_other_work: !check.ok })
    };
    text.lines().filter_map(line).collect()
}

/// The page's quickest steps on one rank and two: `64, 4, 2, 256     14.1     9.0`.
pub fn page(text: &str) -> Vec<Time> {
    let line = |line: &str| -> Option<[Time; 2]> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [sizes @ .., one, two] = words.as_slice() else { return None };
        let shape = shape(&sizes.join(" "), ',')?;
        let time = |threads, text: &str| -> Option<Time> {
            let (who, milliseconds) = ("ringside's page".to_owned(), text.parse().ok()?);
            Some(Time { who, shape, threads, milliseconds, is_other_work: false })
        };
        Some([time(1, one)?, time(2, two)?])
    };
    text.lines().filter_map(line).flatten().collect()
}

fn shape(text: &str, between: char) -> Option<[u32; 4]> {
    let sizes: Option<Vec<u32>> = text.split(between).map(|n| n.trim().parse().ok()).collect();
    sizes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: [u32; 4] = [64, 4, 2, 256];
    const LONG: [u32; 4] = [128, 4, 4, 1024];

    fn time(who: &str, shape: [u32; 4], threads: u32, milliseconds: f64) -> Time {
        Time { who: who.to_owned(), shape, threads, milliseconds, is_other_work: false }
    }

    #[test]
    fn pytorch() {
        let text = "a warning of its own\n\
                    torch threads 2 (64, 4, 2, 256) naive 6.5 ms sdpa 5.7 ms\n\
                    torch threads 2 (128, 4, 4, 1024) naive 216.0 ms sdpa 153.4 ms\n";
        let expect = [
            time("PyTorch sdpa", SMALL, 2, 5.7),
            time("PyTorch naive", SMALL, 2, 6.5),
            time("PyTorch sdpa", LONG, 2, 153.4),
            time("PyTorch naive", LONG, 2, 216.0),
        ];
        assert_eq!(torch(text), expect);
    }

    #[test]
    fn libraries_in_the_browser() {
        let text = "runTf {\"cfgs\":[0,2],\"modes\":[\"tuned\"],\"bud\":3000}\n   \
                    isolated false wasm simd true mt false threads 1\n   \
                    64_4_2_256 tuned {\"loss\":4.56,\"refLoss\":4.56,\"ok\":true} MS {\"min\":28.1,\"med\":29,\"n\":40}\n   \
                    128_4_4_1024 first 91 {\"loss\":4.1,\"ok\":false} MS {\"min\":760.25,\"med\":770,\"n\":4}\n";
        let other = Time { is_other_work: true, ..time("tfjs", LONG, 1, 760.25) };
        assert_eq!(browser("tfjs", 1, text), [time("tfjs", SMALL, 1, 28.1), other]);
    }

    #[test]
    fn our_own() {
        let text = r#"{"kind":"equal work","version":1,"steps":[{"d_model":64,"heads":4,"layers":2,
            "seq_len":256,"world_size":2,"loss":4.5,"grad_norm":0.1,"milliseconds":2.5,
            "mean_milliseconds":2.75}]}"#;
        let both = (time("ringside", SMALL, 2, 2.5), time("ringside", SMALL, 2, 2.75));
        assert_eq!(ours(text).unwrap(), [both]);
        assert!(ours("not JSON").is_err());
    }

    #[test]
    fn the_pages() {
        let text = "ms per step: d, heads, layers, T         1 rank      2 ranks\n\
                    64, 4, 2, 256                              14.1          9.0\n\
                    steps per second                         103.0\n";
        let who = "ringside's page";
        assert_eq!(page(text), [time(who, SMALL, 1, 14.1), time(who, SMALL, 2, 9.0)]);
    }
}
