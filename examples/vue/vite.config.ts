import vue from '@vitejs/plugin-vue';
import { defaultClientConditions, defineConfig } from 'vite';

const { EDGE_URL = 'https://localhost:1280', EDGE_PAGE_PORT = '5180' } = process.env;

export default defineConfig({
  plugins: [vue()],
  define: { 'import.meta.env.EDGE_URL': JSON.stringify(EDGE_URL) },
  // Inside this repository the SDK is used without a build. An application of your own needs no conditions.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  server: { host: 'localhost', port: Number(EDGE_PAGE_PORT), strictPort: true },
});
