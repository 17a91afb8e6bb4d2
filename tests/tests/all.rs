//! The end-to-end tests, in modules that mirror the paths of the service.

mod checker;
mod document;
