//! Import of products from a CSV file: upload, columns, dry run, result.
//!
//! No step keeps anything on the server: the text of the file and the choices travel on in the form of the next
//! step, and each step reads them anew.

mod fields;
mod form;
mod pages;
mod report;
mod rows;
mod run;
mod sheet;
mod steps;

pub(crate) use steps::{apply, check, show, upload};
