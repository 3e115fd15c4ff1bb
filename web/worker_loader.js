// Loads the worker's two files, both of the page's own build, and says which of them failed:
// the browser's error event would not.
const query = new URL(import.meta.url).searchParams;
const file = (name) => new URL(`${name}?build=${query.get("build")}`, import.meta.url).href;
let loading = file("worker.js");
try {
  const { default: init } = await import(loading);
  loading = file("worker_bg.wasm");
  await init({ module_or_path: loading });
} catch (error) {
  // The reference speaks another protocol, in which silence is what tells the page.
  if (query.get("role") === "rank") self.postMessage([loading, String(error)]);
  else throw error;
}
