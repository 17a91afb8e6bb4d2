//! Tests on a shop in each of the stores.

/// Makes a test for each store.
macro_rules! on_each_store {
    ($name:ident) => {
        mod $name {
            use crate::properties::shop::{Backend, Shop};

            #[tokio::test]
            async fn memory() {
                super::$name(Shop::open(Backend::Memory).await).await;
            }

            #[cfg(feature = "sled")]
            #[tokio::test]
            async fn sled() {
                super::$name(Shop::open(Backend::Sled).await).await;
            }

            #[cfg(feature = "redb")]
            #[tokio::test]
            async fn redb() {
                super::$name(Shop::open(Backend::Redb).await).await;
            }

            #[cfg(all(unix, feature = "postgres"))]
            #[tokio::test]
            async fn postgres() {
                if connect_core::storage::postgres::testing::is_here() {
                    super::$name(Shop::open(Backend::Postgres).await).await;
                }
            }
        }
    };
}
