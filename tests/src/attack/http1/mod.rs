//! Attacks over HTTP/1.1.

mod bodies;
mod connections;
mod heads;
mod wire;

use crate::attack::attacks;

attacks! {
    "h1-slow-heads" Stranger heads::slow, "600 heads that come a byte a second";
    "h1-endless-head" Stranger heads::endless, "A header that never ends";
    "h1-many-headers" Stranger heads::many, "Heads of thousands of short headers";
    "h1-smuggling" Smuggler heads::smuggling, "Requests within requests, by lengths that lie";
    "h1-slow-bodies" Customer bodies::slow, "400 bodies that come a byte a second";
    "h1-stalled-bodies" Customer bodies::stalled, "400 bodies of 2 MB without their last byte";
    "h1-bodies-at-once" Customer bodies::at_once, "300 bodies of 2 MB at once";
    "h1-tiny-chunks" Customer bodies::tiny_chunks, "Bodies in chunks of one byte";
    "h1-chunk-extensions" Customer bodies::extensions, "Chunks with endless extensions";
    "h1-trailers" Customer bodies::trailers, "Bodies with endless trailers";
    "h1-no-bodies" Customer bodies::expected, "400 requests that wait for 100 Continue and send nothing";
    "h1-pipelining" Customer connections::pipelining, "Thousands of requests in a row, whose answers nobody reads";
    "h1-slow-reading" Stranger connections::slow_reading, "Long answers that are taken byte by byte";
    "h1-flood" Stranger connections::flood, "As many connections of one address as there can be";
    "h1-idle" Stranger connections::idle, "900 connections that are kept with a probe now and then";
    "h1-reconnecting" Stranger connections::reconnecting, "Connections that are reset after a request";
}
