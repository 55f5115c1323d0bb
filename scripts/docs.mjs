import { runInstalled } from './bootstrap.mjs';

await runInstalled('docs.ts');
