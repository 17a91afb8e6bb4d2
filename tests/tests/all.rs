//! The end-to-end tests, in modules that mirror the paths of the service.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod access;
mod at_once;
mod backup;
mod bad_requests;
mod changes;
mod checker;
mod compression;
mod dashboard;
mod demo;
mod devices;
mod document;
mod document_texts;
mod durability;
mod errors;
mod failures;
mod growth;
mod http2;
mod layering;
mod metrics;
mod move_commands;
mod moving;
mod operation;
mod probes;
mod processes;
mod raw_http;
mod readmes;
mod routes;
mod rust_version;
mod s3;
mod screens;
mod sdk;
mod secret_addresses;
mod secret_keys;
mod several_accounts;
mod shell_lines;
mod store_check;
mod store_clock;
mod stores;
mod stories;
mod upgrade;
mod webhook_commands;
mod webhook_receivers;
mod webhook_requests;
mod words;
