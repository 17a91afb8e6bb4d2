//! Tests of any engine, on each.

/// Makes a module of tests for each engine, of generic async functions.
macro_rules! on_each_engine {
    ($($test:ident),+ $(,)?) => {
        #[cfg(feature = "sled")]
        mod sled {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $test() {
                    super::$test::<crate::storage::disk::sled::Sled>().await;
                }
            )+
        }

        #[cfg(feature = "redb")]
        mod redb {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
                async fn $test() {
                    super::$test::<crate::storage::disk::redb::Redb>().await;
                }
            )+
        }
    };
}

pub(super) use on_each_engine;
