import type { ApiName } from '@edge-controller/operation-tables';
import { apiOfNames, isRow } from '@edge-controller/operation-tables';
import { filter } from '@edge-controller/sdk/node';
import { callOf } from '../api/call-operation.ts';
import { openClient } from '../profiles/open-client.ts';

const maxNames = 50;
/** A person waits for it. */
const timeout = 2_000;

/** The names of entities that begin like a word, or their ids where they have no names. None when the controller does not respond. */
export async function entityNames(
  resource: string,
  word: string,
  { api = 'management', profile }: { readonly api?: ApiName | undefined; readonly profile: string | undefined },
): Promise<string[]> {
  const named = await apiOfNames(api, resource);
  const hasNames = named !== null;
  const start = word.replace(/^@/, '');
  const query = hasNames
    ? { filter: filter`name contains ${start}`, sort: 'name' }
    : { filter: filter`id contains ${start}` };
  const list = async () => {
    const edge = await openClient(profile);
    try {
      return await callOf(edge, named ?? api, resource, 'list')({ ...query, limit: maxNames }, { timeout });
    } finally {
      edge.dispose();
    }
  };
  const page = await list().catch(() => null);
  const rows = isRow(page) && Array.isArray(page.data) ? page.data.filter(isRow) : [];
  const texts = rows.map((row) => (hasNames ? `@${row.name}` : String(row.id)));
  // A shell would take a blank or a quote for something else.
  return texts.filter((text) => /^@?[\p{L}\p{N}_.+:-]+$/u.test(text));
}
