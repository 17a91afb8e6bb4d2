//! Attacks on a server, each beside a well-behaved client with measured waits.
//!
//! `cargo run --release -p connect-tests --bin attack` runs them all against the real program; the
//! tests run each for a moment. The frames of HTTP/2 are written by hand, since a client library
//! keeps to the rules.

pub mod bystander;
mod http1;
mod http2;
pub mod scene;
pub mod trial;
pub mod victim;

use std::pin::Pin;

use scene::Scene;

/// The course of an attack, running until dropped.
pub type Course = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An attack.
#[derive(Clone, Copy)]
pub struct Attack {
    /// The name on the command line.
    pub name: &'static str,
    /// The attack in a few words.
    pub about: &'static str,
    /// The attacker.
    pub caller: Caller,
    /// Starts the attack.
    pub run: fn(Scene) -> Course,
}

/// The kind of attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caller {
    /// An attacker without a token.
    Stranger,
    /// The holder of five tokens of one account.
    Customer,
    /// A sender of requests hidden inside another, not to be served.
    Smuggler,
}

/// Returns all attacks.
pub fn all() -> Vec<Attack> {
    [http2::ATTACKS, http1::ATTACKS].concat()
}

/// Declares the attacks of a protocol, one a line.
macro_rules! attacks {
    ($($name:literal $caller:ident $run:path, $about:literal;)+) => {
        /// The attacks.
        pub(super) const ATTACKS: &[$crate::attack::Attack] = &[$(
            $crate::attack::Attack {
                name: $name,
                about: $about,
                caller: $crate::attack::Caller::$caller,
                run: |scene| Box::pin($run(scene)),
            }
        ),+];
    };
}

use attacks;
