// Writes the API reference to docs/api: npm run docs. A broken link or a missing docstring fails.
import { run } from './bootstrap.mjs';
import { entriesOf } from './surface/entries.ts';

const entries = ['sdk', 'server'].flatMap((name) => entriesOf(name).map((entry) => entry.file));
const { code } = await run('typedoc', ['--options', 'scripts/typedoc.json', ...entries, ...process.argv.slice(2)], {
  show: true,
});
process.exit(code);
