import type { Field, OperationEntry, ResourceEntry } from '@edge-controller/operation-tables';
import { titleOf } from '../../api/titles.ts';
import type { RolesChange } from './bulk-roles.ts';

/** Something that can be done to many entities, one after the other. */
export interface BulkAction {
  readonly id: string;
  /** The operation that does it. */
  readonly verb: string;
  /** `Delete`, `Remove MFA`. */
  readonly title: string;
  readonly entry: OperationEntry;
  readonly isDanger: boolean;
  /** It changes the role attributes, and leaves all else of the entity as it is. */
  readonly roles?: RolesChange;
}

/** Verbs that change an entity as a whole: each one needs a form of its own. */
const ownForms = new Set(['create', 'update', 'patch']);

/** The operations of a resource that can be done to many of its entities: those that need an id and few words. */
export function bulkActionsOf({ verbs }: ResourceEntry): readonly BulkAction[] {
  if (verbs.delete?.params?.length !== 1) return [];
  return Object.entries(verbs)
    .filter(([verb, entry]) => !ownForms.has(verb) && isForMany(entry))
    .map(([verb, entry]) => ({ id: verb, verb, title: titleOf(verb), entry, isDanger: entry.method === 'DELETE' }))
    .toSorted((a, b) => Number(b.verb === 'delete') - Number(a.verb === 'delete'));
}

/** The changes of the role attributes of many entities: for a resource that has them, and can be patched. */
export function rolesActionsOf({ verbs: { patch } }: ResourceEntry, given: Field | undefined): readonly BulkAction[] {
  if (patch === undefined || given?.set !== 'attributes') return [];
  const field: Field = { ...given, isRequired: true };
  const change = { verb: 'patch', entry: patch, isDanger: false };
  return [
    { ...change, id: 'addRoles', title: 'Add role attributes', roles: { isAdding: true, field } },
    { ...change, id: 'removeRoles', title: 'Remove role attributes', roles: { isAdding: false, field } },
  ];
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
