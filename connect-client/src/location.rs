//! The locations, and what there is at each.

use crate::{
    Call, Client, Records,
    request::Request,
    wire::{AnyEvent, Category, Id, ImageJob, Location, OptionGroup, Product},
};

impl Client {
    /// The locations that the token has a scope for, each with its scopes, by name.
    pub fn locations(&self) -> Call<Vec<Location>> {
        Call::collection(self, Request::get("/locations".to_owned()))
    }

    /// Returns the handle of one location.
    pub fn location(&self, id: impl Into<Id<Location>>) -> LocationHandle {
        LocationHandle {
            client: self.clone(),
            id: id.into(),
        }
    }
}

/// The way to the records of one location. Making it asks the service nothing.
#[derive(Clone, Debug)]
pub struct LocationHandle {
    client: Client,
    id: Id<Location>,
}

impl LocationHandle {
    /// The location's id.
    pub fn id(&self) -> Id<Location> {
        self.id
    }

    /// Its categories.
    pub fn categories(&self) -> Records<Category> {
        Records::new(&self.client, self.id)
    }

    /// Its option groups.
    pub fn option_groups(&self) -> Records<OptionGroup> {
        Records::new(&self.client, self.id)
    }

    /// Its products.
    pub fn products(&self) -> Records<Product> {
        Records::new(&self.client, self.id)
    }

    /// The downloads of its products' images, in the order in which they were queued.
    pub fn image_jobs(&self) -> Records<ImageJob> {
        Records::new(&self.client, self.id)
    }

    /// Its events of the last 30 days that the token's scopes cover, in the order of their commits.
    pub fn events(&self) -> Records<AnyEvent> {
        Records::new(&self.client, self.id)
    }
}
