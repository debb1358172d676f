//! Background traffic: a sender and a receiver in two hosts' networks, at a rate and for a time.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, UdpSocket};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use forerun_platform::{Bytes, BytesPerSecond, Seconds};

use crate::place::namespace_file;
use crate::up::Standing;

/// Payload of a packet, so that none is cut.
const PACKET: usize = 1472;
/// What one write to a stream takes.
const WRITE: usize = 16 << 10;
/// Longest wait for the other end.
const PATIENCE: Duration = Duration::from_secs(2);

/// Traffic that is asked for.
pub(crate) struct Load {
    /// Host that sends.
    pub(crate) from: String,
    /// Host that receives.
    pub(crate) to: String,
    /// Payload.
    pub(crate) rate: BytesPerSecond,
    /// For how long.
    pub(crate) time: Seconds,
    /// A stream, which gives way to others, instead of packets, which do not.
    pub(crate) tcp: bool,
}

/// Makes the traffic and waits for its end; gives what to tell.
///
/// # Errors
/// There is no such host, or an end failed.
pub(crate) fn load(testbed: &Standing, load: &Load) -> Result<String, String> {
    let node = |name: &str| {
        testbed.layout.hosts.iter().find(|h| h.name == name).ok_or_else(|| {
            format!("testbed {} has no host \"{name}\": `testbed status` lists them", testbed.place.name())
        })
    };
    let (from, to) = (node(&load.from)?, node(&load.to)?);
    let protocol = if load.tcp { "tcp" } else { "udp" };
    let own = std::env::current_exe().map_err(|e| format!("this program cannot be found again: {e}"))?;
    let end = |host: &str, words: &[String]| {
        let mut command = Command::new("nsenter");
        let net = namespace_file(&testbed.place.namespace(host));
        command.arg(format!("--net={}", net.display())).arg(&own).args(words);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command.spawn().map_err(|e| format!("`nsenter` could not be started: {e}"))
    };
    // The port differs between loads that run at once.
    let port = 20_000 + std::process::id() % 20_000;
    let time = load.time.0.to_string();
    let mut receiver =
        end(&to.name, &["load-receive", protocol, &port.to_string(), &time].map(String::from))?;
    let sent = {
        let words = ["load-send", protocol, &to.address, &port.to_string(), &load.rate.0.to_string(), &time];
        // The receiver says that it listens.
        let mut ready = [0; 1];
        match receiver.stdout.as_mut().map(|out| out.read_exact(&mut ready)) {
            Some(Ok(())) => end(&from.name, &words.map(String::from)).and_then(|c| finish(c, "sender")),
            _ => Err("the receiver ended before it listened".into()),
        }
    };
    if sent.is_err() {
        let _ = receiver.kill();
    }
    let received = finish(receiver, "receiver");
    let (sent, received) = (sent?, received?);
    let rate = BytesPerSecond(sent.0 as f64 / load.time.0);
    Ok(format!(
        "{} from {} to {} in {} ({}), of which {} arrived",
        sent,
        from.name,
        to.name,
        load.time,
        rate.in_bits(),
        received
    ))
}

/// Waits for an end and reads the bytes it counted.
fn finish(child: std::process::Child, what: &str) -> Result<Bytes, String> {
    let output = child.wait_with_output().map_err(|e| format!("the {what} was lost: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.trim().parse() {
        Ok(bytes) if output.status.success() => Ok(Bytes(bytes)),
        _ => Err(format!("the {what} failed: what it said is above")),
    }
}

/// The sender: `udp|tcp ADDRESS PORT BYTES_PER_SECOND SECONDS`. Gives the bytes that it sent.
///
/// # Errors
/// A word is wrong, or the network failed.
pub(crate) fn send(words: &[String]) -> Result<u64, String> {
    let [protocol, address, port, rate, time] = words else { return Err(words_wrong(words)) };
    let number = |text: &String| text.parse::<f64>().map_err(|_| words_wrong(words));
    let (rate, time) = (number(rate)?, Duration::from_secs_f64(number(time)?.max(0.0)));
    let to = format!("{address}:{port}");
    let failed = |e: std::io::Error| format!("nothing can be sent to {to}: {e}");
    let (buffer, begun) = ([0x55; WRITE], Instant::now());
    let mut sent = 0u64;
    let mut paced = |piece: usize, send: &mut dyn FnMut(&[u8]) -> std::io::Result<usize>| {
        while begun.elapsed() < time {
            let due = Duration::from_secs_f64(sent as f64 / rate);
            sleep(due.saturating_sub(begun.elapsed()).min(time.saturating_sub(begun.elapsed())));
            match send(&buffer[..piece]) {
                Ok(n) => sent += n as u64,
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                // A receiver that is not there yet, of packets: they are lost.
                Err(e) if e.kind() == ErrorKind::ConnectionRefused && piece == PACKET => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(())
    };
    if protocol == "tcp" {
        let mut stream = TcpStream::connect(&to).map_err(failed)?;
        stream.set_write_timeout(Some(Duration::from_millis(100))).map_err(failed)?;
        paced(WRITE, &mut |b| stream.write(b))?;
    } else {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).map_err(failed)?;
        socket.connect(&to).map_err(failed)?;
        paced(PACKET, &mut |b| socket.send(b))?;
    }
    Ok(sent)
}

/// The receiver: `udp|tcp PORT SECONDS`. Says `+` when it listens; gives the bytes that arrived.
///
/// # Errors
/// A word is wrong, or the network failed.
pub(crate) fn receive(words: &[String]) -> Result<u64, String> {
    let [protocol, port, time] = words else { return Err(words_wrong(words)) };
    let port: u16 = port.parse().map_err(|_| words_wrong(words))?;
    let time: f64 = time.parse().map_err(|_| words_wrong(words))?;
    let failed = |e: std::io::Error| format!("nothing can be received at port {port}: {e}");
    let end = Instant::now() + Duration::from_secs_f64(time.max(0.0)) + PATIENCE;
    let ready = || {
        let mut out = std::io::stdout();
        out.write_all(b"+").and_then(|()| out.flush()).map_err(failed)
    };
    let mut buffer = vec![0; 1 << 16];
    let mut arrived = 0u64;
    let mut take = |read: &mut dyn FnMut(&mut [u8]) -> std::io::Result<usize>, stream: bool| {
        while Instant::now() < end {
            match read(&mut buffer) {
                Ok(0) if stream => break,
                Ok(n) => arrived += n as u64,
                // Nothing for long: packets have ended once some came.
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    if !stream && arrived > 0 && Instant::now() + PATIENCE > end {
                        break;
                    }
                }
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(())
    };
    let pause = Some(Duration::from_millis(200));
    if protocol == "tcp" {
        let listener = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        ready()?;
        let mut stream = loop {
            match listener.accept() {
                Ok((stream, _)) => break stream,
                Err(_) if Instant::now() < end => sleep(Duration::from_millis(5)),
                Err(e) => return Err(failed(e)),
            }
        };
        stream.set_nonblocking(false).and_then(|()| stream.set_read_timeout(pause)).map_err(failed)?;
        take(&mut |b| stream.read(b), true)?;
    } else {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port)).map_err(failed)?;
        socket.set_read_timeout(pause).map_err(failed)?;
        ready()?;
        take(&mut |b| socket.recv(b), false)?;
    }
    Ok(arrived)
}

fn words_wrong(words: &[String]) -> String {
    format!("`{}` is no end of a load: `testbed load` starts both", words.join(" "))
}
