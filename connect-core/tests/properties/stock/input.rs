//! Writes about stock, from a small space in which things collide.

use proptest::{collection::vec, option, prelude::*};

/// The external ids that there are.
pub(super) const CODES: [&str; 3] = ["RYE", "BUN", "PIE"];

/// A product that a write is about, by its number among those of its kind.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pick {
    /// One that is there.
    Live(u8),
    /// One that was deleted.
    Gone(u8),
    /// One of another location.
    Foreign,
    /// None that there is.
    Unknown,
}

/// A product as a write names it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name {
    Id(Pick),
    Code(&'static str),
}

/// A count: the quantity in thousandths, and the one that is expected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Count {
    pub(super) quantity: i64,
    pub(super) expected: Option<i64>,
}

/// A write.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Create(Option<&'static str>),
    /// Changes the external id.
    Rename(Pick, Option<&'static str>),
    /// Changes something else.
    Price(Pick),
    Delete(Pick),
    Count(Pick, Count),
    CountMany {
        items: Vec<(Name, Count)>,
        dry_run: bool,
    },
    Adjust {
        name: Name,
        change: i64,
        delivery: bool,
    },
    Sell {
        lines: Vec<(Option<Pick>, i64)>,
        refund: bool,
    },
    /// Asks for what changed since the last time.
    Poll,
}

fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![
        8 => any::<u8>().prop_map(Pick::Live),
        1 => any::<u8>().prop_map(Pick::Gone),
        1 => Just(Pick::Foreign),
        1 => Just(Pick::Unknown),
    ]
}

fn code() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&CODES[..])
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![pick().prop_map(Name::Id), code().prop_map(Name::Code)]
}

/// A quantity in thousandths; the largest that there is, too.
fn quantity() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => prop::sample::select(&[0, 1, 125, 500, 1000, 2500][..]),
        1 => Just(1_000_000_000_000),
    ]
}

fn count() -> impl Strategy<Value = Count> {
    (quantity(), option::weighted(0.2, quantity()))
        .prop_map(|(quantity, expected)| Count { quantity, expected })
}

pub(super) fn steps() -> impl Strategy<Value = Step> {
    let pieces = prop::sample::select(&[1, 125, 500, 1000, 2500][..]);
    let lines = vec((option::weighted(0.9, pick()), pieces), 1..5);
    prop_oneof![
        3 => option::of(code()).prop_map(Step::Create),
        2 => (pick(), option::of(code())).prop_map(|(pick, code)| Step::Rename(pick, code)),
        1 => pick().prop_map(Step::Price),
        1 => pick().prop_map(Step::Delete),
        4 => (pick(), count()).prop_map(|(pick, count)| Step::Count(pick, count)),
        3 => (vec((name(), count()), 1..6), any::<bool>())
            .prop_map(|(items, dry_run)| Step::CountMany { items, dry_run }),
        4 => (name(), quantity(), any::<bool>(), any::<bool>()).prop_map(
            |(name, quantity, less, delivery)| Step::Adjust {
                name,
                change: if less { -quantity } else { quantity },
                delivery,
            }
        ),
        4 => (lines, any::<bool>()).prop_map(|(lines, refund)| Step::Sell { lines, refund }),
        1 => Just(Step::Poll),
    ]
}
