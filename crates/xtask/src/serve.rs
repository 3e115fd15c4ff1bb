//! `cargo xtask serve`: builds the page and serves it on the loopback address.

use std::{
    io,
    net::{Ipv4Addr, TcpListener},
};

use anyhow::{Context, Result, anyhow};

use crate::{
    setup::{self, Fetch, Need},
    site::{self, Site},
    static_files, workspace,
};

/// Flags of `cargo xtask serve`.
#[derive(clap::Args)]
pub struct Args {
    /// Port to listen on, at 127.0.0.1
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Uses the network for nothing: works, or names the tool and version that is missing
    #[arg(long)]
    offline: bool,
}

/// Runs the command, until it is ended from outside.
pub fn run(args: &Args) -> Result<()> {
    // Before the build, whose minutes would be lost on a port that is taken.
    let listener = listen(args.port)?;
    let fetch = Fetch::unless(args.offline);
    let toolbox = setup::ensure(&[Need::Page], fetch)?;
    // Not `dist`: a build or a test run beside this one would change the files under the reader.
    let dist = workspace::target().join("serve");
    site::build(&toolbox, &Site { dist: &dist, public_url: "./", fetch })?;
    let port = listener.local_addr().context("could not read the port")?.port();
    static_files::serve(listener, &dist, || {
        println!("Ringside is at http://127.0.0.1:{port} (Ctrl-C ends it)");
    })
}

fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => anyhow!(
            "port {port} is taken: end the program that uses it, or choose another port with \
             --port, for example `cargo xtask serve --port {}`",
            port.wrapping_add(1).max(1024)
        ),
        io::ErrorKind::PermissionDenied => anyhow!(
            "port {port} is not yours to open: choose one from 1024 up, for example \
             `cargo xtask serve --port 8080`"
        ),
        _ => anyhow!("could not listen on 127.0.0.1:{port}: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_port_is_named_with_the_flag() {
        let first = listen(0).unwrap();
        let port = first.local_addr().unwrap().port();
        let error = listen(port).unwrap_err().to_string();
        assert!(error.contains(&format!("port {port} is taken")), "{error}");
        assert!(error.contains("--port"), "{error}");
    }
}
