import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './bootstrap.mjs';
import { configurationDocument } from './generate/configuration.mjs';
import { errorsDocument } from './generate/errors.mjs';
import { eventsDocument } from './generate/events.mjs';
import { openapiDocument } from './generate/openapi.mjs';

const documents = {
  'docs/configuration.md': configurationDocument,
  'docs/errors.md': errorsDocument,
  'docs/events.md': eventsDocument,
  'docs/openapi/client.json': () => openapiDocument('client'),
  'docs/openapi/management.json': () => openapiDocument('management'),
};

for (const [path, make] of Object.entries(documents)) {
  const file = join(root, path);
  const content = await make();
  const current = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  if (current === content) continue;
  if (process.argv.includes('--check')) {
    console.error(`${path} is out of date`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(`wrote ${path}`);
}
