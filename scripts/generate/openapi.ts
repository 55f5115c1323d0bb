import { documentText } from '../../packages/server/src/documents/openapi/document-text.ts';

type Texts = Record<string, () => Promise<string>>;

/** The documents by their files: the same texts that the controller serves. */
export const openapiDocuments: Texts = Object.fromEntries(
  (['client', 'management'] as const).flatMap((api) => [
    [`docs/openapi/${api}.json`, () => documentText(api, '2.0 json')],
    [`docs/openapi/${api}.openapi.json`, () => documentText(api, '3.1 json')],
  ]),
);
