// Loads a worker's two files, both of the page's own build, and says which of them failed:
// the browser's error event would not.
const query = new URL(import.meta.url).searchParams;
const role = query.get("role");
// What else was asked for says which build it is.
query.delete("role");
const file = (name) => new URL(`${name}?${query}`, import.meta.url).href;
// Ranks and the reference share a binary.
const binary = role === "doctor" ? "doctor" : "worker";
// Who trains is given the compiled binary, so that all share its code, or null.
const trains = role === "rank" || role === "warm-up";
const given = trains && new Promise((resolve) => {
  self.addEventListener("message", ({ data }) => resolve(data), { once: true });
});
let loading = file(`${binary}.js`);
try {
  const { default: init } = await import(loading);
  loading = file(`${binary}_bg.wasm`);
  await init({ module_or_path: (await given) || loading });
} catch (error) {
  // The others speak another protocol, in which silence is what tells the page.
  if (role === "rank") self.postMessage([loading, String(error)]);
  else throw error;
}
