//! [`Links`]: the one connection to the backend, and how another takes its place when it breaks.
//!
//! Nobody connects but on demand, and never twice at once. While the backend is away, attempts are spaced out up to a
//! second apart, and requests between them fail at once instead of each waiting for its deadline.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::address::{Address, Connection};
use super::failure::{Failure, classify};

/// Shared by all requests of a limiter.
pub(super) struct Links {
    address: Address,
    status: watch::Sender<Status>,
}

/// A connection as one request got it.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) connection: Connection,
    number: u64,
}

enum Status {
    /// Somebody connects. Others wait too, unless they know why the last connection failed.
    Connecting { number: u64, known: Option<Failure> },
    /// Not to be tried before `until`.
    Down { number: u64, streak: u32, until: Instant, failure: Failure },
    /// Since `silent_since` nothing was answered, though something was asked.
    Up { link: Link, streak: u32, silent_since: Option<Instant> },
}

/// How long an attempt may take. Longer than an operation, because a handshake with TLS is several round trips.
const CONNECT: Duration = Duration::from_secs(3);
/// After so long without any answer a connection is taken for dead: a network that drops packets closes nothing.
const SILENCE: Duration = Duration::from_secs(2);
/// The longest time between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
const SHORTEST_PAUSE: Duration = Duration::from_millis(20);

impl Links {
    pub(super) fn new(address: Address) -> Self {
        let start = Status::Down {
            number: 0,
            streak: 0,
            until: Instant::now(),
            failure: Failure::Unavailable,
        };
        Self { address, status: watch::Sender::new(start) }
    }

    /// The connection, made first when there is none.
    pub(super) async fn link(self: &Arc<Self>) -> Result<Link, Failure> {
        if let Status::Up { link, .. } = &*self.status.borrow() {
            return Ok(link.clone());
        }
        let mut starts = None;
        self.status.send_if_modified(|status| {
            if let Status::Down { number, streak, until, failure } = *status {
                if until <= Instant::now() {
                    let known = (streak > 0).then_some(failure);
                    let number = number + 1;
                    *status = Status::Connecting { number, known };
                    starts = Some((number, streak));
                }
            }
            starts.is_some()
        });
        if let Some((number, streak)) = starts {
            let attempt =
                Attempt { links: Arc::clone(self), number, streak, failure: Failure::Unavailable };
            // On its own, so that a request that gives up does not end it.
            tokio::spawn(attempt.run());
        } else if let Status::Connecting { known: Some(failure), .. } = &*self.status.borrow() {
            return Err(*failure);
        }
        let mut changes = self.status.subscribe();
        let settled = |status: &Status| !matches!(status, Status::Connecting { .. });
        match &*changes.wait_for(settled).await.map_err(|_| Failure::Unavailable)? {
            Status::Up { link, .. } => Ok(link.clone()),
            Status::Connecting { known, .. } => Err(known.unwrap_or(Failure::Unavailable)),
            Status::Down { failure, .. } => Err(*failure),
        }
    }

    /// The backend answered on this connection.
    pub(super) fn answered(&self, link: &Link) {
        let healthy = |status: &Status| match status {
            Status::Up { link: present, streak, silent_since } => {
                present.number != link.number || (*streak == 0 && silent_since.is_none())
            }
            Status::Connecting { .. } | Status::Down { .. } => true,
        };
        if healthy(&self.status.borrow()) {
            return;
        }
        self.status.send_if_modified(|status| {
            if let Status::Up { link: present, streak, silent_since } = status {
                if present.number == link.number {
                    (*streak, *silent_since) = (0, None);
                }
            }
            false
        });
    }

    /// The backend did not answer on this connection in time, or a node of a cluster is away.
    pub(super) fn silent(&self, link: &Link, failure: Failure) {
        let now = Instant::now();
        let mut dead = false;
        self.status.send_if_modified(|status| {
            if let Status::Up { link: present, silent_since, .. } = status {
                if present.number == link.number {
                    dead = now.duration_since(*silent_since.get_or_insert(now)) > SILENCE;
                }
            }
            false
        });
        if dead {
            self.broken(link, failure);
        }
    }

    /// This connection is of no use any more.
    pub(super) fn broken(&self, link: &Link, failure: Failure) {
        self.status.send_if_modified(|status| match status {
            Status::Up { link: present, streak, .. } if present.number == link.number => {
                *status = Status::down(link.number, *streak, failure);
                true
            }
            _ => false,
        });
    }
}

impl Status {
    /// The first attempt after a working connection is free, then they are spaced out.
    fn down(number: u64, streak: u32, failure: Failure) -> Self {
        let pause = match streak {
            0 => Duration::ZERO,
            streak => LONGEST_PAUSE.min(SHORTEST_PAUSE * 2_u32.pow(streak.min(10) - 1)),
        };
        Self::Down {
            number,
            streak: streak.saturating_add(1),
            until: Instant::now() + pause,
            failure,
        }
    }
}

/// An attempt to connect. When it is dropped unfinished, as when its runtime ends, another may start.
struct Attempt {
    links: Arc<Links>,
    number: u64,
    streak: u32,
    failure: Failure,
}

impl Attempt {
    async fn run(mut self) {
        match timeout(CONNECT, self.links.address.connect()).await {
            Ok(Ok(connection)) => {
                let link = Link { connection, number: self.number };
                let up = Status::Up { link, streak: self.streak, silent_since: None };
                self.links.status.send_replace(up);
            }
            Ok(Err(error)) => self.failure = classify(&error),
            Err(_) => self.failure = Failure::Unavailable,
        }
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.links.status.send_if_modified(|status| match status {
            Status::Connecting { number, .. } if *number == self.number => {
                *status = Status::down(self.number, self.streak, self.failure);
                true
            }
            _ => false,
        });
    }
}
