//! The connections of a test's shop, each a task of its own.

use std::{net::SocketAddr, panic};

use tokio::{
    net::{TcpListener, TcpStream},
    task::{JoinError, JoinSet},
};

/// Answers each connection until dropped. All connections end with it.
///
/// # Panics
/// A connection has panicked, or none can be accepted any more.
pub(super) async fn accept<F>(listener: TcpListener, answer: impl Fn(TcpStream, SocketAddr) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => {
                let (stream, remote) = accepted.expect("a connection");
                connections.spawn(answer(stream, remote));
            }
            Some(ended) = connections.join_next() => pass_on_panic(ended),
        }
    }
}

fn pass_on_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && let Ok(panic) = error.try_into_panic()
    {
        panic::resume_unwind(panic);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn listener() -> (TcpListener, SocketAddr) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        (listener, address)
    }

    #[tokio::test]
    async fn a_panic_in_a_connection_is_passed_on() {
        let (listener, address) = listener().await;
        let accepting = tokio::spawn(accept(listener, |_, _| async {
            panic!("as the test ordered")
        }));
        let _client = TcpStream::connect(address).await.unwrap();
        assert!(accepting.await.unwrap_err().is_panic());
    }

    #[tokio::test]
    async fn connections_end_with_the_listener() {
        let (listener, address) = listener().await;
        let alive = Arc::new(());
        let held = alive.clone();
        let accepting = tokio::spawn(accept(listener, move |stream, _| {
            let held = held.clone();
            async move {
                std::future::pending::<()>().await;
                drop((stream, held));
            }
        }));
        let mut client = TcpStream::connect(address).await.unwrap();
        while Arc::strong_count(&alive) < 3 {
            tokio::task::yield_now().await;
        }
        accepting.abort();
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0, "it is closed");
        assert_eq!(Arc::strong_count(&alive), 1);
    }
}
