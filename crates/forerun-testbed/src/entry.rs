//! How processes get onto a host: scripts that `up` writes, so that MPI's launchers start them
//! without this program.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::layout::{ADDRESSES, Layout};
use crate::place::{Place, namespace_file};

/// `enter HOST COMMAND…`. The group comes first, so that what starting takes is the host's own time; then
/// the network, and a host's name and names of hosts that only this process and its children see.
const ENTER: &str = r#"#!/bin/sh
# enter HOST COMMAND...: runs a command on a host of this testbed. Written by `testbed up`.
case $1 in */*|'') host=;; *) host=$1;; esac
if [ ! -f "DIR/hosts/$host" ]; then
    echo "testbed NAME has no host \"$1\": see the names in DIR/hosts" >&2
    exit 2
fi
shift
. "DIR/hosts/$host"
for group in $groups; do
    echo $$ > "$group" || exit 125
done
exec nsenter --net="$net" unshare --uts --mount --propagation slave sh DIR/inside "$name" "$@"
"#;

/// What `enter` goes on with inside.
const INSIDE: &str = r#"mount --bind DIR/etc-hosts /etc/hosts || exit 125
echo "$1" > /proc/sys/kernel/hostname || exit 125
export FORERUN_TESTBED=NAME FORERUN_TESTBED_HOST="$1"
[ ! -d "DIR/disks/$1" ] || export FORERUN_TESTBED_DISK="DIR/disks/$1"
shift
exec "$@"
"#;

/// `agent [-x] HOST WORDS…`, as ssh takes it: the words go to a shell.
const AGENT: &str = r#"#!/bin/sh
# agent HOST WORDS...: what ssh would be between these hosts. Written by `testbed up`.
while :; do
    case $1 in
    -l|-p|-o|-i) shift 2;;
    -*) shift;;
    *) break;;
    esac
done
host=$1
shift
exec DIR/enter "$host" sh -c "$*"
"#;

/// Writes the scripts, the hosts' names, and lists of hosts for MPI. `groups` are, host by host, the
/// files by which a process enters its groups.
///
/// # Errors
/// A file cannot be written.
pub(crate) fn write(place: &Place, layout: &Layout, groups: &[Vec<PathBuf>]) -> io::Result<()> {
    let dir = place.dir();
    let filled = |text: &str| text.replace("DIR", &dir.to_string_lossy()).replace("NAME", place.name());
    for (name, text) in [("enter", ENTER), ("agent", AGENT)] {
        fs::write(place.path(name), filled(text))?;
        fs::set_permissions(place.path(name), fs::Permissions::from_mode(0o755))?;
    }
    fs::write(place.path("inside"), filled(INSIDE))?;
    fs::create_dir_all(place.path("hosts"))?;
    let mut names = String::from("127.0.0.1 localhost\n");
    for (host, groups) in layout.hosts.iter().zip(groups) {
        let groups: Vec<_> = groups.iter().map(|g| g.to_string_lossy().into_owned()).collect();
        let text = format!(
            "name={}\nnet={}\ngroups=\"{}\"\n",
            host.name,
            namespace_file(&place.namespace(&host.name)).display(),
            groups.join(" ")
        );
        for file in [&host.name, &host.address] {
            fs::write(place.path("hosts").join(file), &text)?;
        }
        names += &format!("{} {}\n", host.address, host.name);
    }
    fs::write(place.path("etc-hosts"), names)?;
    fs::create_dir_all(place.path("hostfiles"))?;
    for count in 1..=layout.hosts.len() {
        let (openmpi, mpich) = (hostfile(place, "openmpi", count), hostfile(place, "mpich", count));
        let list =
            |slots: &str| layout.hosts[..count].iter().map(|h| format!("{}{slots}\n", h.name)).collect();
        fs::write(openmpi, Vec::<u8>::from(String::from_iter::<Vec<String>>(list(" slots=1"))))?;
        fs::write(mpich, Vec::<u8>::from(String::from_iter::<Vec<String>>(list(":1"))))?;
    }
    Ok(())
}

/// The list of the first `count` hosts, in the way of an MPI.
fn hostfile(place: &Place, mpi: &str, count: usize) -> PathBuf {
    place.path("hostfiles").join(format!("{mpi}.{count}"))
}

/// What `mpirun` of either MPI needs to know of the testbed, with its first `count` hosts.
pub(crate) fn environment(place: &Place, count: usize) -> Vec<(&'static str, String)> {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let agent = text(&place.path("agent"));
    let openmpi = text(&hostfile(place, "openmpi", count));
    vec![
        ("FORERUN_TESTBED_HOSTFILE", openmpi.clone()),
        ("FORERUN_TESTBED_AGENT", agent.clone()),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1".into()),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1".into()),
        ("OMPI_MCA_orte_default_hostfile", openmpi),
        ("OMPI_MCA_plm", "rsh".into()),
        ("OMPI_MCA_plm_rsh_agent", agent.clone()),
        ("OMPI_MCA_pml", "ob1".into()),
        ("OMPI_MCA_btl", "tcp,self".into()),
        ("OMPI_MCA_btl_tcp_if_include", ADDRESSES.into()),
        ("OMPI_MCA_oob_tcp_if_include", ADDRESSES.into()),
        // Every host would bind its first rank to the same core of this machine.
        ("OMPI_MCA_hwloc_base_binding_policy", "none".into()),
        ("HYDRA_LAUNCHER", "ssh".into()),
        ("HYDRA_LAUNCHER_EXEC", agent),
        ("HYDRA_HOST_FILE", text(&hostfile(place, "mpich", count))),
        // Debian's MPICH goes through UCX, which knows a machine by its kernel and not by its name.
        ("UCX_TLS", "tcp,self".into()),
        ("UCX_NET_DEVICES", "eth0".into()),
    ]
}
