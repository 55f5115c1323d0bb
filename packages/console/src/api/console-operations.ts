import type { ApiName, OperationEntry, OperationTable } from '@edge-controller/operation-tables';

/** An operation with its place in the API trees. */
export interface ConsoleOperation {
  readonly api: ApiName;
  readonly resource: string;
  readonly verb: string;
  readonly entry: OperationEntry;
}

/** Every operation that the console can run. */
export function consoleOperations(tables: Readonly<Record<ApiName, OperationTable>>): readonly ConsoleOperation[] {
  return (['management', 'client'] as const).flatMap((api) =>
    Object.entries(tables[api]).flatMap(([resource, { verbs }]) =>
      Object.entries(verbs).map(([verb, entry]) => ({ api, resource, verb, entry })),
    ),
  );
}

/** Those whose name or summary has all words of the text. */
export function searchOperations(operations: readonly ConsoleOperation[], text: string): readonly ConsoleOperation[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return operations.filter(({ api, resource, verb, entry }) => {
    const searched =
      `${api}.${resource}.${verb} ${entry.summary} ${entry.method} ${entry.permission ?? ''}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

/** The SDK keeps the session that this operation opens, so only the sign-in page runs it. */
export function isSignIn({ resource, verb }: ConsoleOperation): boolean {
  return resource === 'authentication' && verb === 'authenticate';
}

/** Whether a person is asked before it runs: it deletes, or nothing else has to be given. */
export function needsQuestion({ entry: { method, body, params } }: ConsoleOperation): boolean {
  return method === 'DELETE' || (method !== 'GET' && body === undefined && params === undefined);
}
