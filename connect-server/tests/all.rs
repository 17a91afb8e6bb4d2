//! Tests of the server over real sockets.

mod demo;
mod net;
