import adapter from '@sveltejs/adapter-node';
import { sveltekit } from '@sveltejs/kit/vite';
import { defaultClientConditions, defaultServerConditions, defineConfig } from 'vite';

const { EDGE_PAGE_PORT = '5180' } = process.env;
const origin = process.env.ORIGIN ?? `http://localhost:${EDGE_PAGE_PORT}`;

export default defineConfig({
  plugins: [sveltekit({ adapter: adapter(), paths: { origin } })],
  // Inside this repository the SDK is used without a build. An application of your own needs no conditions.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  ssr: { noExternal: ['@edge-controller/sdk'], resolve: { conditions: ['source', ...defaultServerConditions] } },
  server: { host: 'localhost', port: Number(EDGE_PAGE_PORT), strictPort: true },
});
