// Starts the page's binary. A file of its own: the content security policy lets no script stand in
// the page itself. Trunk writes the names of the binary's two files into the page's head.
const [script, wasm] = document
  .querySelector('meta[name="app"]')
  .content.split(" ")
  .map((name) => new URL(name, document.baseURI).href);
try {
  const { default: init } = await import(script);
  await init({ module_or_path: wasm });
} catch (error) {
  const place = document.querySelector("#app p");
  // A page that has been drawn tells its faults itself.
  if (place) place.textContent = `The playground did not load. ${error}. Reload the page to try again.`;
  throw error;
}
