import { serveFiles } from './serve-files.ts';

const { EDGE_URL: controller = 'https://localhost:1280', EDGE_PAGE_PORT = '5180' } = process.env;

await serveFiles(Number(EDGE_PAGE_PORT));
console.log(`Open http://localhost:${EDGE_PAGE_PORT}/?controller=${encodeURIComponent(controller)}`);
console.log(`Start the controller at ${controller} with EDGE_CORS_ORIGINS=http://localhost:${EDGE_PAGE_PORT}`);
