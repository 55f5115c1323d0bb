import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const folder = 'access/service-updates';
const rules = 'access/service-access/access-rules.ts';
const markAttributes = `${folder}/mark-attributes.ts`;
const markPolicy = `${folder}/mark-policy.ts`;
const tests = ['service-updates.test'];
const unitTests = ['service-updates/service-updates.test'];

/** Service updates that move without a change of the list of services. */
const idleMutants: readonly SignInMutant[] = [
  {
    mutant: 'moves service updates with an attribute of a policy without a service',
    mutations: change(markAttributes, '...serviceRoles })))) return false;', '...serviceRoles })))) return true;'),
    tests,
  },
  {
    mutant: 'moves service updates with old changes of those whom one joins',
    mutations: change(markAttributes, 'if (was === would) return;', 'if (was === would || was !== would) return;'),
    tests,
  },
  {
    mutant: 'moves service updates when another policy gives the same right',
    mutations: change(markAttributes, 'exists (select 1 from "postureChecks")', '1 = 1'),
    tests,
  },
  {
    mutant: 'moves service updates with a policy without a service',
    mutations: change(markPolicy, 'given.services.length > 0 ?', 'given.services.length >= 0 ?'),
    tests,
  },
  {
    mutant: 'moves service updates of those who stay in a policy',
    mutations: change(markPolicy, 'const isLarge = rows.length > maxRead;', 'const isLarge = rows.length >= 0;'),
    tests,
  },
  {
    mutant: 'moves service updates for configs of services that one may not use',
    mutations: change(`${folder}/mark-assigned.ts`, 'if (rows.length > 0)', 'if (rows.length >= 0)'),
    tests,
  },
  {
    mutant: 'moves service updates for fields of policies that services do not show',
    mutations: change('access/service-access/access-rule.ts', 'isShownWhole === true ||', '!isShownWhole ||'),
    tests,
  },
];

export const serviceUpdateMutants: readonly SignInMutant[] = [
  ...idleMutants,
  {
    mutant: 'marks changes for those who have services afterwards only',
    mutations: change(rules, 'if (previous) await markSubjects(', 'if (previous && !next) await markSubjects('),
    tests,
  },
  {
    mutant: 'marks changes for those who had services before only',
    mutations: change(rules, 'if (next) await markSubjects(', 'if (next && !previous) await markSubjects('),
    tests,
  },
  {
    mutant: 'marks attributes that are gained, not those that are lost',
    mutations: change(markAttributes, 'isMissing(lost, after)} or', 'isMissing(gained, before)} or'),
    tests,
  },
  {
    mutant: 'leaves policies to the subject that they had first',
    mutations: change(`${folder}/mark-subjects.ts`, 'do update set "subjectId" = excluded."subjectId"', 'do nothing'),
    tests,
  },
  {
    mutant: 'lets policies begin to select services that change',
    mutations: change(
      `${folder}/lock-policies.ts`,
      "if (caller.database.dialect === 'sqlite') return;",
      'if (caller.database.dialect) return;',
    ),
    tests: unitTests,
  },
  {
    mutant: 'lets identities lose what others give them at the same time',
    mutations: change(rules, "if (next) {\n        await lockPolicies(unit, 'share row exclusive');", 'if (next) {'),
    tests: unitTests,
  },
  {
    mutant: 'lets a waiting change stand for one that is not committed',
    mutations: change('storage/database/sql/dialect.ts', 'sql`for key share`', 'sql``'),
    tests: unitTests,
  },
  {
    mutant: 'gives changes the time at which they were made',
    mutations: change(
      `${folder}/give-times.ts`,
      'Math.max(latest, changedAt), last + 1)',
      'Math.max(latest, changedAt), 0)',
    ),
    tests: unitTests,
  },
  {
    mutant: 'forgets the first and the last posture check',
    mutations: change(
      rules,
      'where not exists (select 1 from "postureChecks"',
      'where exists (select 1 from "postureChecks"',
    ),
    tests,
  },
  {
    mutant: 'marks no configs that are assigned',
    mutations: change(rules, 'where assigned."configId" in', 'where assigned."serviceId" in'),
    tests,
  },
  {
    mutant: 'selects with one role less when many entities are asked for',
    mutations: change(
      'crud/roles.ts',
      'group by r."ownerId", a."ownerId" having count(*) >= max(r."need")) as grouped',
      'group by r."ownerId", a."ownerId" having count(*) >= max(r."need") - 1) as grouped',
    ),
    tests: ['roles.test', 'service-updates-random'],
  },
];
