//! A server of one folder's files, with no special headers: what any static host does.

use std::{
    fs::File,
    net::TcpListener,
    path::{Component, Path, PathBuf},
    sync::Arc,
    thread,
};

use anyhow::{Result, anyhow};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// Requests answered at once. A browser opens up to six connections to one host.
const THREADS: usize = 6;

/// Serves `folder` for ever; `ready` is called once requests are answered.
pub fn serve(listener: TcpListener, folder: &Path, ready: impl FnOnce()) -> Result<()> {
    let server = Server::from_listener(listener, None)
        .map_err(|error| anyhow!("could not start the server: {error}"))?;
    let server = Arc::new(server);
    let threads: Vec<_> = (0..THREADS)
        .map(|_| {
            let (server, folder) = (Arc::clone(&server), folder.to_path_buf());
            thread::spawn(move || {
                while let Ok(request) = server.recv() {
                    answer(request, &folder);
                }
            })
        })
        .collect();
    ready();
    for thread in threads {
        thread.join().map_err(|_| anyhow!("a server thread panicked"))?;
    }
    Ok(())
}

fn answer(request: Request, folder: &Path) {
    // A reader who went away is no error of ours, so what sending returns is dropped.
    if !matches!(request.method(), Method::Get | Method::Head) {
        let _ = request.respond(text("only GET and HEAD are answered\n", 405));
        return;
    }
    let file =
        resolve(folder, request.url()).and_then(|path| Some((File::open(&path).ok()?, path)));
    let _ = match file {
        Some((file, path)) => request.respond(
            Response::from_file(file)
                // Always a Content-Length, so that a page can say how much of it has come.
                .with_chunked_threshold(usize::MAX)
                .with_header(header("Content-Type", &content_type(&path)))
                // The worker's files keep their names from build to build, so a browser must ask.
                .with_header(header("Cache-Control", "no-cache")),
        ),
        None => {
            let message = format!("{} is not here\n", request.url());
            request.respond(text(&message, 404))
        }
    };
}

/// The file below `folder` that `url` asks for, if there is one.
fn resolve(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.strip_prefix('/')?;
    let relative = Path::new(path);
    if !relative.components().all(|component| matches!(component, Component::Normal(_))) {
        return None;
    }
    let path = folder.join(relative);
    let path = if path.is_dir() { path.join("index.html") } else { path };
    path.is_file().then_some(path)
}

fn content_type(path: &Path) -> String {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    if kind.type_() == "text" { format!("{kind}; charset=utf-8") } else { kind.to_string() }
}

fn text(message: &str, status: u16) -> Response<std::io::Cursor<Vec<u8>>> {
    Response::from_string(message).with_status_code(StatusCode(status))
}

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("names and values are plain ASCII")
}

#[cfg(test)]
mod tests {
    use std::{
        fs,
        io::{Read, Write},
        net::{Ipv4Addr, TcpStream},
    };

    use super::*;

    fn folder() -> tempfile::TempDir {
        let outer = tempfile::tempdir().unwrap();
        fs::create_dir_all(outer.path().join("site/sub")).unwrap();
        for file in ["secret", "site/index.html", "site/sub/index.html", "site/worker_bg.wasm"] {
            fs::write(outer.path().join(file), file).unwrap();
        }
        outer
    }

    #[test]
    fn urls_resolve_to_files_of_the_folder_only() {
        let outer = folder();
        let site = outer.path().join("site");
        let name = |url| {
            let path = resolve(&site, url)?;
            Some(path.strip_prefix(&site).unwrap().to_str().unwrap().to_owned())
        };
        assert_eq!(name("/").as_deref(), Some("index.html"));
        assert_eq!(name("/sub/?x#y").as_deref(), Some("sub/index.html"));
        assert_eq!(name("/worker_bg.wasm?build=1").as_deref(), Some("worker_bg.wasm"));
        for url in ["/absent", "/../secret", "/sub/../../secret", "//secret", "secret", ""] {
            assert_eq!(name(url), None, "{url}");
        }
    }

    #[test]
    fn answers_with_type_and_status() {
        let outer = folder();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = listener.local_addr().unwrap();
        let site = outer.path().join("site");
        // The thread ends with the test's process.
        thread::spawn(move || serve(listener, &site, || ()));
        let ask = |line: &str| {
            let mut stream = TcpStream::connect(address).unwrap();
            write!(stream, "{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            answer
        };
        let wasm = ask("GET /worker_bg.wasm");
        assert!(wasm.starts_with("HTTP/1.1 200"), "{wasm}");
        assert!(wasm.contains("Content-Type: application/wasm\r\n"), "{wasm}");
        assert!(ask("GET /").contains("Content-Type: text/html; charset=utf-8\r\n"));
        assert!(ask("GET /absent.js").starts_with("HTTP/1.1 404"));
        assert!(ask("POST /").starts_with("HTTP/1.1 405"));
    }
}
