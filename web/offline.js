// Keeps the page for use without a network, and says when another build of it has come. The page
// works as well where this cannot: without HTTPS, or where the browser forbids it.

// Which files make up this page; empty in a build that cannot be kept.
const site = document.querySelector('meta[name="site"]').content;
const script = new URL("service_worker.js", document.baseURI);
const LOOK_EVERY_MS = 30 * 60 * 1000;

async function keep(container) {
  // Held as long as this page lives: the service worker leaves the files of a held build alone.
  const build = `ringside ${new URL("./", script).href} ${site}`;
  navigator.locks.request(build, { mode: "shared" }, () => new Promise(() => {}));
  container.addEventListener("message", ({ data }) => {
    if (data?.site && data.site !== site) tellOfAnother();
  });
  container.startMessages();
  await quiet();
  const registration = await container.register(script, { updateViaCache: "none" });
  const { active } = await container.ready;
  active.postMessage({ site });
  const look = () => registration.update().catch(() => {});
  document.addEventListener("visibilitychange", () => document.hidden || look());
  setInterval(look, LOOK_EVERY_MS);
}

// The page's binary may not listen yet, so the news also stays in the document.
function tellOfAnother() {
  document.documentElement.dataset.otherBuild = "";
  dispatchEvent(new Event("other-build"));
}

// The page's own files come first.
async function quiet() {
  if (document.readyState !== "complete") {
    await new Promise((done) => addEventListener("load", done, { once: true }));
  }
  await new Promise((done) => (globalThis.requestIdleCallback ?? setTimeout)(done));
}

try {
  // In some frames even to ask is an error.
  if (site && navigator.serviceWorker && navigator.locks) await keep(navigator.serviceWorker);
} catch (error) {
  console.info(`Ringside is not kept for use without a network: ${error}`);
}
