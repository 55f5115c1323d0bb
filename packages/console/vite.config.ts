import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The controller that `vite` shows. */
const { EDGE_URL = 'https://localhost:1280' } = process.env;

const sdk = (file: string) => fileURLToPath(new URL(`../sdk/src/${file}`, import.meta.url));

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: {
    // The SDK is used without a build. The condition `source` would also find sources of other packages.
    alias: [
      { find: /^@edge-controller\/sdk$/, replacement: sdk('index.ts') },
      { find: /^@edge-controller\/sdk\/(\w+)$/, replacement: sdk('$1/index.ts') },
      { find: '#send-exchange', replacement: sdk('requests/send-with-fetch.ts') },
      { find: '#tls-error', replacement: sdk('errors/no-tls-error.ts') },
    ],
  },
  // A page may load nothing but files of its own: no file becomes a `data:` URL.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false }, license: { fileName: 'licenses.md' } },
  server: { host: 'localhost', port: 5190, proxy: { '/edge': { target: EDGE_URL, secure: false } } },
});
