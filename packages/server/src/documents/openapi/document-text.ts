import type { ApiName } from './document.ts';
import { printDocument } from './document.ts';
import { toOpenApi2 } from './openapi-2.ts';

/** The documents of an API: OpenAPI 3.1 as JSON, 2.0 as JSON and as YAML. */
export type DocumentForm = '3.1 json' | '2.0 json' | '2.0 yaml';

const texts = new Map<string, Promise<string>>();

/** Returns the text of an OpenAPI document of one API. It is made when it is first asked for, then kept. */
export function documentText(api: ApiName, form: DocumentForm): Promise<string> {
  const key = `${api} ${form}`;
  const text = texts.get(key) ?? makers[form](api);
  texts.set(key, text);
  return text;
}

const makers: Readonly<Record<DocumentForm, (api: ApiName) => Promise<string>>> = {
  '3.1 json': async (api) => asJson(printDocument(api)),
  '2.0 json': async (api) => asJson(toOpenApi2(printDocument(api))),
  async '2.0 yaml'(api) {
    const { stringify } = await import('yaml');
    return stringify(toOpenApi2(printDocument(api)), { aliasDuplicateObjects: false });
  },
};

function asJson(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
