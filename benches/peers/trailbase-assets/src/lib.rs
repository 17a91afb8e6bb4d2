//! The interface of `trailbase-assets`, with no pages behind it.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    marker::PhantomData,
    task::{Context, Poll},
};

use axum::{body::Body, http::Request, http::StatusCode};

pub mod auth;
pub mod version;

/// The pages of the dashboard.
#[derive(Clone, Debug)]
pub struct AdminAssets;

/// The pages to sign in.
#[derive(Clone, Debug)]
pub struct AuthAssets;

/// A service that finds no page.
#[derive(Clone, Debug)]
pub struct AssetService<E>(PhantomData<E>);

impl<E> AssetService<E> {
    /// Makes the service.
    pub fn with_parameters(
        _: Option<Box<dyn Fn(&str) -> Option<String> + Send + Sync>>,
        _: Option<String>,
    ) -> Self {
        Self(PhantomData)
    }
}

impl<E> tower_service::Service<Request<Body>> for AssetService<E> {
    type Response = StatusCode;
    type Error = Infallible;
    type Future = Ready<Result<StatusCode, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, _: Request<Body>) -> Self::Future {
        ready(Ok(StatusCode::NOT_FOUND))
    }
}
