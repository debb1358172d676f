//! Databases that results go to: a file of SQLite, or a PostgreSQL server.

mod error;
mod open;
mod session;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ::postgres::Config;
use forerun_skeleton::AppError;

use crate::command::{leftover, plain, show};
use crate::partial;

pub(crate) use self::error::StoreError;
pub(crate) use self::open::{postgres, sqlite};
pub(crate) use self::session::Session;

/// A database, by its address: `sqlite:FILE` or only `FILE`, or `postgres://USER@HOST/NAME`.
#[derive(Clone)]
pub enum Database {
    /// A file of SQLite.
    Sqlite(PathBuf),
    /// A database of a PostgreSQL server.
    Postgres(Box<Config>),
}

impl FromStr for Database {
    type Err = AppError;

    fn from_str(address: &str) -> Result<Self, AppError> {
        let expected = "expected sqlite:FILE, or only FILE, or postgres://USER@HOST/NAME";
        if address.starts_with("postgres://") || address.starts_with("postgresql://") {
            let config = Config::from_str(address).map_err(|e| {
                AppError::new(format!("the address of the database is not understood ({e}): {expected}"))
            })?;
            return Ok(Database::Postgres(Box::new(config)));
        }
        if let Some(kind) = kind(address)
            && kind != "sqlite"
            && !address.contains("://")
        {
            return Err(AppError::new(format!(
                "there is no database of the kind {kind}: {expected} (a file of that name is sqlite:{address})"
            )));
        }
        match address.strip_prefix("sqlite:").unwrap_or(address) {
            "" => Err(AppError::new(format!("the address of the database is empty: {expected}"))),
            other if other.contains("://") => {
                Err(AppError::new(format!("there is no database of the kind {other}: {expected}")))
            }
            file => Ok(Database::Sqlite(file.into())),
        }
    }
}

/// What stands before a colon, if it looks like a kind of database and not like the beginning of a file's name.
fn kind(address: &str) -> Option<&str> {
    let (kind, _) = address.split_once(':')?;
    (!kind.is_empty() && kind.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())).then_some(kind)
}

/// The address without what is secret.
impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Database::Sqlite(path) => f.write_str(&show::path(path)),
            Database::Postgres(config) => {
                let host = match config.get_hosts().first() {
                    Some(::postgres::config::Host::Tcp(host)) => host.clone(),
                    #[cfg(unix)]
                    Some(::postgres::config::Host::Unix(path)) => show::path(path),
                    None => String::new(),
                };
                let name = config.get_dbname().or(config.get_user()).unwrap_or("postgres");
                write!(f, "the PostgreSQL database {name} on {host}")
            }
        }
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Database {
    /// The file, where it is one.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Database::Sqlite(path) => Some(path),
            Database::Postgres(_) => None,
        }
    }

    /// Looks whether it can be used: the directory of a file is there, and both can be written.
    ///
    /// # Errors
    /// That they are not, or cannot be.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        let Some(file) = self.file() else { return Ok(()) };
        let name = show::path(file);
        if !directory_of(file).is_dir() {
            return Err(AppError::new(format!("{name}: there is no such directory: make it first")));
        }
        if file.is_dir() {
            return Err(AppError::new(format!("{name} is a directory: name a file in it")));
        }
        if file.exists() && !file.is_file() {
            return Err(AppError::new(format!(
                "{name} is no regular file: name one, which is made where there is none"
            )));
        }
        let refuse = |what: &str, e: &io::Error| {
            AppError::new(format!("{what} cannot be written: {}; name another database", plain(e)))
        };
        if file.is_file() {
            File::options().write(true).open(file).map_err(|e| refuse(&name, &e))?;
        }
        // A log is beside the file that a link leads to, a rehearsal's database beside the link.
        let behind = partial::behind(file).unwrap_or_else(|_| file.to_owned());
        for directory in [directory_of(file), directory_of(&behind)] {
            let what = format!("the directory {} of the database {name}", show::path(directory));
            tempfile::tempfile_in(directory).map_err(|e| refuse(&what, &e))?;
        }
        Ok(())
    }

    /// A database for a rehearsal: of a file another one beside it, which goes with the directory; a server's own.
    ///
    /// # Errors
    /// That nothing can be written there.
    pub(crate) fn beside(&self) -> Result<(Database, Option<leftover::Locked>), AppError> {
        let Some(file) = self.file() else { return Ok((self.clone(), None)) };
        let made = leftover::make(directory_of(file), partial::PREFIX);
        let made = made
            .map_err(|e| AppError::new(format!("cannot write beside the database {self}: {}", plain(&e))))?;
        Ok((Database::Sqlite(made.0.path().join("rehearsal.db")), Some(made)))
    }
}

/// The directory that a file is in.
pub(crate) fn directory_of(file: &Path) -> &Path {
    file.parent().filter(|d| !d.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_secrets_not_shown() {
        let of = |text: &str| text.parse::<Database>();
        assert_eq!(of("sqlite:a b.db").unwrap().file(), Some(Path::new("a b.db")));
        assert_eq!(of("dir/x.db").unwrap().file(), Some(Path::new("dir/x.db")));
        let server = of("postgres://me:secret@host:99/name").unwrap();
        assert_eq!(server.to_string(), "the PostgreSQL database name on host");
        assert!(!format!("{server:?}").contains("secret"));
        assert_eq!(of("sqlite:mysql:f").unwrap().file(), Some(Path::new("mysql:f")));
        for bad in ["", "sqlite:", "mysql:f", "mysql://x/y", "postgres://host:port/x"] {
            assert!(of(bad).unwrap_err().to_string().contains("expected sqlite:FILE"), "{bad}");
        }
    }
}
