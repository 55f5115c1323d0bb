import type { OperationEntry, ResourceEntry } from '@edge-controller/operation-tables';
import { titleOf } from '../api/titles.ts';

/** An operation that can be done to many entities, one after the other. */
export interface BulkAction {
  readonly verb: string;
  /** `Delete`, `Remove MFA`. */
  readonly title: string;
  readonly entry: OperationEntry;
  readonly isDanger: boolean;
}

/** Verbs that change an entity as a whole: each one needs a form of its own. */
const ownForms = new Set(['create', 'update', 'patch']);

/** The operations of a resource that can be done to many of its entities: those that need an id and few words. */
export function bulkActionsOf({ verbs }: ResourceEntry): readonly BulkAction[] {
  if (verbs.delete?.params?.length !== 1) return [];
  return Object.entries(verbs)
    .filter(([verb, entry]) => !ownForms.has(verb) && isForMany(entry))
    .map(([verb, entry]) => ({ verb, title: titleOf(verb), entry, isDanger: entry.method === 'DELETE' }))
    .toSorted((a, b) => Number(b.verb === 'delete') - Number(a.verb === 'delete'));
}

function isForMany({ method, params, result, body, isBodyList, headers }: OperationEntry): boolean {
  const needsNoForm = body !== 'text' && !isBodyList && headers === undefined;
  return method !== 'GET' && params?.length === 1 && result === 'empty' && needsNoForm;
}

/** What is deleted with an entity, as far as one sentence says more than the general one. */
const takenAlong: Readonly<Record<string, string>> = {
  identities: 'Their authenticators and enrollments are deleted, too, and their API sessions end.',
  services: 'Their terminators are deleted, too, and connections to them end.',
  edgeRouters: 'Their enrollments and terminators are deleted, too, and they are disconnected.',
  apiSessions: 'Whoever uses them is signed out, and their connections end.',
  sessions: 'Their connections end.',
  links: 'Their circuits get another path. The routers may dial them again.',
};

/** What else happens when entities are deleted. */
export function consequenceOf(resource: string): string {
  return takenAlong[resource] ?? 'All that belongs to them is deleted, too.';
}
