//! Starts, serves and stops the server, and prepares its process.

mod config;
mod deliveries;
mod fd_limit;
mod listeners;
mod reload;
pub mod run;
pub(crate) mod stop;
mod store_watchdog;
mod supervisor;
mod umask;
mod upkeep;
mod warnings;
