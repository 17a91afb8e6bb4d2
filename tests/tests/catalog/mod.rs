//! Categories and products.

mod at_once;
mod batch;
mod categories;
mod filters;
mod images;
mod products;
