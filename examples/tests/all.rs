//! The examples against a server in the same process.

mod menu;
mod program;
mod progress;
mod quickstart;
mod service;
mod sync;
