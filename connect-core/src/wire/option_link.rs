//! Linking option groups to products (specification: products/option-groups).

use serde::{Deserialize, Serialize};

use super::{
    ErrorDetail, Field, Id, OptionGroup, Product,
    form::{ExternalId, ListForm, Objects},
    input::input,
    limits::{MAX_EXTERNAL_ID, MAX_OPTION_GROUPS_PER_LINK, MAX_PRODUCTS_PER_LINK},
    open_enum::open_enum,
};

input! {
    /// The body for adding and removing option groups of products.
    /// It names 1 to 1000 products in both lists together, and at least one option group.
    pub struct OptionGroupLinks {
        /// Products by their ids.
        product_ids: ListForm<Id<Product>, MAX_PRODUCTS_PER_LINK>;
        /// Products by their external ids.
        /// A product named twice counts once.
        product_external_ids: ListForm<ExternalId<MAX_EXTERNAL_ID>, MAX_PRODUCTS_PER_LINK>;
        /// The groups to add after a product's own, in this order.
        /// A group already there keeps its place.
        add: Objects<OptionGroupRef, 0, MAX_OPTION_GROUPS_PER_LINK>;
        /// The groups to remove, before any are added.
        remove: Objects<OptionGroupRef, 0, MAX_OPTION_GROUPS_PER_LINK>;
    }
    read_only: []
}

input! {
    /// An option group, named either by `id` or by `externalId`.
    pub struct OptionGroupRef {
        /// Its id.
        id: Id<OptionGroup>;
        /// The client's own code for it.
        external_id: ExternalId<MAX_EXTERNAL_ID>;
    }
    read_only: []
}

impl OptionGroupRef {
    /// The group with this id.
    pub fn by_id(id: impl Into<Id<OptionGroup>>) -> Self {
        Self {
            id: Field::Value(id.into()),
            ..Self::default()
        }
    }

    /// The group with this external id.
    ///
    /// ```
    /// use connect_core::wire::{OptionGroupLinks, OptionGroupRef};
    ///
    /// let links = OptionGroupLinks::default()
    ///     .product_external_ids(vec!["RYE-800".to_owned(), "BUN-1".to_owned()])
    ///     .add(vec![OptionGroupRef::by_external_id("SAUCES")]);
    /// # assert!(links.remove.is_absent());
    /// ```
    pub fn by_external_id(external_id: impl Into<String>) -> Self {
        Self {
            external_id: Field::Value(external_id.into()),
            ..Self::default()
        }
    }
}

/// The result of linking.
/// Each product not in `failed` is counted once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct OptionLinksResult {
    /// Products changed.
    pub affected: usize,
    /// Products already as requested.
    pub unchanged: usize,
    /// The groups and products with a fault.
    /// First come the groups of `add`, then the groups of `remove`, then the products. All other
    /// changes were saved.
    pub failed: Vec<LinkFailure>,
}

open_enum! {
    /// The kind of record in a [`LinkFailure`].
    LinkTarget {
        /// A product.
        Product = "product",
        /// An option group.
        OptionGroup = "optionGroup",
    }
}

/// A product or an option group with a failed link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct LinkFailure {
    /// The kind of record.
    #[serde(rename = "type")]
    pub kind: LinkTarget,
    /// The id or the external id, as in the request.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The reason. Its `field` is the place in the request.
    pub error: ErrorDetail,
}
