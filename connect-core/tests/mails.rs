//! A mail server of the tests.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use connect_core::{
    Connect,
    environment::{Mail, Mailer},
};

/// A mail server, and its received messages.
#[derive(Default)]
pub(crate) struct Mails {
    pub(crate) sent: Mutex<Vec<Mail>>,
    pub(crate) is_down: Mutex<bool>,
    pub(crate) hangs: Mutex<bool>,
}

#[async_trait]
impl Mailer for Mails {
    async fn send(&self, mail: &Mail) -> Result<(), String> {
        if *self.hangs.lock().unwrap() {
            return std::future::pending().await;
        }
        if *self.is_down.lock().unwrap() {
            return Err("the mail server is down".to_owned());
        }
        self.sent.lock().unwrap().push(mail.clone());
        Ok(())
    }
}

/// Sends the waiting mail, and returns it.
pub(crate) async fn sent(connect: &Connect) -> Vec<Mail> {
    let mails = Arc::<Mails>::default();
    let worker = connect.mail_worker(mails.clone(), "https://shop.example");
    worker.tick().await.unwrap();
    let mut sent = mails.sent.lock().unwrap();
    std::mem::take(&mut *sent)
}

/// Sends the waiting mail, and returns the subjects.
pub(crate) async fn subjects(connect: &Connect) -> Vec<String> {
    let sent = sent(connect).await.into_iter();
    sent.map(|mail| mail.subject).collect()
}
