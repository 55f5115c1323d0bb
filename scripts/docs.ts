// Builds the site of the documents in docs/.vitepress/dist, with the API reference and the OpenAPI pages: npm run docs [-- --base /path/].
// A link that leads nowhere or a missing docstring fails.
import { run } from './bootstrap.mjs';
import { deadLinks } from './docs/dead-links.ts';
import { writeOpenapiPages } from './docs/openapi-pages.ts';
import { entriesOf } from './surface/entries.ts';

const site = 'docs/.vitepress/dist';
const entries = ['sdk', 'server'].flatMap((name) => entriesOf(name).map((entry) => entry.file));

async function step(program: string, args: readonly string[]) {
  const { code } = await run(program, args, { show: true });
  if (code !== 0) process.exit(code);
}

await step('vitepress', ['build', 'docs', ...process.argv.slice(2)]);
await step('typedoc', ['--options', 'scripts/typedoc.json', '--out', `${site}/api`, ...entries]);
writeOpenapiPages(`${site}/openapi`);
const dead = deadLinks(site);
console.log(dead.length > 0 ? dead.join('\n') : `${site}/index.html`);
process.exit(dead.length > 0 ? 1 : 0);
