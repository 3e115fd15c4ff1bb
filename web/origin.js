// Says why nothing comes where the page has no origin: browsers give such a page neither modules nor
// workers. The one classic script, without a digest in its tag, since nothing else would run there.
if (self.origin === "null") {
  document.querySelector("#app p").textContent =
    location.protocol === "file:"
      ? "Opened as a file, the playground cannot start its workers. Serve its folder instead: " +
        "cargo xtask serve, or any static web server."
      : "In a sandboxed frame the playground cannot start its workers. The page around it must allow " +
        'both: sandbox="allow-scripts allow-same-origin".';
}
