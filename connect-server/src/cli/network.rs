//! The options for the limits on connections and memory.

use clap::{Args, builder::RangedU64ValueParser};

use crate::net::Limits;

/// The bytes in a MiB.
const MIB: usize = 1024 * 1024;

/// Options for what the API's listener holds at a time.
#[derive(Clone, Debug, Args)]
pub struct NetworkOptions {
    /// Connections open at once. One more closes the longest idle, or waits.
    #[arg(long, value_name = "N", env = "CONNECT_CONNECTIONS",
          default_value_t = 800, value_parser = at_least(1))]
    pub connections: usize,
    /// Connections open at once from one IPv4 address, or one /64 of IPv6. One more closes the
    /// longest idle of them, or is closed. Trusted proxies may have more.
    #[arg(long, value_name = "N", env = "CONNECT_CONNECTIONS_PER_ADDRESS",
          default_value_t = 200, value_parser = at_least(1))]
    pub connections_per_address: usize,
    /// The bodies of requests that are held at once, in MiB. Further requests are answered with 503
    /// and "Retry-After".
    #[arg(long, value_name = "MIB", env = "CONNECT_BODY_MEMORY",
          default_value_t = 32, value_parser = at_least(4))]
    pub body_memory: usize,
    /// The answers that clients have not taken yet, in MiB. More of them close the connection that
    /// holds most.
    #[arg(long, value_name = "MIB", env = "CONNECT_ANSWER_MEMORY",
          default_value_t = 64, value_parser = at_least(4))]
    pub answer_memory: usize,
}

/// Reads a number of at least `least`.
fn at_least(least: u64) -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(least..=1_000_000)
}

impl NetworkOptions {
    /// Returns the limits of the API's listener.
    pub fn limits(&self) -> Limits {
        Limits {
            connections: self.connections,
            connections_per_address: self.connections_per_address,
            body_bytes: self.body_memory * MIB,
            answer_bytes: self.answer_memory * MIB,
            ..Limits::default()
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
        network: NetworkOptions,
    }

    fn limits(flags: &str) -> Result<Limits, clap::Error> {
        let words = ["connect"].into_iter().chain(flags.split_whitespace());
        Ok(Words::try_parse_from(words)?.network.limits())
    }

    #[test]
    fn flags_change_the_limits_of_the_network_layer_and_nothing_else() {
        assert_eq!(limits("").unwrap(), Limits::default());
        let flags = "--connections 5000 --connections-per-address 50 --body-memory 16 \
                     --answer-memory 8";
        let expected = Limits {
            connections: 5000,
            connections_per_address: 50,
            body_bytes: 16 * MIB,
            answer_bytes: 8 * MIB,
            ..Limits::default()
        };
        assert_eq!(limits(flags).unwrap(), expected);
        for wrong in ["--connections 0", "--body-memory 1", "--answer-memory -1"] {
            assert!(limits(wrong).is_err(), "{wrong}");
        }
    }
}
