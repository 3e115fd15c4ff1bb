// Answers for the page's files, so that the page opens without a network. All files that a page
// gets are of one build: a build is kept whole or not at all, each in a cache of its own.
//
// `cargo xtask build` fills in the next two: which build this is, and each of its files with its
// digest. They change with any file, and a browser takes a changed script for a new version.
const SITE = "";
const FILES = {};

const scope = registration.scope;
const MINE = `ringside ${scope} `;
const kept = (site) => MINE + site;

addEventListener("install", (event) => event.waitUntil(install()));
addEventListener("activate", (event) => event.waitUntil(activate()));
addEventListener("message", (event) => event.waitUntil(greet(event.source, event.data?.site)));
addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname, searchParams } = new URL(request.url);
  const file = origin + pathname;
  // What is asked with HEAD asks what the server has.
  if (request.method !== "GET" || !file.startsWith(scope)) return;
  if (request.mode !== "navigate") {
    event.respondWith(answer(request, file, searchParams.get("site")));
  } else if (file === scope || file === `${scope}index.html`) {
    event.respondWith(open(event));
  }
});

// Every file is held to its digest, so that a deploy under way cannot mix two builds.
async function install() {
  await navigator.locks.request(kept(SITE), { mode: "shared" }, async () => {
    const cache = await caches.open(kept(SITE));
    try {
      await Promise.all(Object.keys(FILES).map((file) => keep(file, cache)));
    } catch (error) {
      await caches.delete(kept(SITE));
      throw error;
    }
  });
  // Pages of the old build go on with the files of the old build, so nobody need wait.
  await skipWaiting();
}

async function keep(file, cache) {
  const url = new URL(file, scope).href;
  const response = await fetch(url, { integrity: FILES[file], cache: "no-cache" });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  await cache.put(url, plain(response));
}

// A response that was redirected may not answer a navigation, and its body is no longer packed.
function plain(response) {
  const headers = new Headers(response.headers);
  headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(response.body, { headers });
}

async function activate() {
  await clients.claim();
  for (const page of await clients.matchAll({ type: "window" })) page.postMessage({ site: SITE });
}

// A page has started, and holds the lock of its build.
async function greet(page, site) {
  page?.postMessage({ site: SITE });
  // What was kept goes on until it is left; the next load is the host's.
  if (await isGone()) return (await caches.open(kept(SITE))).delete(scope);
  if (site !== SITE || registration.installing || registration.waiting) return;
  for (const name of await caches.keys()) {
    if (!name.startsWith(MINE) || name === kept(SITE)) continue;
    // A page that is being left may hold its lock a moment longer.
    const soon = { signal: AbortSignal.timeout(5000) };
    await navigator.locks.request(name, soon, () => caches.delete(name)).catch(() => {});
  }
}

// What a load shows is the newest build that is here whole.
async function open(event) {
  const page = await caches.match(scope, { cacheName: kept(SITE) });
  if (page) return page;
  event.waitUntil(leaveOrStay());
  return fetch(event.request);
}

// The host had let the page go. If it has it again, and still this build, that is kept as before.
async function leaveOrStay() {
  if (await isGone()) return leave();
  await keep("./", await caches.open(kept(SITE))).catch(() => {});
}

// Files whose names stay the same are asked for with their build. All others have a hash in their
// names, which no two builds share.
async function answer(request, file, site) {
  const names = [kept(site ?? SITE)];
  if (site === null) {
    names.push(...(await caches.keys()).filter((name) => name.startsWith(MINE)));
  }
  for (const cacheName of names) {
    const response = await caches.match(file, { cacheName });
    if (response) return response;
  }
  return fetch(request);
}

// Whether the host no longer has the page, and is not only out of reach or out of order.
async function isGone() {
  const asked = fetch(`${scope}service_worker.js`, { method: "HEAD", cache: "no-store" });
  const response = await asked.catch(() => null);
  if (!response?.ok) return [404, 410].includes(response?.status);
  return response.headers.get("content-type")?.startsWith("text/html");
}

// Gives the host its place back, above all one at a port that many programs share. Files are let
// go once no page uses them.
async function leave() {
  await registration.unregister();
  const mine = (await caches.keys()).filter((name) => name.startsWith(MINE));
  const letGo = (name) => navigator.locks.request(name, () => caches.delete(name));
  await Promise.all(mine.map(letGo));
}
