//! Steps of everybody who writes, from a small space in which names and references collide.

use proptest::{collection::vec, option, prelude::*, sample::select};

/// The locations.
pub(super) const PLACES: usize = 2;

/// The registers of a location.
pub(super) const REGISTERS: usize = 2;

/// The external ids of products and of groups.
const CODES: [&str; 4] = ["A", "B", "C", "D"];

/// A record by its number among those of its kind; `None` for one that is not there.
pub(super) type Pick = Option<u8>;

/// The fields that are given of a product. What is `Some(None)` is cleared.
#[derive(Clone, Debug)]
pub(super) struct Fields {
    pub(super) code: Option<&'static str>,
    pub(super) name: Option<&'static str>,
    pub(super) price: Option<i64>,
    /// The name of the category.
    pub(super) category: Option<Option<&'static str>>,
    pub(super) image: Option<Option<&'static str>>,
    pub(super) groups: Option<Vec<Pick>>,
}

/// A write, before it is known what its references lead to.
#[derive(Clone, Debug)]
pub(super) enum Write {
    CreateCategory(&'static str),
    MoveCategory(Pick, i64),
    DeleteCategory(Pick),
    CreateProduct(Fields),
    UpdateProduct(Pick, Fields),
    DeleteProduct(Pick),
    ManyProducts(Vec<Fields>, bool),
    Link {
        products: Vec<Pick>,
        add: Pick,
        remove: Pick,
    },
    CreateGroup(Option<&'static str>),
    RenameGroup(Pick, &'static str),
    SetOption(Pick, bool),
    DeleteGroup(Pick),
    ManyGroups(Vec<(&'static str, &'static str)>, bool),
    Count(Pick, i64),
    CountMany(Vec<(Pick, i64)>, bool),
    Adjust(Pick, i64),
    /// A sale, or a refund, of pieces of products, perhaps of an order.
    Sell {
        register: usize,
        lines: Vec<(Pick, i64)>,
        is_refund: bool,
        order: Option<Pick>,
    },
    MoveCash(usize),
    Close(usize),
    /// A kiosk, or Scan & Order, makes an order.
    MakeOrder(bool),
    MoveOrder(Pick, Option<&'static str>),
}

/// A step.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// One of the processes gets these writes at once, each at one of the locations.
    Burst(usize, Vec<(usize, Write)>),
    /// The images that were asked for are downloaded.
    Images,
    /// The owner switches the second webhook off, or on.
    Switch(bool),
    /// The clocks go on.
    Wait,
}

fn pick() -> impl Strategy<Value = Pick> {
    option::weighted(0.95, any::<u8>())
}

fn code() -> impl Strategy<Value = &'static str> {
    select(CODES.to_vec())
}

fn category() -> impl Strategy<Value = &'static str> {
    select(vec!["Bread", "Cake", "Soup"])
}

fn fields() -> impl Strategy<Value = Fields> {
    let image = select(vec!["rye", "bun", "damaged"]);
    (
        option::of(code()),
        option::weighted(0.8, select(vec!["Rye", "Bun"])),
        option::of(0_i64..3),
        option::weighted(0.4, option::weighted(0.8, category())),
        option::weighted(0.2, option::weighted(0.8, image)),
        option::weighted(0.2, vec(pick(), 0..3)),
    )
        .prop_map(|(code, name, price, category, image, groups)| Fields {
            code,
            name,
            price,
            category,
            image,
            groups,
        })
}

fn lines() -> impl Strategy<Value = Vec<(Pick, i64)>> {
    vec((pick(), 1_i64..4), 1..4)
}

fn writes() -> impl Strategy<Value = Write> {
    let name = || select(vec!["Size", "Sauce"]);
    let status = select(vec!["new", "accepted", "ready", "completed", "cancelled"]);
    let is_dry = || prop::bool::weighted(0.2);
    let register = || 0..REGISTERS;
    let catalog = prop_oneof![
        2 => category().prop_map(Write::CreateCategory),
        1 => (pick(), 0_i64..3).prop_map(|(of, position)| Write::MoveCategory(of, position)),
        1 => pick().prop_map(Write::DeleteCategory),
        4 => fields().prop_map(Write::CreateProduct),
        4 => (pick(), fields()).prop_map(|(of, fields)| Write::UpdateProduct(of, fields)),
        1 => pick().prop_map(Write::DeleteProduct),
        3 => (vec(fields(), 1..5), is_dry()).prop_map(|(all, dry)| Write::ManyProducts(all, dry)),
        2 => (vec(pick(), 1..4), pick(), pick())
            .prop_map(|(products, add, remove)| Write::Link { products, add, remove }),
        2 => option::of(code()).prop_map(Write::CreateGroup),
        1 => (pick(), name()).prop_map(|(of, name)| Write::RenameGroup(of, name)),
        1 => (pick(), any::<bool>()).prop_map(|(of, is_on)| Write::SetOption(of, is_on)),
        1 => pick().prop_map(Write::DeleteGroup),
        1 => (vec((code(), name()), 1..4), is_dry())
            .prop_map(|(all, dry)| Write::ManyGroups(all, dry)),
    ];
    let counter = prop_oneof![
        3 => (pick(), 0_i64..4).prop_map(|(of, quantity)| Write::Count(of, quantity)),
        1 => (vec((pick(), 0_i64..4), 1..4), is_dry())
            .prop_map(|(all, dry)| Write::CountMany(all, dry)),
        1 => (pick(), 1_i64..4).prop_map(|(of, change)| Write::Adjust(of, change)),
        3 => (register(), lines(), prop::bool::weighted(0.3), option::weighted(0.3, pick()))
            .prop_map(|(register, lines, is_refund, order)| Write::Sell {
                register,
                lines,
                is_refund,
                order,
            }),
        1 => register().prop_map(Write::MoveCash),
        1 => register().prop_map(Write::Close),
        1 => any::<bool>().prop_map(Write::MakeOrder),
        2 => (pick(), option::weighted(0.8, status))
            .prop_map(|(of, status)| Write::MoveOrder(of, status)),
    ];
    prop_oneof![3 => catalog, 2 => counter]
}

/// Steps of any kind.
pub(super) fn steps() -> impl Strategy<Value = Step> {
    let burst = (0..2_usize, vec((0..PLACES, writes()), 1..6));
    prop_oneof![
        12 => burst.prop_map(|(process, writes)| Step::Burst(process, writes)),
        1 => Just(Step::Images),
        1 => any::<bool>().prop_map(Step::Switch),
        1 => Just(Step::Wait),
    ]
}
