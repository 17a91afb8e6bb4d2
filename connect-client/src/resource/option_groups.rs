//! The writes that option groups have besides those of every kind.

use super::Records;
use crate::{
    Call,
    request::Request,
    wire::{GroupOption, Id, OptionGroup, OptionInput},
};

impl Records<OptionGroup> {
    /// Changes the given fields of one option of a group, for example whether it is sold out, and
    /// yields the group as it is then.
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
