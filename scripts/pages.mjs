import { runInstalled } from './bootstrap.mjs';

await runInstalled('pages.ts');
