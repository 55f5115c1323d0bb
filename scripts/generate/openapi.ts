import { documentText } from '../../packages/server/src/openapi/document-text.ts';

/** The same text that the controller serves. */
export const openapiDocument = (api: 'client' | 'management') => documentText(api, 'json');
