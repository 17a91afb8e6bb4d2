//! The end-to-end tests, in modules that mirror the paths of the service.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod access;
mod backup;
mod bad_requests;
mod catalog;
mod changes;
mod checker;
mod compression;
mod dashboard;
mod demo;
mod devices;
mod document;
mod document_texts;
mod durability;
mod error_details;
mod errors;
mod failures;
mod growth;
mod http2;
mod idempotency;
mod layering;
mod locations;
mod metrics;
mod move_commands;
mod moving;
mod operation;
mod owner_commands;
mod pages;
mod probes;
mod processes;
mod rate_limits;
mod raw_http;
mod readmes;
mod routes;
mod rust_version;
mod screens;
mod sdk;
mod secret_addresses;
mod servers;
mod several_accounts;
mod shell_lines;
mod stock;
mod store_check;
mod store_clock;
mod webhook_commands;
mod webhook_receivers;
mod webhook_requests;
mod words;
