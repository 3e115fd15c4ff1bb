// Says why nothing starts where the page has no origin: its modules and workers are refused there.
// No module itself, so that it is not.
if (self.origin === "null") {
  const why =
    location.protocol === "file:"
      ? "opened as a file, it may not load its parts. Serve the folder over HTTP, for example with “python3 -m http.server”, and open that address"
      : "the frame that holds it is sandboxed. Let its sandbox attribute hold allow-scripts and allow-same-origin";
  document.querySelector("#app p").textContent = `The playground cannot start here: ${why}.`;
}
