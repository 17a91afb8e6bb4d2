//! The listeners of the server: the API's, the owner's, the operator's.
//! The last is for commands, and exists only if the owner's is reachable from elsewhere.

use std::net::Ipv4Addr;

use crate::{
    cli::Options,
    net::{Certificate, Limits, Listen, PlainHttp, Server, StartError},
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
        let (api, owner, commands) = listens(options, certificate.as_ref());
        Ok(Self {
            api: Server::bind(api).await?,
            owner: Server::bind(owner).await?,
            commands: match commands {
                Some(commands) => Some(Server::bind(commands).await?),
                None => None,
            },
            certificate,
        })
    }

    /// Returns the address for commands from the command line.
    pub(crate) fn commands_url(&self) -> String {
        self.commands.as_ref().unwrap_or(&self.owner).url()
    }
}

/// Returns the settings of each listener: the API's, the owner's, the operator's.
fn listens(
    options: &Options,
    certificate: Option<&Certificate>,
) -> (Listen, Listen, Option<Listen>) {
    let api = Listen {
        address: options.listen,
        tls: certificate.cloned(),
        plain: options.plain_http(),
        limits: options.network.limits(),
    };
    let is_private = options.admin_is_here();
    let owner = Listen {
        address: options.admin_listen,
        // A certificate is for a public name, and local clients use another.
        tls: certificate.filter(|_| !is_private).cloned(),
        plain: options.plain_http(),
        limits: of_owner(),
    };
    // A proxy on this machine would pass requests from outside on to the commands.
    let commands = (!options.admin_is_private()).then(|| Listen {
        address: (Ipv4Addr::LOCALHOST, 0).into(),
        tls: None,
        plain: PlainHttp::LoopbackOnly,
        limits: of_owner(),
    });
    (api, owner, commands)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cli::tests::serve, process::reload::tests::certificate};

    #[test]
    fn the_owners_listener_has_tls_only_where_others_reach_it() {
        let folder = tempfile::tempdir().unwrap();
        let certificate = certificate(folder.path(), 800);
        let proxy = "--trusted-proxy=10.0.0.7";
        for (admin, more, is_here, is_private) in [
            ("127.0.0.1:8081", "--json", true, true),
            ("127.0.0.1:8081", proxy, true, false),
            (
                "127.0.0.1:8081",
                "--admin-url=https://shop.example",
                true,
                false,
            ),
            ("[::ffff:127.0.0.1]:8081", proxy, true, false),
            ("0.0.0.0:8443", proxy, false, false),
        ] {
            let options = serve(&["--connections=7", more, "--admin-listen", admin]).unwrap();
            let (api, owner, commands) = listens(&options, Some(&certificate));
            assert!(api.tls.is_some() && api.limits.connections == 7);
            assert_eq!(owner.tls.is_none(), is_here, "{admin}");
            if more == proxy {
                let expected = PlainHttp::BehindProxy("10.0.0.7".parse().unwrap());
                assert_eq!(api.plain, expected);
            }
            assert_eq!(owner.plain, api.plain);
            // Files are for the integrators.
            let (all, each) = (
                owner.limits.connections,
                owner.limits.connections_per_address,
            );
            assert_eq!((all, each), (50, 50));
            // Commands come from this machine alone.
            assert_eq!(commands.is_none(), is_private, "{admin} {more}");
            if let Some(commands) = commands {
                assert!(commands.address.ip().is_loopback() && commands.tls.is_none());
                assert_eq!(commands.limits, owner.limits);
            }
        }
    }
}
