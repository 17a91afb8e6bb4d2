//! Categories and products.

mod batch;
mod categories;
mod filters;
mod images;
mod products;
