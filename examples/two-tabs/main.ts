import { servePage } from '../browser-sign-in/serve-page.ts';

const { EDGE_URL: controller = 'https://localhost:1280', EDGE_PAGE_PORT = '5180' } = process.env;

await servePage({ port: Number(EDGE_PAGE_PORT), controller, base: import.meta.url });
console.log(`Open http://localhost:${EDGE_PAGE_PORT} in two tabs`);
console.log(`Start the controller at ${controller} with EDGE_CORS_ORIGINS=http://localhost:${EDGE_PAGE_PORT}`);
