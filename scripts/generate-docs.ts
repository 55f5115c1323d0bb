import { configurationDocument } from './generate/configuration.ts';
import { errorsDocument } from './generate/errors.ts';
import { eventsDocument } from './generate/events.ts';
import { openapiDocument } from './generate/openapi.ts';
import { writeFiles } from './generate/write-files.ts';

await writeFiles({
  'docs/configuration.md': configurationDocument,
  'docs/errors.md': errorsDocument,
  'docs/events.md': eventsDocument,
  'docs/openapi/client.json': () => openapiDocument('client'),
  'docs/openapi/management.json': () => openapiDocument('management'),
});
