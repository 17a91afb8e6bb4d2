//! Plain HTTP/1.1, one connection per request, without any help that a client would give: what a
//! test asks for is what is sent.

mod answer;
mod request;
mod send;

pub use answer::Answer;
pub use request::{Payload, Request};
pub use send::{send, send_over_http2};
