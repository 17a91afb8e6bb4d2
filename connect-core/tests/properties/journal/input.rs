//! Steps of registers: rows that add up, rows that do not, closings, and repeats.

use proptest::{collection::vec, option, prelude::*, sample::Index, sample::select};

/// The number of registers.
pub(super) const REGISTERS: usize = 3;

/// The midnights, in seconds, of days around both changes of the clock in 2026 and between them.
const DAYS: [i64; 7] = [
    1_774_656_000, // 28 March
    1_774_742_400,
    1_774_828_800,
    1_782_864_000, // 1 July
    1_792_800_000, // 24 October
    1_792_886_400,
    1_792_972_800,
];
/// The time at which all of it is written: 26 October 2026, 12:00.
pub(super) const NOW: i64 = 1_793_016_000;

/// A line of goods.
#[derive(Clone, Debug)]
pub(super) struct Goods {
    pub(super) thousandths: i64,
    pub(super) unit_cents: i64,
    pub(super) option_cents: Option<i64>,
    /// The part of the price that is taken off, in percent.
    pub(super) percent_off: i64,
    pub(super) rate_hundredths: i64,
}

/// The kind of a row, with what only this kind has.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Sale(Vec<Goods>),
    /// Goods come back, perhaps from one of the sales.
    Refund(Vec<Goods>, Option<Index>),
    /// Cash is moved: `opening_float`, `cash_in` or `cash_out`.
    Cash(&'static str, i64),
}

/// A row that a register writes.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) register: usize,
    /// The time in seconds; `None` for now.
    pub(super) at: Option<i64>,
    pub(super) kind: Kind,
    /// The part of a sale or refund that is paid in cash, in cents.
    pub(super) cash_cents: i64,
    /// Sends the VAT along.
    pub(super) has_vat: bool,
}

/// A step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Write(Row),
    /// A row with a figure that is a cent too high.
    Wrong(Row),
    Close {
        register: usize,
        counted: Option<i64>,
    },
    /// A register sends again what it sent before.
    Repeat(Index),
}

/// A look at the list of rows.
#[derive(Clone, Debug)]
pub(super) struct Look {
    pub(super) from: Option<Edge>,
    pub(super) to: Option<Edge>,
    pub(super) kind: Option<&'static str>,
    /// The rank of a row among all, in hundredths.
    pub(super) since: Option<u64>,
    pub(super) limit: usize,
}

/// An edge of a period: a day or a time in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) enum Edge {
    Day(i64),
    At(i64),
}

fn goods() -> impl Strategy<Value = Goods> {
    (
        select(vec![1000_i64, 2000, 12_000, 350, 500, 1, 1234]),
        select(vec![0_i64, 1, 99, 250, 333, 1999]),
        option::weighted(0.3, select(vec![0_i64, 1, 50])),
        select(vec![0_i64, 0, 10, 33, 100]),
        select(vec![0_i64, 550, 900, 2100]),
    )
        .prop_map(
            |(thousandths, unit_cents, option_cents, percent_off, rate_hundredths)| Goods {
                thousandths,
                unit_cents,
                option_cents,
                percent_off,
                rate_hundredths,
            },
        )
}

fn kinds() -> impl Strategy<Value = Kind> {
    let goods = || vec(goods(), 1..4);
    prop_oneof![
        6 => goods().prop_map(Kind::Sale),
        2 => (goods(), option::of(any::<Index>())).prop_map(|(goods, of)| Kind::Refund(goods, of)),
        1 => (0_i64..20_000).prop_map(|cents| Kind::Cash("opening_float", cents)),
        1 => (1_i64..20_000).prop_map(|cents| Kind::Cash("cash_in", cents)),
        1 => (1_i64..20_000).prop_map(|cents| Kind::Cash("cash_out", -cents)),
    ]
}

/// Times near midnight, when days begin, and any others.
fn times() -> impl Strategy<Value = i64> {
    let minutes = prop_oneof![21 * 60..24 * 60_i64, 0..3 * 60_i64, 0..24 * 60_i64];
    (select(DAYS.to_vec()), minutes).prop_map(|(day, minutes)| day + 60 * minutes)
}

fn rows() -> impl Strategy<Value = Row> {
    (
        0..REGISTERS,
        option::weighted(0.9, times()),
        kinds(),
        -500_i64..2000,
        any::<bool>(),
    )
        .prop_map(|(register, at, kind, cash_cents, has_vat)| Row {
            register,
            at,
            kind,
            cash_cents,
            has_vat,
        })
}

/// Steps of any kind.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => rows().prop_map(Step::Write),
        1 => rows().prop_map(Step::Wrong),
        2 => (0..REGISTERS, option::of(0_i64..50_000))
            .prop_map(|(register, counted)| Step::Close { register, counted }),
        2 => any::<Index>().prop_map(Step::Repeat),
    ]
}

/// Makes the rows come in the order of their times, as those of registers that are online do.
pub(super) fn in_order(bursts: &mut [Vec<Step>]) {
    let times = || {
        |step: &mut Step| match step {
            Step::Write(row) => row.at,
            _ => None,
        }
    };
    let mut sorted: Vec<i64> = bursts.iter_mut().flatten().filter_map(times()).collect();
    sorted.sort_unstable();
    let mut sorted = sorted.into_iter();
    for step in bursts.iter_mut().flatten() {
        if let Step::Write(row) = step
            && row.at.is_some()
        {
            row.at = sorted.next();
        }
    }
}

fn edges() -> impl Strategy<Value = Edge> {
    prop_oneof![
        select(DAYS.to_vec()).prop_map(Edge::Day),
        times().prop_map(Edge::At)
    ]
}

/// Looks at the list.
pub(super) fn looks() -> impl Strategy<Value = Look> {
    (
        option::of(edges()),
        option::of(edges()),
        option::weighted(
            0.3,
            select(vec![
                "sale",
                "refund",
                "opening_float",
                "cash_in",
                "cash_out",
            ]),
        ),
        option::weighted(0.3, 0_u64..120),
        select(vec![1_usize, 3, 200]),
    )
        .prop_map(|(from, to, kind, since, limit)| Look {
            from,
            to,
            kind,
            since,
            limit,
        })
}
