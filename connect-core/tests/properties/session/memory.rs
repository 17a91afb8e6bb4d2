//! Which idempotency keys were used for what.

use crate::properties::shop::{Call, Reply};

/// How long a key is remembered, in seconds.
const DAY: i64 = 24 * 3600;

/// The first use of each key that is still remembered, and every call that had a key.
#[derive(Default)]
pub(crate) struct Memory {
    uses: Vec<Use>,
    pub(crate) calls: Vec<Call>,
}

struct Use {
    call: Call,
    at: i64,
    reply: Reply,
}

/// What is known of a call with a key.
pub(crate) enum Remembered<'m> {
    /// It was made before, with this reply.
    Before(&'m Reply),
    /// Its key was used for another.
    Otherwise,
    /// It has no key, or one that is free.
    Never,
}

impl Memory {
    pub(crate) fn recall(&self, call: &Call, now: i64) -> Remembered<'_> {
        let Some(key) = &call.key else {
            return Remembered::Never;
        };
        let mut uses = self.uses.iter().rev();
        let last = uses.find(|used| used.call.key.as_ref() == Some(key));
        match last {
            Some(used) if now < used.at + DAY && used.call == *call => {
                Remembered::Before(&used.reply)
            }
            Some(used) if now < used.at + DAY => Remembered::Otherwise,
            _ => Remembered::Never,
        }
    }

    pub(crate) fn keep(&mut self, call: &Call, at: i64, reply: &Reply) {
        if call.key.is_some() {
            self.uses.push(Use {
                call: call.clone(),
                at,
                reply: reply.clone(),
            });
        }
    }
}
