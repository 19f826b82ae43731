//! [`Address`]: where the backend is, and how it is connected to.

use std::fmt;
use std::time::Duration;

use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::{ClusterClient, ClusterClientBuilder};
use redis::cluster_async::ClusterConnection;
use redis::cluster_routing::{RoutingInfo, SingleNodeRoutingInfo};
use redis::io::tcp::TcpSettings;
use redis::sentinel::{SentinelClient, SentinelNodeConnectionInfo, SentinelServerType};
use redis::{
    AsyncConnectionConfig, Client, Cmd, ConnectionAddr, ConnectionInfo, ErrorKind,
    IntoConnectionInfo, RedisResult, ServerErrorKind, TlsMode, Value,
};
use tokio::sync::Mutex;

/// A backend of one of the kinds that the client library knows, not yet connected to.
pub(super) enum Address {
    Cluster(ClusterClient),
    Sentinel(Mutex<SentinelClient>),
    Single(Client),
}

/// A connection that many callers share. Clones are the same connection.
#[derive(Clone)]
pub(super) enum Connection {
    Cluster(ClusterConnection),
    Single(MultiplexedConnection),
}

/// A URL that names no backend. The URL itself is not shown, because it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "ratelimit.redis.url cannot be read: {reason}; accepted are redis://[user:password@]host[:port][/database], \
     rediss:// for TLS, redis+cluster://[user:password@]host:port,host:port,.. and \
     redis+sentinel://[user:password@]host:port,host:port,../service[/database]"
)]
pub(crate) struct InvalidUrl {
    reason: &'static str,
}

/// How many commands may wait to be written; more callers wait for a place, within their deadline.
const PIPELINE: usize = 4_096;

impl Address {
    /// `timeout` is what one operation may take.
    pub(super) fn parse(url: &str, timeout: Duration) -> Result<Self, InvalidUrl> {
        let invalid = |reason| InvalidUrl { reason };
        let (scheme, rest) = url.split_once("://").ok_or(invalid("it has no scheme"))?;
        let secure = scheme.starts_with("rediss");
        if secure {
            choose_cryptography();
        }
        let node_scheme = if secure { "rediss" } else { "redis" };
        match scheme {
            "redis" | "rediss" => {
                let client =
                    Client::open(node(url)?).map_err(|_| invalid("the client refuses it"))?;
                Ok(Self::Single(client))
            }
            "redis+cluster" | "rediss+cluster" => {
                let (credentials, hosts) =
                    rest.rsplit_once('@').map_or(("", rest), |(credentials, hosts)| {
                        (&rest[..=credentials.len()], hosts)
                    });
                let nodes = hosts.trim_end_matches('/').split(',');
                let nodes = nodes.map(|host| node(&format!("{node_scheme}://{credentials}{host}")));
                let nodes = nodes.collect::<Result<Vec<_>, _>>()?;
                let client = ClusterClientBuilder::new(nodes)
                    // A retry after a broken connection could charge twice. Redirects are followed below.
                    .retries(0)
                    .response_timeout(timeout)
                    .tcp_settings(TcpSettings::default().set_nodelay(true));
                Ok(Self::Cluster(client.build().map_err(|_| invalid("the client refuses it"))?))
            }
            "redis+sentinel" | "rediss+sentinel" => {
                let (credentials, rest) =
                    rest.rsplit_once('@').map_or(("", rest), |(credentials, rest_)| {
                        (&rest[..=credentials.len()], rest_)
                    });
                let (hosts, path) = rest.split_once('/').ok_or(invalid("it names no service"))?;
                let (service, database) = path.split_once('/').unwrap_or((path, "0"));
                if service.is_empty() {
                    return Err(invalid("it names no service"));
                }
                // The credentials and the database are the server's, not the sentinels'.
                let server = node(&format!("{node_scheme}://{credentials}localhost/{database}"))?;
                let mut to_server = SentinelNodeConnectionInfo::default()
                    .set_redis_connection_info(server.redis_settings().clone())
                    .set_tcp_settings(server.tcp_settings().clone());
                if secure {
                    to_server = to_server.set_tls_mode(TlsMode::Secure);
                }
                let sentinels =
                    hosts.split(',').map(|host| node(&format!("{node_scheme}://{host}")));
                let sentinels = sentinels.collect::<Result<Vec<_>, _>>()?;
                let client = SentinelClient::build(
                    sentinels,
                    service,
                    Some(to_server),
                    SentinelServerType::Master,
                );
                Ok(Self::Sentinel(Mutex::new(
                    client.map_err(|_| invalid("the client refuses it"))?,
                )))
            }
            _ => Err(invalid("its scheme is unknown")),
        }
    }

    pub(super) async fn connect(&self) -> RedisResult<Connection> {
        // The deadline of an operation is ours, and covers more than the library's would.
        let config = AsyncConnectionConfig::new()
            .set_response_timeout(None)
            .set_pipeline_buffer_size(PIPELINE);
        match self {
            Self::Cluster(client) => Ok(Connection::Cluster(client.get_async_connection().await?)),
            Self::Sentinel(client) => {
                let connection =
                    client.lock().await.get_async_connection_with_config(&config).await?;
                Ok(Connection::Single(connection))
            }
            Self::Single(client) => {
                let connection =
                    client.get_multiplexed_async_connection_with_config(&config).await?;
                Ok(Connection::Single(connection))
            }
        }
    }
}

impl Connection {
    /// Sends `command` once; where a cluster says that it belongs to another node, it was not executed and goes there.
    pub(super) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        match self {
            Self::Cluster(cluster) => match answered(cluster.req_packed_command(command).await) {
                Err(error) if is_redirect(error.kind()) => {
                    let Some((node, _)) = error.redirect_node() else { return Err(error) };
                    let Some((host, port)) = node.rsplit_once(':') else { return Err(error) };
                    let Ok(port) = port.parse() else { return Err(error) };
                    let node = SingleNodeRoutingInfo::ByAddress { host: host.to_owned(), port };
                    if error.kind() == ErrorKind::Server(ServerErrorKind::Moved) {
                        let node = RoutingInfo::SingleNode(node);
                        return answered(cluster.route_command(command.clone(), node).await);
                    }
                    let mut asking = redis::pipe();
                    asking.cmd("ASKING").ignore().add_command(command.clone());
                    let mut answers = cluster.route_pipeline(asking, 1, 1, node).await?;
                    answers.pop().ok_or(error)?.extract_error()
                }
                answer => answer,
            },
            Self::Single(connection) => answered(connection.send_packed_command(command).await),
        }
    }

    pub(super) fn is_cluster(&self) -> bool {
        matches!(self, Self::Cluster(_))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cluster(_) => "Cluster(..)",
            Self::Sentinel(_) => "Sentinel(..)",
            Self::Single(_) => "Single(..)",
        })
    }
}

/// An error that the server sent is an error.
fn answered(answer: RedisResult<Value>) -> RedisResult<Value> {
    answer?.extract_error()
}

fn is_redirect(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Server(ServerErrorKind::Ask | ServerErrorKind::Moved))
}

/// One node, with small packets sent at once and without the greeting that older servers and narrow access lists refuse.
fn node(url: &str) -> Result<ConnectionInfo, InvalidUrl> {
    let info = url.into_connection_info();
    let info =
        info.map_err(|_| InvalidUrl { reason: "a host, port, user or database is malformed" })?;
    if matches!(info.addr(), ConnectionAddr::Unix(_)) {
        return Ok(info);
    }
    let tcp = info.tcp_settings().clone().set_nodelay(true);
    let redis = info.redis_settings().clone().set_skip_set_lib_name();
    Ok(info.set_tcp_settings(tcp).set_redis_settings(redis))
}

/// TLS needs one provider of cryptography a process. A program that has chosen another keeps it.
fn choose_cryptography() {
    // An error means that somebody else has chosen meanwhile.
    let _ = rustls::crypto::ring::default_provider().install_default();
}
