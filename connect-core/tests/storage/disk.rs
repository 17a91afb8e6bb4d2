//! The embedded stores: what both engines have in common, and what opening guards against.
//!
//! Each test is written once, for any engine, and runs on each.

mod damaged_files;
mod frozen;
mod harness;
mod kill;
mod large;
mod opening;
mod promises;
mod rows;
mod values;
mod version;

/// Makes a module of tests for each engine out of async functions that are generic over it.
macro_rules! on_each_engine {
    ($($test:ident),+ $(,)?) => {
        mod sled {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test::<crate::storage::disk::harness::Sled>().await;
                }
            )+
        }

        mod redb {
            $(
                #[tokio::test(flavor = "multi_thread")]
                async fn $test() {
                    super::$test::<crate::storage::disk::harness::Redb>().await;
                }
            )+
        }
    };
}

use on_each_engine;
