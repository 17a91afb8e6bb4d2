//! The listeners of the server: the API's, the owner's, the operator's.
//! The last is for commands, and exists only if the owner's is reachable from elsewhere.

use std::net::Ipv4Addr;

use crate::{
    cli::Options,
    net::{Certificate, Limits, Listen, Server, StartError},
};

/// The listeners, bound and not yet served.
pub(crate) struct Listeners {
    pub(crate) api: Server,
    pub(crate) owner: Server,
    /// For commands alone, on loopback; `None` if the owner's takes them.
    pub(crate) commands: Option<Server>,
    /// The certificate of the listeners with TLS.
    pub(crate) certificate: Option<Certificate>,
}

impl Listeners {
    /// Binds all listeners.
    ///
    /// # Errors
    /// An address cannot be bound, must not be served in plain HTTP, or the TLS files cannot be used.
    pub(crate) async fn bind(options: &Options) -> Result<Self, StartError> {
        let certificate = options.tls().map(Certificate::read).transpose()?;
        let api = Server::bind(Listen {
            tls: certificate.clone(),
            plain: options.plain_http(),
            limits: options.network.limits(),
            ..Listen::on(options.listen)
        });
        let api = api.await?;
        let is_private = options.admin_is_here();
        let owner = Server::bind(Listen {
            // A certificate is for a public name, and local clients use another.
            tls: certificate.clone().filter(|_| !is_private),
            plain: options.plain_http(),
            limits: of_owner(),
            ..Listen::on(options.admin_listen)
        });
        let owner = owner.await?;
        let commands = if is_private {
            None
        } else {
            let listen = Listen {
                limits: of_owner(),
                ..Listen::on((Ipv4Addr::LOCALHOST, 0).into())
            };
            Some(Server::bind(listen).await?)
        };
        Ok(Self {
            api,
            owner,
            commands,
            certificate,
        })
    }

    /// Returns the address for commands from the command line.
    pub(crate) fn commands_url(&self) -> String {
        self.commands.as_ref().unwrap_or(&self.owner).url()
    }
}

/// The limits for owners and a few probes.
/// Files are better spent on integrators.
fn of_owner() -> Limits {
    Limits {
        connections: 50,
        connections_per_address: 50,
        ..Limits::default()
    }
}
