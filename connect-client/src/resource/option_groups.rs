//! Writes specific to option groups.

use super::Records;
use crate::{
    Call,
    call::request::Request,
    wire::{
        GroupOption, Id, OptionGroup, OptionGroupLinks, OptionInput, OptionLinksResult, Product,
    },
};

impl Records<OptionGroup> {
    /// Changes the given fields of one option of a group.
    /// For example, marks it as sold out. Yields the stored group. `not_found` when the group or its
    /// option is unknown.
    pub fn update_option(
        &self,
        group: impl Into<Id<OptionGroup>>,
        option: impl Into<Id<GroupOption>>,
        input: &OptionInput,
    ) -> Call<OptionGroup> {
        let path = format!("{}/options/{}", self.path_of(group), option.into());
        Call::record(&self.client, Request::patch(path, input))
    }
}

impl Records<Product> {
    /// Adds and removes option groups of up to 1000 products.
    /// It takes one request. Products and groups that cannot be linked are reported in the result, and
    /// the rest are saved.
    pub fn link_option_groups(&self, links: &OptionGroupLinks) -> Call<OptionLinksResult> {
        let path = format!("{}/option-groups", self.path());
        Call::record(&self.client, Request::post(path, links))
    }
}
