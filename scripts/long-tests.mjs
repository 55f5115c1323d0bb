import { runInstalled } from './bootstrap.mjs';

await runInstalled('long-tests.ts');
