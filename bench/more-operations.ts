// Loaded before a controller: gives its Management API 240 further operations, as many as the whole network has.
import { registerHooks } from 'node:module';
import type { Operation, Resource } from '@edge-controller/shared-types';
import { managementApi } from '@edge-controller/shared-types';

const [resources, verbs] = [40, 6];

const operationOf = (resource: number, verb: number): Operation => ({
  method: 'GET',
  path: verb < 3 ? `/more-${resource}/fixed-${verb}` : `/more-${resource}/{id}/below-${verb}`,
  access: 'full',
  result: 'empty',
  summary: 'does nothing',
});

const more = named(resources, (resource) => named(verbs, (verb) => operationOf(resource, verb))) satisfies Record<
  string,
  Resource
>;
Object.assign(managementApi, more);
Object.assign(globalThis, { moreHandlers: named(resources, () => named(verbs, () => async () => {})) });

// The table of handlers is code, and nothing else adds to it.
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith('/server/src/handlers.ts')) return loaded;
    const source = String(loaded.source).replace('management: {', 'management: { ...globalThis.moreHandlers,');
    return { ...loaded, source };
  },
});

function named<T>(count: number, make: (at: number) => T): Record<string, T> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`more${at}`, make(at)]));
}
