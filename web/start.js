// Starts the page's binary. A file of its own: the content security policy lets no script stand in
// the page itself. Trunk writes the names of the binary's two files into the page's head.
const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const query = new URLSearchParams(location.search);
// In a frame of its own the page is its bench, whose files are asked for with the page's build.
const files =
  query.get("part") === "bench"
    ? ["bench.js", "bench_bg.wasm"].map((name) => `${name}?site=${meta("site")}`)
    : meta("app").split(" ");
const [script, wasm] = files.map((name) => new URL(name, document.baseURI).href);
try {
  const { default: init } = await import(script);
  await init({ module_or_path: wasm });
} catch (error) {
  const place = document.querySelector("#app p");
  // A page that has been drawn tells its faults itself.
  if (place) place.textContent = `The playground did not load. ${error}. Reload the page to try again.`;
  throw error;
}
