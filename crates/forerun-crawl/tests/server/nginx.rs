//! nginx, the real web server, for tests.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::skipped::skipped;

/// nginx with a configuration of its own; it ends with this.
pub(crate) struct Nginx {
    child: Child,
    pub(crate) port: u16,
    _dir: tempfile::TempDir,
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts nginx for the files in `root`; None, with a word about it, where it is not installed.
pub(crate) fn nginx(root: &Path) -> Option<Nginx> {
    let places = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx", "/usr/local/bin/nginx"];
    let Some(program) = places.into_iter().find(|p| Path::new(p).exists()) else {
        skipped("needs `nginx` (Debian's package nginx)");
        return None;
    };
    let dir = tempfile::tempdir().expect("a directory");
    let port = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port").port();
    let (root, own) = (root.display(), dir.path().display());
    let temporary =
        ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(|t| format!("{t}_temp_path {own}/{t};"));
    let config = format!(
        "daemon off; master_process off; pid {own}/pid; error_log {own}/error.log;
        events {{ worker_connections 64; }}
        http {{ access_log off; {}
          types {{ text/html html; text/css css; text/plain txt; image/svg+xml svg; }}
          default_type application/octet-stream;
          server {{ listen 127.0.0.1:{port}; root '{root}'; charset utf-8;
            gzip on; gzip_min_length 0; absolute_redirect off;
            location /gone/ {{ return 410; }}
            location /forbidden/ {{ deny all; }}
            location /old/ {{ rewrite ^/old/(.*)$ /new/$1 permanent; }} }} }}",
        temporary.join(" ")
    );
    fs::write(dir.path().join("nginx.conf"), config).expect("a configuration");
    let child = Command::new(program)
        .arg("-p")
        .arg(dir.path())
        .arg("-c")
        .arg(dir.path().join("nginx.conf"))
        .arg("-e")
        .arg(dir.path().join("error.log"))
        .stderr(Stdio::null())
        .spawn()
        .expect("nginx");
    let nginx = Nginx { child, port, _dir: dir };
    for _ in 0..250 {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return Some(nginx);
        }
        sleep(Duration::from_millis(20));
    }
    panic!("nginx does not answer");
}
