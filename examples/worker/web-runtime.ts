import { createContext, SourceTextModule } from 'node:vm';
import { build } from 'esbuild';

/** What worker runtimes have in common. Not in the list: `window`, `document`, `localStorage`, `process`, `Buffer`. */
const names = [
  ...[
    'AbortController',
    'AbortSignal',
    'Blob',
    'CryptoKey',
    'DOMException',
    'Event',
    'EventTarget',
    'FormData',
    'Headers',
  ],
  ...['ReadableStream', 'Request', 'Response', 'TextDecoder', 'TextEncoder', 'URL', 'URLSearchParams', 'atob', 'btoa'],
  ...['clearTimeout', 'console', 'crypto', 'fetch', 'performance', 'queueMicrotask', 'setTimeout', 'structuredClone'],
] as const;

/**
 * Bundles a module with its imports and runs it in a context that has the web APIs of `names` only. Code that looks for
 * anything of a browser or of Node fails there. Returns what the module exports.
 */
export async function runInWebRuntime(entry: string): Promise<object> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['source', 'import'],
    write: false,
  });
  const context = createContext(Object.fromEntries(names.map((name) => [name, Reflect.get(globalThis, name)])));
  const module = new SourceTextModule(outputFiles[0]?.text ?? '', { context, identifier: entry });
  await module.link((specifier) => {
    throw new Error(`the bundle imports ${specifier}`);
  });
  await module.evaluate();
  return module.namespace;
}
