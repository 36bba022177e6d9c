//! A stream of server-sent events that does not wait for slow readers.
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// Makes a stream of which at most `waiting` events are kept for a reader that is behind.
#[must_use]
pub fn events(waiting: usize) -> (EventSender, EventReceiver) {
    let (sender, receiver) = channel(waiting.max(1));
    (EventSender(sender), EventReceiver(receiver))
}

/// The end that events are put into.
#[derive(Clone, Debug)]
pub struct EventSender(Sender<String>);

/// The end that a reader takes them from: a [`Response::Events`](crate::Response::Events).
#[derive(Debug)]
pub struct EventReceiver(pub(crate) Receiver<String>);

impl EventSender {
    /// Hands an event of this name over and never waits.
    ///
    /// False where the reader has gone or is too far behind: drop the sender then. The stream ends with
    /// what waits, and the reader's browser connects again.
    #[must_use]
    pub fn send(&self, name: &'static str, event: &str) -> bool {
        self.0.try_send(framed(name, event)).is_ok()
    }

    /// The same of one that has an id, which the reader's browser names when it connects again
    /// (`Last-Event-ID`).
    #[must_use]
    pub fn send_with_id(&self, name: &'static str, id: &str, event: &str) -> bool {
        let id: String = id.chars().filter(|it| !it.is_control()).collect();
        self.0.try_send(format!("id: {id}\n{}", framed(name, event))).is_ok()
    }

    /// Whether the reader has gone.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

/// One message of the stream: each line of the text in a field of its own.
///
/// # Source
///
/// HTML Living Standard, 9.2.5: lines end with CR, LF or both, and an empty one ends the message.
fn framed(name: &str, event: &str) -> String {
    let lines = event.split(['\r', '\n']);
    let fields: String = lines.map(|line| format!("data: {line}\n")).collect();
    format!("event: {name}\n{fields}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_end_its_message() {
        assert_eq!(framed("it", "{}"), "event: it\ndata: {}\n\n");
        assert_eq!(
            framed("it", "a\nid: 7\n\nb"),
            "event: it\ndata: a\ndata: id: 7\ndata: \ndata: b\n\n"
        );
        assert_eq!(framed("it", "a\rb"), "event: it\ndata: a\ndata: b\n\n");
    }

    #[test]
    fn who_is_too_far_behind_is_given_up() {
        let (sender, receiver) = events(2);
        assert!(sender.send("it", "1") && sender.send("it", "2"));
        assert!(!sender.send("it", "3"));
        drop(receiver);
        assert!(!sender.send("it", "4"));
    }
}
