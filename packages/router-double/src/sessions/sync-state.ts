/** Which part of a full state a message is. */
export interface SyncState {
  readonly id: string;
  readonly isLast: boolean;
  /** From 0. */
  readonly sequence: number;
}

/** What ends the process of a real router. */
export class RouterCrash extends Error {
  override readonly name = 'RouterCrash';
}

/** @throws RouterCrash when it is no JSON object with an id */
export function readSyncState(text: string): SyncState {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    throw new RouterCrash('the sync state of the API sessions is no JSON');
  }
  const { id, isLast, sequence } = Object(read) as { readonly [name: string]: unknown };
  if (typeof id !== 'string' || id === '') throw new RouterCrash('the sync state of the API sessions has no id');
  return { id, isLast: isLast === true, sequence: typeof sequence === 'number' ? sequence : 0 };
}
