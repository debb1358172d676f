//! Connections.

use std::path::Path;
use std::time::Duration;

use postgres::{Client, Config, NoTls};
use rusqlite::{Connection, OpenFlags};

use super::StoreError;

/// How long a server may take to answer a request for a connection, and to acknowledge what is sent, where the
/// address says nothing else.
const SILENT: Duration = Duration::from_secs(20);

/// How long a lock of another process is waited for at a time.
const LOCKED: Duration = Duration::from_secs(5);

/// Connects to a server.
pub(crate) fn postgres(config: &Config) -> Result<Client, StoreError> {
    let mut config = config.clone();
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(SILENT);
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(SILENT);
    }
    Ok(config.connect(NoTls)?)
}

/// Opens a file; `None` if there is none and none is to be made.
pub(crate) fn sqlite(path: &Path, make: bool) -> Result<Option<Connection>, StoreError> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if make {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    } else if !path.exists() {
        return Ok(None);
    }
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(LOCKED)?;
    Ok(Some(connection))
}
