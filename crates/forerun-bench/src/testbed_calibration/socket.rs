//! What a plain socket carries between two hosts.

use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use crate::testbed::up::Up;

/// The word by which this program is one end of the socket.
const WORD: &str = "--socket";
const PORT: u16 = 7411;
/// Bytes handed to a socket at once, and how long that goes on: a start, of which nothing counts, and then the time that is measured.
const BYTES: usize = 256 << 10;
const START: Duration = Duration::from_secs(1);
const TIME: Duration = Duration::from_secs(4);
/// How often it is tried to reach the other end.
const TRIES: u32 = 100;

/// Bytes of payload a second that a socket carries from the testbed's first host to its second, `hosts` by name.
pub(super) fn rate(up: &Up<'_>, [from, to]: [&str; 2]) -> io::Result<f64> {
    let program = env::current_exe()?;
    let address = up.run(&["--host", to]).args(["hostname", "-I"]).stdout(Stdio::piped()).output()?.stdout;
    let address = String::from_utf8_lossy(&address).split_whitespace().next().unwrap_or_default().to_owned();
    let end = |host| -> Command {
        let mut command = up.run(&["--host", host]);
        command.arg(&program).arg(WORD);
        command
    };
    let mut receiver = end(to).arg("receive").stdout(Stdio::piped()).spawn()?;
    let sent = end(from).args(["send", &address]).status();
    if !sent.is_ok_and(|status| status.success()) {
        let _ = receiver.kill();
        let _ = receiver.wait();
        return Err(io::Error::other(format!("nothing could be sent from {from} to {to}")));
    }
    let told = receiver.wait_with_output()?.stdout;
    let rate = String::from_utf8_lossy(&told).trim().parse();
    rate.map_err(|_| io::Error::other("the receiver of the socket said no rate"))
}

/// One end of the socket, if that is what this process is for.
pub(crate) fn end(mut arguments: impl Iterator<Item = String>) -> Option<io::Result<()>> {
    if arguments.nth(1)? != WORD {
        return None;
    }
    Some(match (arguments.next().as_deref(), arguments.next()) {
        (Some("receive"), None) => receive(),
        (Some("send"), Some(address)) => send(&address),
        _ => Err(io::Error::other("--socket is for the bench itself")),
    })
}

fn receive() -> io::Result<()> {
    let (mut socket, _) = TcpListener::bind(("0.0.0.0", PORT))?.accept()?;
    let mut buffer = vec![0; BYTES];
    let begun = Instant::now();
    let (mut from, mut bytes) = (None, 0u64);
    loop {
        let n = socket.read(&mut buffer)?;
        let (now, counts_from) = (begun.elapsed(), from);
        match counts_from {
            _ if n == 0 => break,
            None if now >= START => from = Some(now),
            Some(from) if now < from + TIME => bytes += n as u64,
            Some(from) => {
                println!("{}", bytes as f64 / (now - from).as_secs_f64());
                return Ok(());
            }
            None => {}
        }
    }
    Err(io::Error::other("the socket was closed too soon"))
}

fn send(address: &str) -> io::Result<()> {
    let mut tries = 0;
    let mut socket = loop {
        match TcpStream::connect((address, PORT)) {
            Ok(socket) => break socket,
            Err(e) if tries == TRIES => return Err(e),
            Err(_) => tries += 1,
        }
        thread::sleep(Duration::from_millis(50));
    };
    let buffer = vec![0; BYTES];
    // The receiver closes it when it has seen enough.
    while socket.write_all(&buffer).is_ok() {}
    Ok(())
}
