//! Certificates.

use std::sync::Arc;

use connect_client::{
    Client, ErrorKind,
    transport::{Fault, http_client_builder},
};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::{CryptoProvider, ring},
    },
};

use crate::support::TOKEN;

/// A service with a certificate of its own making; its base address and the certificate.
async fn service() -> (String, String) {
    let names = vec!["localhost".to_owned()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], signing_key.into())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let Ok(mut socket) = acceptor.accept(socket).await else {
                continue;
            };
            let _ = socket.read(&mut [0; 4096]).await;
            let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":[]}";
            let _ = socket.write_all(answer).await;
            let _ = socket.shutdown().await;
        }
    });
    (format!("https://localhost:{port}/v1"), cert.pem())
}

#[tokio::test]
async fn an_extra_root_certificate_is_trusted() {
    let (base, pem) = service().await;
    let client = Client::builder(&base, TOKEN).root_certificate(pem).build();
    let locations = client.unwrap().locations().await.unwrap();
    assert!(locations.is_empty());
}

#[tokio::test]
async fn an_unknown_certificate_is_refused_once_and_for_all() {
    let (base, _) = service().await;
    let client = Client::builder(&base, TOKEN).build().unwrap();
    let error = client.locations().await.unwrap_err();
    let ErrorKind::Transport(fault) = error.kind() else {
        panic!("{error:?}");
    };
    assert_eq!(fault.fault(), Fault::Tls, "{error}");
    assert_eq!(error.attempts(), 1);
    assert!(!error.retryable());
}

#[tokio::test]
async fn no_crypto_provider_of_the_process_is_needed_or_set() {
    // First a client of the program's own: nothing of the SDK has run before it. No test of this
    // program installs a provider.
    let own = http_client_builder().unwrap().build().unwrap();
    assert!(CryptoProvider::get_default().is_none());
    let (base, pem) = service().await;
    let over_own = Client::builder(&base, TOKEN).http_client(own).build();
    let error = over_own.unwrap().locations().await.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Transport(e) if e.fault() == Fault::Tls));
    let client = Client::builder(&base, TOKEN).root_certificate(pem).build();
    client.unwrap().locations().await.unwrap();
    assert!(CryptoProvider::get_default().is_none());
}
