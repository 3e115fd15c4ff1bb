//! A server of one folder's files, with no special headers: what any static host does.

use std::{net::TcpListener, path::Path};

use anyhow::{Context, Result};
use axum::{
    Router,
    http::{HeaderValue, header::CACHE_CONTROL},
};
use tokio::runtime;
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

/// Serves `folder` for ever; `ready` is called once requests are answered.
pub fn serve(listener: TcpListener, folder: &Path, ready: impl FnOnce()) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .context("could not start the server")?;
    runtime.block_on(async {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        ready();
        axum::serve(listener, files(folder)).await
    })?;
    Ok(())
}

fn files(folder: &Path) -> Router {
    // The worker's files keep their names from build to build, so a browser must ask.
    let ask =
        SetResponseHeaderLayer::overriding(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Router::new().fallback_service(ServeDir::new(folder)).layer(ask)
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        io::{Read, Write},
        net::{Ipv4Addr, SocketAddr, TcpStream},
        thread,
    };

    use super::*;

    fn ask(address: SocketAddr, line: &str) -> String {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.to_ascii_lowercase()
    }

    #[test]
    fn files_of_the_folder_alone_are_answered_with_their_type() {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir_all(outer.path().join("site/sub")).unwrap();
        for file in ["secret", "site/index.html", "site/sub/index.html", "site/worker_bg.wasm"] {
            fs::write(outer.path().join(file), file).unwrap();
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let site = outer.path().join("site");
        // The thread ends with the test's process.
        thread::spawn(move || serve(listener, &site, || ()));
        // Kept open without a request, as browsers do: it must hold up nobody.
        let _idle: Vec<_> = (0..8).map(|_| TcpStream::connect(address).unwrap()).collect();
        let wasm = ask(address, "GET /worker_bg.wasm?build=1");
        assert!(wasm.starts_with("http/1.1 200"), "{wasm}");
        assert!(wasm.contains("content-type: application/wasm\r\n"), "{wasm}");
        assert!(wasm.contains("cache-control: no-cache\r\n"), "{wasm}");
        assert!(ask(address, "GET /").contains("content-type: text/html"));
        assert!(ask(address, "GET /sub/").ends_with("sub/index.html"));
        for line in ["GET /absent.js", "GET /../secret", "GET /sub/../../secret", "GET //secret"] {
            let answer = ask(address, line);
            assert!(answer.starts_with("http/1.1 404"), "{line}: {answer}");
        }
        assert!(ask(address, "POST /").starts_with("http/1.1 405"));
    }
}
