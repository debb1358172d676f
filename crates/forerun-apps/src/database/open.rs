//! Connections.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use postgres::{Client, Config, NoTls};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::StoreError;
use crate::command::plain;

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

/// Opens a file; `None` if there is none and none is to be made. One that is only to be looked at need not be writable, nor its
/// directory.
pub(crate) fn sqlite(path: &Path, make: bool) -> Result<Option<Connection>, StoreError> {
    if path.is_dir() {
        return Err(StoreError::new("it is a directory: name a file in it"));
    }
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if make {
        flags |= OpenFlags::SQLITE_OPEN_CREATE;
    } else if !path.exists() {
        return Ok(None);
    }
    let opened = Connection::open_with_flags(path, flags).and_then(|connection| {
        connection.busy_timeout(LOCKED)?;
        if !make {
            // The first look makes the index of a log, for which both have to be writable.
            connection.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        }
        Ok(connection)
    });
    match opened {
        Err(e)
            if !make
                && matches!(e.sqlite_error_code(), Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen)) =>
        {
            unwritable(path).map(Some)
        }
        opened => Ok(Some(opened?)),
    }
}

/// Opens a file beside which nothing can be written, to be read as it stands: nobody is writing to it, as it has no log.
fn unwritable(path: &Path) -> Result<Connection, StoreError> {
    // The log is beside the file that a link leads to.
    let path =
        path.canonicalize().map_err(|e| StoreError::new(format!("it cannot be read: {}", plain(&e))))?;
    let mut log = path.clone().into_os_string();
    log.push("-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(StoreError::new(format!(
            "its log {} holds what is not written back yet, and cannot be read without writing here: have it asked by \
             someone who may write there, which writes it back",
            Path::new(&log).display()
        )));
    }
    let mut uri = String::from("file://");
    for &byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-".contains(&byte) {
            uri.push(byte.into());
        } else {
            // Text cannot fail to be written.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?immutable=1");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    Ok(Connection::open_with_flags(uri, flags)?)
}
