//! The additional endpoints of option groups.

use connect_core::{
    Refusal,
    wire::{OptionGroup, Product, limits::MAX_PRODUCTS_PER_LINK},
};
use http::Method;

use super::crud::{CATALOG, below_location};
use crate::api::endpoint::{AtLocation, AtPart, Call, Operation, Reply, Route};

/// Change one option of a group.
pub(super) fn update_option(segment: &str) -> Vec<Route> {
    let operation = Operation {
        body: Some("OptionUpdate".to_owned()),
        ..Operation::new(
            "updateOption",
            "OptionGroups",
            "Update an option of a group",
            "OptionGroupSingle",
        )
    };
    let path = below_location(&format!("{segment}/{{id}}/options/{{part}}"));
    vec![Route::new(
        Method::PATCH,
        path,
        CATALOG.write.clone(),
        operation,
        update,
    )]
}

async fn update(mut call: Call<AtPart>) -> Result<Reply, Refusal> {
    let groups = call.records::<OptionGroup>();
    let (group, option) = (call.target.id, call.target.part);
    Ok(groups
        .update_option(group, option, call.write())
        .await?
        .into())
}

/// Add option groups to many products, and remove other groups.
pub(super) fn link(segment: &str) -> Vec<Route> {
    let operation = Operation {
        body: Some("OptionGroupLinks".to_owned()),
        ..Operation::new(
            "linkOptionGroups",
            "Products",
            &format!("Link option groups to up to {MAX_PRODUCTS_PER_LINK} products"),
            "OptionLinksResultSingle",
        )
    };
    vec![Route::new(
        Method::POST,
        below_location(segment),
        CATALOG.write.clone(),
        operation,
        write_links,
    )]
}

async fn write_links(mut call: Call<AtLocation>) -> Result<Reply, Refusal> {
    let products = call.records::<Product>();
    Ok(products.link_option_groups(call.write()).await?.into())
}
