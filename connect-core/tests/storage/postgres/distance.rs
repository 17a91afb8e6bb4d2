//! A database that is some way off.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

/// Puts a server of this machine some way off, and returns the port at which it is reached. Bytes take
/// `each_way` there and as long back, however many are under way.
///
/// It works with threads, as timers of tokio are a millisecond coarse.
pub(super) fn between(server: u16, each_way: Duration) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            // Where the server takes no connection, the client's ends.
            if let Ok(server) = TcpStream::connect(("127.0.0.1", server)) {
                carry(&client, &server, each_way);
                carry(&server, &client, each_way);
            }
        }
    });
    port
}

/// Bytes, and when they arrive.
type Bytes = (Instant, Vec<u8>);

/// Carries bytes in one direction until either side ends the connection.
fn carry(from: &TcpStream, to: &TcpStream, delay: Duration) {
    let (mut from, to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    to.set_nodelay(true).unwrap();
    let (sent, arriving) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(read @ 1..) = from.read(&mut buffer) {
            let bytes = buffer[..read].to_vec();
            if sent.send((Instant::now() + delay, bytes)).is_err() {
                break;
            }
        }
    });
    thread::spawn(move || deliver(&arriving, to));
}

/// Writes bytes as they arrive. Nothing comes in this direction any more once this is over.
fn deliver(arriving: &Receiver<Bytes>, mut to: TcpStream) {
    for (due, bytes) in arriving {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        if to.write_all(&bytes).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}
