//! A server on loopback that takes what a watch sends.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener},
    sync::mpsc::{Receiver, channel},
};

/// Takes requests until the test ends, answers each with `200 OK`, and hands over what `read` makes of its head and
/// its body.
pub(crate) fn receiver<T: Send + 'static>(
    read: impl Fn(&str, &[u8]) -> T + Send + 'static,
) -> (SocketAddr, Receiver<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        while let Ok((socket, _)) = listener.accept() {
            let mut reader = BufReader::new(&socket);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).unwrap() > 0 {}
            let lines = head.lines().filter_map(|it| it.split_once(": "));
            let length = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
            let mut body = vec![0; length.map(|(_, it)| it.parse::<usize>().unwrap()).sum()];
            reader.read_exact(&mut body).unwrap();
            let read = read(&head, &body);
            write!(&socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            if sender.send(read).is_err() {
                return;
            }
        }
    });
    (address, receiver)
}
