// Runs an ES module and its chunks without window, process and localStorage: node --experimental-vm-modules <this file>
// <folder> <entry> <url>. It signs in and prints what the caller needs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import vm from 'node:vm';

const [folder = '', entry = '', url = ''] = process.argv.slice(2);
const globals = { URL, URLSearchParams, fetch, Headers, Request, Response, Blob, AbortController, AbortSignal };
const timers = { setTimeout, clearTimeout };
const context = vm.createContext({ ...globals, ...timers, crypto, TextEncoder, TextDecoder, atob, btoa });
const modules = new Map();
/** @type {Map<string, Promise<void>>} */
const linked = new Map();

/** @type {(name: string) => vm.SourceTextModule} */
function moduleOf(name) {
  const known = modules.get(name);
  if (known) return known;
  const importModuleDynamically = async (/** @type {string} */ specifier) => {
    const loaded = moduleOf(specifier);
    // Two may import it at the same time.
    if (!linked.has(specifier)) linked.set(specifier, loaded.link(moduleOf));
    await linked.get(specifier);
    await loaded.evaluate();
    return loaded;
  };
  const source = readFileSync(join(folder, name), 'utf8');
  const made = new vm.SourceTextModule(source, { context, identifier: name, importModuleDynamically });
  modules.set(name, made);
  return made;
}

const main = moduleOf(entry);
await main.link(moduleOf);
await main.evaluate();
const { createEdgeClient } = /** @type {typeof import('../../src/index.ts')} */ (main.namespace);
const edge = createEdgeClient(url);
const session = await edge.signIn.password({ username: 'alice', password: 'a password' });
const { version } = await edge.client.version.get();
const refused = await edge.management.identities
  .get('none')
  .then(null, (/** @type {{ code: string }} */ error) => error.code);
const response = await edge.fetch(`${url}/edge/client/v1/version`);
console.log(JSON.stringify({ name: session.identity.name, version, refused, fetched: response.status }));
