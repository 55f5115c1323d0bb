import type { Permissions } from '@edge-controller/sdk';
import { titleOf } from '../../api/titles.ts';

/** What the permissions of an identity let it do, one sentence for each. */
export function permissionWords(permissions: Permissions): string[] {
  const actions = new Map<string, string[]>();
  for (const permission of permissions) {
    const [entity = '', action] = permission.split('.');
    const known = actions.get(entity) ?? [];
    actions.set(entity, action === undefined ? known : [...known, action]);
    if (action === undefined) actions.set(entity, []);
  }
  return [...actions].map(([entity, names]) => sentence(entity, names));
}

/** @param actions empty: all of them */
function sentence(entity: string, actions: readonly string[]): string {
  if (entity === 'admin_readonly') return 'Read everything';
  const noun = entity === 'ops' ? 'API sessions, links and circuits' : titleOf(entity).toLowerCase();
  if (actions.length === 0) return `Everything with ${noun}`;
  const verbs = new Intl.ListFormat('en').format(actions);
  return `${verbs.charAt(0).toUpperCase()}${verbs.slice(1)}: ${noun}`;
}
