import { runInstalled } from './bootstrap.mjs';

await runInstalled('publish-packages.ts');
