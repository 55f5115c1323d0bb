import { runInstalled } from './bootstrap.mjs';

await runInstalled('test.ts');
