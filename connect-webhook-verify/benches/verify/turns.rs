//! Measures several ways in short turns, so that what disturbs one disturbs the others.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

/// How long one way works before the next has its turn.
const TURN: Duration = Duration::from_millis(2);
const TURNS: usize = 400;

type Work<'a> = Box<dyn FnMut() -> u8 + 'a>;

/// Ways to compare with the first of them.
pub(crate) struct Contest<'a> {
    ways: Vec<(&'static str, Work<'a>)>,
}

impl<'a> Contest<'a> {
    pub(crate) fn new(name: &'static str, work: impl FnMut() -> u8 + 'a) -> Self {
        Self { ways: Vec::new() }.against(name, work)
    }

    pub(crate) fn against(mut self, name: &'static str, work: impl FnMut() -> u8 + 'a) -> Self {
        self.ways.push((name, Box::new(work)));
        self
    }

    /// Prints the median of each way and the median of its ratio to the first in the same round.
    pub(crate) fn run(mut self) {
        let counts: Vec<_> = self
            .ways
            .iter_mut()
            .map(|(_, work)| calibrate(work))
            .collect();
        let mut times = vec![Vec::new(); self.ways.len()];
        for round in 0..TURNS {
            // Each round begins with another way, so that none always follows the same one.
            for place in 0..self.ways.len() {
                let way = (place + round) % self.ways.len();
                times[way].push(turn(&mut self.ways[way].1, counts[way]));
            }
        }
        println!("  {:<42} {:>9} {:>11} {:>7}", "", "ns", "a second", "ratio");
        for ((name, _), spent) in self.ways.iter().zip(&times) {
            let ratios = spent
                .iter()
                .zip(&times[0])
                .map(|(own, first)| own / first)
                .collect();
            let nanoseconds = median(spent.clone());
            let rate = 1e9 / nanoseconds;
            println!(
                "  {name:<42} {nanoseconds:>9.1} {rate:>11.0} {:>7.3}",
                median(ratios)
            );
        }
    }
}

/// How often the work is done in a turn.
fn calibrate(work: &mut Work<'_>) -> u32 {
    let start = Instant::now();
    let mut count = 0;
    while start.elapsed() < 10 * TURN {
        black_box(work());
        count += 1;
    }
    (count / 10).max(1)
}

/// Nanoseconds for one piece of work.
fn turn(work: &mut Work<'_>, count: u32) -> f64 {
    let start = Instant::now();
    for _ in 0..count {
        black_box(work());
    }
    start.elapsed().as_nanos() as f64 / f64::from(count)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
