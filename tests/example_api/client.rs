//! A client that shows an answer exactly as it came over the socket.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::server::Server;

/// One request.
#[derive(Clone, Debug)]
pub(super) struct Request {
    line: String,
    head: Vec<String>,
    body: String,
}

/// One answer, as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) status: u16,
    head: Vec<(String, String)>,
    pub(super) body: String,
}

impl Request {
    pub(super) fn new(method: &str, path: &str) -> Self {
        let line = format!("{method} {path} HTTP/1.1");
        Self { line, head: vec!["host: localhost".to_owned()], body: String::new() }
    }

    pub(super) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(super) fn post(path: &str) -> Self {
        Self::new("POST", path)
    }

    pub(super) fn header(mut self, name: &str, value: &str) -> Self {
        self.head.push(format!("{name}: {value}"));
        self
    }

    pub(super) fn token(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(super) fn json(mut self, body: &str) -> Self {
        body.clone_into(&mut self.body);
        self.header("content-type", "application/json")
    }

    fn text(self) -> String {
        let length = self.body.len().to_string();
        let Self { line, head, body } = self.header("content-length", &length);
        format!("{line}\r\n{}\r\n\r\n{body}", head.join("\r\n"))
    }
}

impl Answer {
    /// The values of all fields of this name, in their order.
    pub(super) fn all(&self, name: &str) -> Vec<&str> {
        let fields = self.head.iter().filter(|(field, _)| field.eq_ignore_ascii_case(name));
        fields.map(|(_, value)| value.as_str()).collect()
    }

    /// The value of a field that the answer has at most once.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let all = self.all(name);
        assert!(all.len() < 2, "{name} stands {} times", all.len());
        all.first().copied()
    }

    /// The value of a sample on the page of metrics.
    pub(super) fn metric(&self, sample: &str) -> u64 {
        let mut lines = self.body.lines();
        let value = lines.find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
        let value = value.unwrap_or_else(|| panic!("{sample} is not on the page: {}", self.body));
        value.parse().expect("samples are whole numbers")
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    pub(super) fn send(&self, request: Request) -> Answer {
        self.send_all([request]).remove(0)
    }

    /// Sends the requests in one write over one connection, so that no time passes between them.
    pub(super) fn send_all(&self, requests: impl IntoIterator<Item = Request>) -> Vec<Answer> {
        let mut requests: Vec<Request> = requests.into_iter().collect();
        let expected = requests.len();
        if let Some(last) = requests.pop() {
            requests.push(last.header("connection", "close"));
        }
        let text: String = requests.into_iter().map(Request::text).collect();
        let received = self.exchange(&text).expect("the server answers");
        let mut rest = received.as_str();
        let answers: Vec<Answer> = std::iter::from_fn(|| next_answer(&mut rest)).collect();
        assert_eq!(answers.len(), expected, "{received}");
        answers
    }

    fn exchange(&self, text: &str) -> io::Result<String> {
        let mut stream = TcpStream::connect(self.address)?;
        // A server that answers nobody fails the test, which else would wait as well.
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        stream.write_all(text.as_bytes())?;
        let mut received = String::new();
        stream.read_to_string(&mut received)?;
        Ok(received)
    }
}

fn next_answer(received: &mut &str) -> Option<Answer> {
    let (head, rest) = received.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let head = lines.filter_map(|line| line.split_once(": "));
    let head = head.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let mut answer = Answer { status, head, body: String::new() };
    let length = answer.header("content-length").map_or(Some(0), |length| length.parse().ok())?;
    let (body, rest) = rest.split_at(length);
    body.clone_into(&mut answer.body);
    *received = rest;
    Some(answer)
}
