//! What there is at one location.

use uuid::Uuid;

use crate::{
    Client, Records,
    wire::{Category, Product},
};

/// The way to the records of one location. Making it asks the service nothing.
#[derive(Clone, Debug)]
pub struct LocationHandle {
    client: Client,
    id: Uuid,
}

impl LocationHandle {
    pub(crate) fn new(client: &Client, id: Uuid) -> Self {
        Self {
            client: client.clone(),
            id,
        }
    }

    /// The location's id.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Its categories.
    pub fn categories(&self) -> Records<Category> {
        Records::new(&self.client, self.id)
    }

    /// Its products.
    pub fn products(&self) -> Records<Product> {
        Records::new(&self.client, self.id)
    }
}
