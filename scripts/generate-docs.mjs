import { configurationDocument } from './generate/configuration.mjs';
import { errorsDocument } from './generate/errors.mjs';
import { eventsDocument } from './generate/events.mjs';
import { openapiDocument } from './generate/openapi.mjs';
import { writeFiles } from './generate/write-files.mjs';

await writeFiles({
  'docs/configuration.md': configurationDocument,
  'docs/errors.md': errorsDocument,
  'docs/events.md': eventsDocument,
  'docs/openapi/client.json': () => openapiDocument('client'),
  'docs/openapi/management.json': () => openapiDocument('management'),
});
