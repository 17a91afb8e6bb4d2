//! The writes that option groups have besides those of every kind.

use uuid::Uuid;

use super::Records;
use crate::{
    Call,
    request::Request,
    wire::{OptionGroup, OptionInput},
};

impl Records<OptionGroup> {
    /// Changes the given fields of one option of a group, for example whether it is sold out, and
    /// yields the group as it is then.
    pub fn update_option(
        &self,
        group: Uuid,
        option: Uuid,
        input: &OptionInput,
    ) -> Call<OptionGroup> {
        let path = format!("{}/options/{option}", self.path_of(group));
        Call::record(&self.client, Request::patch(path, input))
    }
}
