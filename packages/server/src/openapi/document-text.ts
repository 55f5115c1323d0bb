import type { ApiName } from './document.ts';
import { printDocument } from './document.ts';

const texts = new Map<string, Promise<string>>();

/** Returns the text of the OpenAPI document of one API. It is made when it is first asked for, then kept. */
export function documentText(api: ApiName, format: 'json' | 'yaml'): Promise<string> {
  const key = `${api} ${format}`;
  const text = texts.get(key) ?? makers[format](api);
  texts.set(key, text);
  return text;
}

const makers = {
  json: async (api: ApiName) => `${JSON.stringify(printDocument(api), null, 2)}\n`,
  async yaml(api: ApiName) {
    const { stringify } = await import('yaml');
    return stringify(printDocument(api), { aliasDuplicateObjects: false });
  },
};
