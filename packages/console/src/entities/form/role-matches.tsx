import type { ApiName, Field } from '@edge-controller/operation-tables';
import { useRoleMatches } from '../../api/role-matches.ts';
import { countOf } from '../list/words.ts';
import type { Drafts } from './draft.ts';

interface RoleMatchesProps {
  readonly api: ApiName;
  readonly field: Field;
  readonly drafts: Drafts;
}

/** How many entities the roles of a field select now. */
export function RoleMatches({ api, field: { name, to = '', semantic = '' }, drafts }: RoleMatchesProps) {
  const roles = drafts[name];
  const count = useRoleMatches(api, to, {
    roles: Array.isArray(roles) ? roles.map(String) : [],
    semantic: String(drafts[semantic] ?? ''),
  });
  return (
    <div className="field">
      <span className="description" role="status">
        {count === null ? '' : `Matches ${countOf(count, to)}.`}
      </span>
    </div>
  );
}
