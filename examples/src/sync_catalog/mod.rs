//! Brings a menu from a CSV file to a location: what is new is created, what differs is updated,
//! what is the same is left alone. Products are known by their `externalId`, categories by name.
//!
//! The file is the truth for the fields it has, and says nothing of products it does not list:
//! those stay. It is checked for what could not be sent (a price that is no number, a code that
//! appears twice); what a product may be is the service's business, which refuses items one by
//! one and saves the others.

mod arguments;
mod columns;
mod lines;
mod menu;
mod progress;
mod report;
mod row;
mod run;

pub use arguments::Arguments;
pub use columns::{COLUMNS, Column, ColumnsError};
pub use menu::{Menu, MenuError};
pub use progress::Progress;
pub use row::{BadRow, Row};
pub use run::{Outcome, Stopped, run};
