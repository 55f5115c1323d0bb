import { runInstalled } from './bootstrap.mjs';

await runInstalled('check.ts');
