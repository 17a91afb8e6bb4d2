//! Runs a property on a backend, with a fresh shop for each input.

use proptest::{
    strategy::Strategy,
    test_runner::{Config, RngSeed, TestRunner},
};
use tokio::runtime::{Builder, Runtime};

use super::shop::{Backend, Shop};

/// The cases that `PROPTEST_CASES` counts when it is not set.
const USUAL: u64 = 256;
/// The run that is the same each time.
const SEED: u64 = 20_261_121;

/// Whether the tasks of a case run side by side.
#[derive(Clone, Copy)]
pub(crate) enum Threads {
    /// One after another, in the order in which they were started.
    One,
    /// At once.
    Many,
}

/// Holds `property` against `cases` inputs, or as many more as `PROPTEST_CASES` asks for.
pub(crate) fn holds<I, P: Future<Output = ()>>(
    on: Backend,
    threads: Threads,
    cases: u64,
    inputs: impl Strategy<Value = I>,
    property: impl Fn(Shop, I) -> P,
) where
    I: std::fmt::Debug,
{
    let runtime = runtime(threads);
    let mut runner = TestRunner::new(config(cases));
    let outcome = runner.run(&inputs, |input| {
        runtime.block_on(async {
            let shop = Shop::open(on).await;
            // A property that uses only parts of the shop would drop the rest at once.
            let premises = shop.premises();
            property(shop, input).await;
            drop(premises);
        });
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!("{failure}");
    }
}

fn runtime(threads: Threads) -> Runtime {
    match threads {
        Threads::One => Builder::new_current_thread().enable_all().build().unwrap(),
        Threads::Many => Builder::new_multi_thread()
            .worker_threads(4)
            .enable_all()
            .build()
            .unwrap(),
    }
}

fn config(cases: u64) -> Config {
    let asked = Config::default();
    let cases = (cases * u64::from(asked.cases)).div_ceil(USUAL);
    let rng_seed = match asked.rng_seed {
        RngSeed::Random => RngSeed::Fixed(SEED),
        fixed => fixed,
    };
    Config {
        cases: u32::try_from(cases).unwrap(),
        rng_seed,
        failure_persistence: None,
        max_shrink_iters: 2000,
        // In milliseconds. A long input on a disk would be made smaller for many minutes.
        max_shrink_time: 30_000,
        ..asked
    }
}

/// A test for each backend: its name, the threads, the cases in memory and on disk, the inputs
/// and the property.
macro_rules! on_each_backend {
    ($name:ident, $threads:expr, $memory:expr, $disk:expr, $inputs:expr, $property:expr) => {
        mod $name {
            #[allow(unused_imports, reason = "what the inputs are made of")]
            use super::*;
            use crate::properties::{check::holds, shop::Backend};

            #[test]
            fn memory() {
                holds(Backend::Memory, $threads, $memory, $inputs, $property);
            }

            #[cfg(feature = "sled")]
            #[test]
            fn sled() {
                holds(Backend::Sled, $threads, $disk, $inputs, $property);
            }

            #[cfg(feature = "redb")]
            #[test]
            fn redb() {
                holds(Backend::Redb, $threads, $disk, $inputs, $property);
            }

            #[cfg(all(unix, feature = "postgres"))]
            #[test]
            fn postgres() {
                if connect_core::storage::postgres::testing::is_here() {
                    // Each case has a database of its own, which takes longer than a directory.
                    let cases = u64::div_ceil($disk, 4);
                    holds(Backend::Postgres, $threads, cases, $inputs, $property);
                }
            }
        }
    };
}
pub(crate) use on_each_backend;
