//! Attacks over HTTP/2.

mod bodies;
mod connection;
mod frame;
mod headers;
mod reading;
mod small;
mod streams;

use crate::attack::attacks;

attacks! {
    "h2-rapid-reset" Customer streams::rapid_reset, "Requests that are reset at once";
    "h2-made-to-reset" Customer streams::made_to_reset, "Requests that the server has to reset";
    "h2-many-streams" Customer streams::many, "2000 streams at once that wait for a body";
    "h2-reused-streams" Customer streams::reused, "Ids of streams that are used up";
    "h2-after-end" Customer streams::after_end, "Data and headers on streams that have ended";
    "h2-goaway" Customer streams::goaway, "GOAWAY, and more requests behind it";
    "h2-half-preface" Stranger streams::half_preface, "700 connections that begin and do not go on";
    "h2-continuation" Stranger headers::continuation, "A head that never ends";
    "h2-empty-continuation" Stranger headers::empty_continuation, "A head that never ends, in empty frames";
    "h2-header-list" Stranger headers::long_list, "Heads of 1 MB";
    "h2-hpack-bomb" Stranger headers::bomb, "A header of 4 kB, repeated by a byte each";
    "h2-nameless-headers" Stranger headers::nameless, "Headers without a name";
    "h2-table-churn" Customer headers::table_churn, "The header table resized before each request";
    "h2-table-of-long-heads" Stranger headers::table_of_long_heads, "Heads of 12 kB, each with a path to keep";
    "h2-pings" Stranger small::pings, "PINGs whose answers nobody reads";
    "h2-settings" Stranger small::settings, "SETTINGS whose answers nobody reads";
    "h2-priorities" Stranger small::priorities, "PRIORITY frames of many streams";
    "h2-window-updates" Stranger small::window_updates, "WINDOW_UPDATE frames of one byte";
    "h2-tiny-data" Customer bodies::tiny, "Bodies in frames of one byte";
    "h2-empty-data" Customer bodies::empty, "Bodies in empty frames";
    "h2-padding" Customer bodies::padded, "Bodies that are padding for the most part";
    "h2-stalled-bodies" Customer bodies::stalled, "400 bodies of 2 MB without their last byte";
    "h2-bodies-at-once" Customer bodies::at_once, "300 bodies of 2 MB at once, deeply nested";
    "h2-window-0" Stranger reading::window_0, "Answers without a window to send them in";
    "h2-window-0-pages" Customer reading::window_0_pages, "The same with pages of 200 products";
    "h2-window-drip" Stranger reading::drip, "Answers that are taken byte by byte";
    "h2-unread" Stranger reading::unread, "Answers with the widest window, which nobody reads";
}
