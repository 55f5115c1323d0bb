import { runInstalled } from './bootstrap.mjs';

await runInstalled('interop.ts');
