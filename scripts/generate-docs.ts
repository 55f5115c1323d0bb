import { asvsDocument } from './generate/asvs.ts';
import { configurationDocument } from './generate/configuration.ts';
import { errorsDocument } from './generate/errors.ts';
import { eventsDocument } from './generate/events.ts';
import { openapiDocuments } from './generate/openapi.ts';
import { writeFiles } from './generate/write-files.ts';

await writeFiles({
  'docs/asvs.md': asvsDocument,
  'docs/configuration.md': configurationDocument,
  'docs/errors.md': errorsDocument,
  'docs/events.md': eventsDocument,
  ...openapiDocuments,
});
