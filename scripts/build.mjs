import { bootstrap, build } from './bootstrap.mjs';

await bootstrap();
await build(['*']);
