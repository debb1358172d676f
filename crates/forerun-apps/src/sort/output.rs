//! The output file: whole under its name, or not there.

use std::fs::{File, Permissions};
use std::io::{self, Seek as _};
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use forerun_platform::file::{hold, shown, stream};
use forerun_skeleton::{AppError, Cancel};
use rustix::fs::Access;
use tempfile::{NamedTempFile, TempPath};

use super::sorted::Write;
use crate::command::{Patient, plain};
use crate::partial;
use crate::pieces;

/// Blocks that may wait for the writing thread.
const WAITING: usize = 2;

/// Where the output goes.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// Its name; where that is a link, that of the file behind it.
    path: PathBuf,
    directory: PathBuf,
    /// Those of the file that it replaces.
    permissions: Option<Permissions>,
    to: To,
}

/// What is done with a complete output.
#[derive(Debug, Clone)]
enum To {
    /// It gets its name.
    File,
    /// It is copied to standard output; what ends the wait for a reader.
    Standard(Cancel),
    /// It is copied into what is there and no regular file, such as `/dev/null` or a pipe; what ends the wait for a reader.
    Special(Cancel),
}

impl Output {
    /// Checks that a file of this name can be made or replaced, or written into where it is no regular file: as sorted numbers are
    /// written at several places at once, that goes by way of a file without a name in the directory `gathered`, and `cancel` ends
    /// the wait for a reader.
    ///
    /// # Errors
    /// A sentence that names what is in the way.
    pub(crate) fn check(path: &Path, gathered: &Path, cancel: &Cancel) -> Result<Self, AppError> {
        let name = shown(path);
        let mut output =
            Output { path: path.into(), directory: PathBuf::new(), permissions: None, to: To::File };
        match std::fs::metadata(path) {
            Ok(data) if data.is_dir() => {
                return Err(AppError::new(format!("the output {name} is a directory: name a file in it")));
            }
            Ok(data) if !data.is_file() => {
                partial::place(path).and_then(|_| hold(path)).map_err(|e| output.error(&e))?;
                rustix::fs::access(path, Access::WRITE_OK).map_err(|e| output.error(&e.into()))?;
                output.directory = gathered.into();
                output.to = To::Special(cancel.clone());
                return Ok(output);
            }
            Ok(data) => {
                partial::may_be_replaced(path, plain)
                    .map_err(|why| AppError::new(format!("cannot write the output {name}: {why}")))?;
                output.permissions = Some(data.permissions());
            }
            Err(e) if e.kind() == io::ErrorKind::NotFound => {}
            Err(e) => return Err(output.error(&e)),
        }
        if path.is_symlink() {
            output.path = partial::behind(path).map_err(|e| output.error(&e))?;
        }
        output.directory = match output.path.parent() {
            Some(parent) if parent != Path::new("") => parent.into(),
            // By its own name, for sentences.
            _ => std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        };
        writable(&output.directory, "the output")?;
        Ok(output)
    }

    /// Standard output, by way of a file without a name in `directory`: sorted numbers are written at several
    /// places at once.
    pub(crate) fn standard(directory: PathBuf, cancel: Cancel) -> Self {
        Output { path: "standard output".into(), directory, permissions: None, to: To::Standard(cancel) }
    }

    /// Nowhere: of an output that is never written, what is tried goes to files without names in `directory`.
    pub(crate) fn nowhere(directory: PathBuf, cancel: Cancel) -> Self {
        Output { path: directory.clone(), directory, permissions: None, to: To::Special(cancel) }
    }

    /// Whether it goes to standard output.
    pub(crate) fn is_standard(&self) -> bool {
        matches!(self.to, To::Standard(_))
    }

    /// Whether it is copied to where it goes, and not a file there.
    fn is_copied(&self) -> bool {
        !matches!(self.to, To::File)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// The bytes of the file that it replaces, as it is now; 0 if there is none.
    pub(crate) fn replaces(&self) -> u64 {
        if self.is_copied() { 0 } else { std::fs::metadata(&self.path).map_or(0, |data| data.len()) }
    }

    pub(crate) fn error(&self, e: &io::Error) -> AppError {
        let (name, directory) = (shown(&self.path), shown(&self.directory));
        AppError::new(match e.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded if self.is_copied() => format!(
                "no space left, either in {directory}, where the output is gathered, or where {name} leads: free some"
            ),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                format!("no space left in {directory} for the output {name}: free some or name another place")
            }
            _ if self.is_standard() => format!("cannot write to standard output: {}", plain(e)),
            _ => format!("cannot write the output {name}: {}", plain(e)),
        })
    }

    /// Writes what `fill` produces to a temporary file beside the output, then renames it; gives its bytes.
    ///
    /// # Errors
    /// The file could not be written, or `fill` failed; then nothing is left.
    pub(crate) fn write(
        &self,
        fill: impl FnOnce(&File, &dyn Fn(&io::Error) -> AppError) -> Result<(), AppError>,
    ) -> Result<u64, AppError> {
        let temporary = self.begin()?;
        fill(temporary.as_file(), &|e| self.error(e))?;
        self.persist(temporary)
    }

    /// A temporary file beside the output, which is gone when it is dropped.
    ///
    /// # Errors
    /// It could not be made.
    pub(crate) fn begin(&self) -> Result<NamedTempFile, AppError> {
        partial::begin(&self.directory, 0o666).map_err(|e| self.error(&e))
    }

    /// Gives a complete temporary file the output's name, or copies it to where it goes; gives its bytes.
    ///
    /// # Errors
    /// It could not be renamed or copied; then nothing is left of it.
    pub(crate) fn persist(&self, mut temporary: NamedTempFile) -> Result<u64, AppError> {
        let file = temporary.as_file_mut();
        let copied = match &self.to {
            To::File => None,
            To::Standard(cancel) => {
                let stdout = io::stdout();
                let mut to = Patient::new(stdout.as_fd(), cancel);
                Some(file.rewind().and_then(|()| io::copy(file, &mut to)))
            }
            To::Special(cancel) => Some(file.rewind().and_then(|()| {
                let to = stream(&self.path, || cancel.is_cancelled())?;
                io::copy(file, &mut Patient::new(to.as_fd(), cancel))
            })),
        };
        if let Some(copied) = copied {
            return copied.map_err(|e| self.error(&e));
        }
        if let Some(permissions) = &self.permissions {
            temporary.as_file().set_permissions(permissions.clone()).map_err(|e| self.error(&e))?;
        }
        let bytes = temporary.as_file().metadata().map_err(|e| self.error(&e))?.len();
        temporary.persist(&self.path).map_err(|e| self.error(&e.error))?;
        Ok(bytes)
    }

    /// As [`Output::write`], but the name that the complete file gets is one that nobody uses, and it is
    /// gone when the returned value is dropped. (Standard output, and what is no regular file, gets nothing.)
    pub(crate) fn rehearse(
        &self,
        fill: impl FnOnce(&File, &dyn Fn(&io::Error) -> AppError) -> Result<(), AppError>,
    ) -> Result<TempPath, AppError> {
        let temporary = self.begin()?;
        fill(temporary.as_file(), &|e| self.error(e))?;
        if self.is_copied() {
            return Ok(temporary.into_temp_path());
        }
        let mut name = temporary.path().as_os_str().to_os_string();
        name.push(".tried");
        let tried = TempPath::try_from_path(PathBuf::from(name)).map_err(|e| self.error(&e))?;
        if self.permissions.is_some() {
            // To replace a file is more than to get a name: some file systems begin to write then.
            File::create(&tried).map_err(|e| self.error(&e))?;
        }
        temporary.persist(&tried).map_err(|e| self.error(&e.error))?;
        Ok(tried)
    }
}

/// Checks that files can be made in `directory`, which is for `what`.
///
/// # Errors
/// A sentence that names the directory.
pub(crate) fn writable(directory: &Path, what: &str) -> Result<(), AppError> {
    let name = shown(directory);
    if directory.exists() && !directory.is_dir() {
        return Err(AppError::new(format!("{name}, named for {what}, is no directory: name one")));
    }
    if !directory.is_dir() {
        return Err(AppError::new(format!(
            "the directory {name} for {what} does not exist: make it or name another"
        )));
    }
    tempfile::tempfile_in(directory).map(drop).map_err(|e| {
        AppError::new(format!(
            "cannot make files in the directory {name} for {what}: {}; name another",
            plain(&e)
        ))
    })
}

/// Runs `fill` and writes what it gives from another thread, a few blocks behind. Of what comes in small pieces, blocks are of `hand` bytes:
/// whoever is handed one has to be woken.
pub(crate) fn write_behind(
    file: &File,
    hand: usize,
    error: &dyn Fn(&io::Error) -> AppError,
    fill: impl FnOnce(&mut Write<'_>) -> Result<(), AppError>,
) -> Result<(), AppError> {
    std::thread::scope(|scope| {
        let (full, blocks) = sync_channel::<Vec<u8>>(WAITING);
        let (emptied, empty) = sync_channel(WAITING + 2);
        let begun = std::thread::Builder::new().spawn_scoped(scope, move || drain(file, &blocks, &emptied));
        // Without the thread, it is written here.
        let Ok(writer) = begun else {
            return fill(&mut |bytes| pieces::write_all(&mut &*file, bytes).map_err(|e| error(&e)));
        };
        let send = |block| full.send(block).map_err(|_| AppError::new("writing has ended early"));
        let mut block: Vec<u8> = Vec::new();
        let filled = fill(&mut |bytes| {
            block.extend_from_slice(bytes);
            if block.len() < hand {
                return Ok(());
            }
            let next = empty.try_recv().map_or_else(
                |_| Vec::new(),
                |mut next: Vec<u8>| {
                    next.clear();
                    next
                },
            );
            send(std::mem::replace(&mut block, next))
        });
        let filled = filled.and_then(|()| if block.is_empty() { Ok(()) } else { send(block) });
        drop(full);
        // The writer's error is the cause of the other.
        match writer.join() {
            Ok(written) => written.map_err(|e| error(&e)).and(filled),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

fn drain(mut file: &File, blocks: &Receiver<Vec<u8>>, emptied: &SyncSender<Vec<u8>>) -> io::Result<()> {
    for block in blocks {
        pieces::write_all(&mut file, &block)?;
        // If there are enough blocks already, this one goes.
        let _ = emptied.try_send(block);
    }
    Ok(())
}
