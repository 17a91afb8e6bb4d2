//! The options for the limits on bytes and records of accounts.

use clap::{Args, builder::RangedU64ValueParser};
use connect_core::{StorageLimits, wire::limits};

/// The bytes in a MiB.
const MIB: u64 = 1024 * 1024;

/// Options for the limits on bytes and records of accounts.
#[derive(Clone, Debug, Args)]
pub struct AccountLimitOptions {
    /// The most that an account stores, all its locations together, in MiB. A write beyond it is refused
    /// as "limit_reached"; registers and kiosks may have a tenth more.
    #[arg(long, value_name = "MIB", env = "CONNECT_ACCOUNT_STORAGE",
          default_value_t = limits::DEFAULT_ACCOUNT_BYTES / MIB, value_parser = at_least_one())]
    pub account_storage: u64,
    /// The most products of a location.
    #[arg(long, value_name = "N", env = "CONNECT_LOCATION_PRODUCTS",
          default_value_t = limits::DEFAULT_LOCATION_PRODUCTS, value_parser = at_least_one())]
    pub location_products: u64,
    /// The most categories of a location.
    #[arg(long, value_name = "N", env = "CONNECT_LOCATION_CATEGORIES",
          default_value_t = limits::DEFAULT_LOCATION_CATEGORIES, value_parser = at_least_one())]
    pub location_categories: u64,
    /// The most option groups of a location.
    #[arg(long, value_name = "N", env = "CONNECT_LOCATION_OPTION_GROUPS",
          default_value_t = limits::DEFAULT_LOCATION_OPTION_GROUPS, value_parser = at_least_one())]
    pub location_option_groups: u64,
}

/// Reads a number of at least 1.
fn at_least_one() -> RangedU64ValueParser<u64> {
    RangedU64ValueParser::new().range(1..=1_000_000_000_000)
}

impl AccountLimitOptions {
    /// Returns the limits.
    pub fn limits(&self) -> StorageLimits {
        StorageLimits {
            products: self.location_products,
            categories: self.location_categories,
            option_groups: self.location_option_groups,
            account_bytes: self.account_storage.saturating_mul(MIB),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Words {
        #[command(flatten)]
        limits: AccountLimitOptions,
    }

    #[test]
    fn defaults_are_those_of_the_core() {
        let words = Words::parse_from(["connect-server"]);
        assert_eq!(words.limits.limits(), StorageLimits::default());
    }

    #[test]
    fn each_limit_is_a_setting() {
        let words = Words::parse_from([
            "connect-server",
            "--account-storage=3",
            "--location-products=4",
            "--location-categories=5",
            "--location-option-groups=6",
        ]);
        let expected = StorageLimits {
            products: 4,
            categories: 5,
            option_groups: 6,
            account_bytes: 3 * MIB,
        };
        assert_eq!(words.limits.limits(), expected);
        for bad in [
            "--account-storage=0",
            "--location-products=-1",
            "--location-products=x",
        ] {
            Words::try_parse_from(["connect-server", bad]).unwrap_err();
        }
    }
}
