//! The life of one connection: identify, be admitted, talk.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::sync::broadcast;
use tokio::time::timeout;
use tollgate::catalogue::KeyKind;
use tollgate::{Caller, Class, Decision, Subject};

use super::app::Server;
use super::auth;
use super::protocol::{Close, Event, Request};

const TIME_TO_IDENTIFY: Duration = Duration::from_secs(10);

/// Why a connection ends.
enum End {
    /// The client has gone.
    Gone,
    /// The server is done with it.
    Closed(Close),
}

/// Serves a connection until either side has enough.
pub(super) async fn serve(server: Server, mut socket: WebSocket) {
    let ended = match set_up(&server, &mut socket).await {
        Ok(connection) => talk(&server, &mut socket, &connection).await,
        Err(end) => end,
    };
    if let End::Closed(code) = ended {
        let frame = CloseFrame { code: code as u16, reason: "".into() };
        // A client that is gone already needs no farewell.
        let _ = socket.send(Message::Close(Some(frame))).await;
    }
}

/// Verifies who it is, and only then takes from the bucket of the device or token.
async fn set_up(server: &Server, socket: &mut WebSocket) -> Result<String, End> {
    let identified = timeout(TIME_TO_IDENTIFY, identify(socket)).await;
    let caller = identified.unwrap_or(Err(End::Closed(Close::NotIdentified)))?;
    let Some(subject) = caller.subject(KeyKind::DeviceOrToken) else {
        return Err(End::Closed(Close::BadCredentials));
    };
    let decision = server.limiter.acquire(Class::GatewayConnect, subject).await;
    if !admit(socket, decision.ok()).await? {
        return Err(End::Closed(Close::RateLimited));
    }
    let connection = server.next_connection();
    say(socket, &Event::Ready { connection: &connection }).await?;
    Ok(connection)
}

async fn identify(socket: &mut WebSocket) -> Result<Caller, End> {
    match hear(socket).await? {
        Request::Identify { token } => {
            auth::verify(&token).ok_or(End::Closed(Close::BadCredentials))
        }
        Request::Typing { .. } => Err(End::Closed(Close::NotIdentified)),
    }
}

/// Passes on what the client says to everybody, and what everybody is told to the client.
async fn talk(server: &Server, socket: &mut WebSocket, connection: &str) -> End {
    let mut events = server.events.subscribe();
    loop {
        let turn = tokio::select! {
            heard = hear(socket) => match heard {
                Ok(request) => answer(server, socket, connection, request).await,
                Err(end) => Err(end),
            },
            event = events.recv() => match event {
                Ok(event) => send(socket, event).await,
                // It was too slow for some of them; nobody misses old typing.
                Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
                Err(broadcast::error::RecvError::Closed) => Err(End::Gone),
            },
        };
        if let Err(end) = turn {
            return end;
        }
    }
}

async fn answer(
    server: &Server,
    socket: &mut WebSocket,
    connection: &str,
    request: Request,
) -> Result<(), End> {
    let Request::Typing { channel } = request else {
        return Err(End::Closed(Close::NotIdentified));
    };
    let decision = server.limiter.acquire(Class::Typing, Subject::connection(connection)).await;
    if admit(socket, decision.ok()).await? {
        let typing = Event::Typing { channel: &channel, connection };
        // Nobody may be listening at the moment.
        let _ = server.events.send(typing.to_json());
    }
    Ok(())
}

/// Whether the limit lets it pass; if not, the client is told for how long.
async fn admit(socket: &mut WebSocket, decision: Option<Decision>) -> Result<bool, End> {
    // Only a limiter that is closed has no decision, and then the server is going down.
    let decision = decision.ok_or(End::Gone)?;
    if decision.permitted() {
        return Ok(true);
    }
    let wait = decision.retry_after().unwrap_or_default();
    let retry_after = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    let class = decision.class().name();
    say(socket, &Event::RateLimited { class, retry_after }).await?;
    Ok(false)
}

/// The next thing that the client says; what is no request ends the connection.
async fn hear(socket: &mut WebSocket) -> Result<Request, End> {
    loop {
        match socket.recv().await {
            Some(Ok(Message::Text(text))) => {
                let request = serde_json::from_str(&text);
                return request.map_err(|_| End::Closed(Close::NotIdentified));
            }
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
            Some(Ok(Message::Binary(_) | Message::Close(_)) | Err(_)) | None => {
                return Err(End::Gone);
            }
        }
    }
}

async fn say(socket: &mut WebSocket, event: &Event<'_>) -> Result<(), End> {
    send(socket, event.to_json()).await
}

async fn send(socket: &mut WebSocket, text: String) -> Result<(), End> {
    socket.send(Message::Text(text.into())).await.map_err(|_| End::Gone)
}
