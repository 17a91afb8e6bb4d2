//! Plain HTTP/1.1, one connection per request.
//! A request is sent exactly as the test states it, without the usual help of a client.

mod answer;
mod request;
mod send;

pub use answer::Answer;
pub use request::{Payload, Request};
pub use send::{send, send_over_http2};
