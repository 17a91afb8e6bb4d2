//! The command line.

use std::path::PathBuf;

use clap::Parser;
use connect_client::wire::{Id, Location};

/// Bring a menu from a CSV file to a Connect location.
///
/// The file's first line names its columns: externalId, name, category, priceCents, vatRate,
/// barcode, in any order. An empty category or barcode clears it; an empty vatRate leaves it as it
/// is, or gives a new product the location's.
///
/// Exit codes: 0 when the whole file is at the location, 1 when rows were skipped or refused, 2
/// when the run could not start or stopped half way.
// No `Debug`: it would show the token.
#[derive(Parser)]
#[command(version, verbatim_doc_comment)]
pub struct Arguments {
    /// The menu.
    #[arg(value_name = "FILE.csv")]
    pub menu: PathBuf,
    /// The service's base address, such as http://127.0.0.1:8080/v1
    #[arg(long, env = "CONNECT_URL")]
    pub url: String,
    /// An API token with the scope catalog:write; others can see it on a command line, not in the
    /// environment.
    #[arg(long, env = "CONNECT_TOKEN", hide_env_values = true)]
    pub token: String,
    /// The location's id [default: the first at which the token may write the catalog]
    #[arg(long, env = "CONNECT_LOCATION", value_name = "ID")]
    pub location: Option<Id<Location>>,
    /// Say what would happen, and save nothing.
    #[arg(long)]
    pub dry_run: bool,
    /// Send the good rows of a file that has bad ones too.
    #[arg(long)]
    pub skip_bad: bool,
}
