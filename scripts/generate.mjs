import { runInstalled } from './bootstrap.mjs';

await runInstalled('generate.ts');
