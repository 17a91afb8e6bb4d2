//! Option groups (specification: Option group, Option).

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{
    BatchInput, Field, Id, MatchBy,
    field::Target,
    form::{Cents, ExternalId, Name, Objects, OrNull, Whole},
    input::input,
    limits::{
        MAX_EXTERNAL_ID, MAX_OPTION_GROUP_NAME, MAX_OPTION_GROUPS_PER_BATCH, MAX_OPTION_NAME,
        MAX_OPTIONS, MAX_POSITION, MAX_PRICE_CENTS, MAX_SELECT,
    },
    record::record,
};

record! {
    /// A choice for customers of a product, such as its sauces.
    /// It belongs to one location, and any product there can have it.
    pub struct OptionGroup;

    /// The body for creating or changing an option group.
    /// Creating one requires `name` and `options`.
    ///
    /// ```
    /// use connect_core::wire::{OptionGroupInput, OptionInput};
    ///
    /// let sauces = OptionGroupInput::named("Sauces", vec![
    ///     OptionInput::named("Ketchup"),
    ///     OptionInput::named("Mayonnaise"),
    /// ]);
    /// # assert_eq!(sauces.options.value().unwrap().len(), 2);
    /// ```
    pub struct OptionGroupInput;

    /// The group to match, in a batch matched by `id`.
    /// Ignored everywhere else.
    id => Id<OptionGroup>;
    /// The client's own code, unique among the groups of the location.
    /// `null` removes it.
    external_id: Option<String> => OrNull<ExternalId<MAX_EXTERNAL_ID>>;
    /// The name of the group.
    name: String => Name<MAX_OPTION_GROUP_NAME>, required;
    /// The minimum number of choices of a customer; 0 leaves it open.
    /// At most the number of options.
    min_select: i64 = 0 => Whole<MAX_SELECT>;
    /// The maximum number of choices of a customer; 0 is no limit.
    /// Otherwise at least `minSelect`.
    max_select: i64 = 0 => Whole<MAX_SELECT>;
    /// The position among the groups; smaller comes first.
    position: i64 = 0 => Whole<MAX_POSITION>;
    /// The ISO code of the location's currency.
    #[cfg_attr(feature = "schema", schemars(regex(pattern = "^[A-Z]{3}$")))]
    currency: String, read_only;
    /// The options, in display order.
    /// A list in a request replaces the whole list. An option keeps its id and any fields left out
    /// if it matches a stored option by `id`, else by `externalId`, else by `name`. Options without
    /// a match are created, and stored options left out are deleted.
    options: Vec<GroupOption> => Objects<OptionInput, 1, MAX_OPTIONS>, required;
}

/// An option of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GroupOption {
    /// Its id.
    pub id: Id<Self>,
    /// The client's own code for the option, unique in its group.
    pub external_id: Option<String>,
    /// The name of the option, unique in its group.
    pub name: String,
    /// The surcharge in cents, VAT included.
    pub price_cents: i64,
    /// `true` while it can be chosen.
    /// Kiosks and Scan & Order show other options as sold out.
    pub is_available: bool,
}

input! {
    /// The body for creating or changing an option.
    /// A new option requires `name`.
    pub struct OptionInput {
        /// The stored option to match, in a list of options.
        /// Ignored when one option is changed.
        id: Id<GroupOption>;
        /// The client's own code for the option, unique in its group.
        /// `null` removes it.
        external_id: OrNull<ExternalId<MAX_EXTERNAL_ID>>;
        /// The name of the option, unique in its group.
        name: Name<MAX_OPTION_NAME>;
        /// The surcharge in cents, VAT included.
        /// 0 for a new option unless given.
        price_cents: Cents<MAX_PRICE_CENTS>;
        /// `true` while it can be chosen.
        /// Kiosks and Scan & Order show other options as sold out. `true` for a new option unless
        /// given.
        is_available: bool;
    }
    read_only: []
}

#[cfg(feature = "logic")]
impl GroupOption {
    /// Writes the given fields of checked input into the option.
    pub(crate) fn apply(&mut self, input: &OptionInput) {
        input.external_id.write_to(&mut self.external_id);
        input.name.write_to(&mut self.name);
        input.price_cents.write_to(&mut self.price_cents);
        input.is_available.write_to(&mut self.is_available);
    }
}

/// Left to the rules, since they know the ids of new options.
impl Target<Vec<OptionInput>> for Vec<GroupOption> {
    fn write(&mut self, _: Option<&Vec<OptionInput>>) {}
}

impl OptionGroupInput {
    /// A group of this name.
    pub fn named(name: impl Into<String>, options: Vec<OptionInput>) -> Self {
        Self {
            name: Field::Value(name.into()),
            options: Field::Value(options),
            ..Self::default()
        }
    }
}

impl OptionInput {
    /// An option of this name.
    pub fn named(name: impl Into<String>) -> Self {
        Self {
            name: Field::Value(name.into()),
            ..Self::default()
        }
    }
}

impl BatchInput for OptionGroupInput {
    const MATCH_BY: &'static [MatchBy] = &[MatchBy::ExternalId, MatchBy::Id];
    const MAX_ITEMS: usize = MAX_OPTION_GROUPS_PER_BATCH;

    type Extra = ();

    fn id(&self) -> Option<Uuid> {
        self.id.value().map(|id| id.uuid())
    }

    fn external_id(&self) -> Option<&str> {
        self.external_id.value().map(String::as_str)
    }
}
