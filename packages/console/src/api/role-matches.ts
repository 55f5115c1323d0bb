import type { ApiName } from '@edge-controller/operation-tables';
import { resourceOf } from '@edge-controller/operation-tables';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { callOf } from './calls.ts';
import { useTyped } from './names.ts';
import { useRights } from './rights.ts';
import { pageOf } from './rows.ts';
import { useTable } from './tables.ts';

/** Roles that are counted. More would make an address that is too long. */
const maxRoles = 100;

/** The roles of a policy. */
interface Roles {
  readonly roles: readonly string[];
  /** `AllOf` or `AnyOf`. Empty while nobody has chosen: it matters only for several attributes. */
  readonly semantic: string;
}

/** How many entities of a resource the roles select; `null` while nobody knows. */
export function useRoleMatches(api: ApiName, to: string, { roles, semantic }: Roles): number | null {
  const list = resourceOf(useTable(api), to)?.verbs.list;
  const { allows } = useRights();
  const isKnown = semantic !== '' || roles.filter((role) => role.startsWith('#')).length < 2;
  const isCounted = roles.length > 0 && roles.length <= maxRoles && (isKnown || roles.includes('#all'));
  const canCount = list?.query?.some(({ name }) => name === 'roleFilter') === true && allows(list);
  const asked = useTyped(isCounted ? JSON.stringify(queryOf({ roles, semantic })) : '');
  const isAsked = canCount && isCounted && asked !== '';
  const { data } = useQuery({
    queryKey: ['matches', api, to, asked],
    enabled: isAsked,
    queryFn: async () => pageOf(await callOf(api, to, 'list')(JSON.parse(asked))).total,
    placeholderData: keepPreviousData,
  });
  return isAsked ? (data ?? null) : null;
}

/** The list takes `#all` for an attribute. */
function queryOf({ roles, semantic }: Roles): object {
  if (roles.includes('#all')) return { limit: 1 };
  return { limit: 1, roleFilter: roles, ...(semantic !== '' && { roleSemantic: semantic }) };
}
