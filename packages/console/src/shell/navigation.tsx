import type { OperationTable } from '@edge-controller/operation-tables';
import type { LinkOptions } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import type { Rights } from '../api/rights.ts';
import { useRights } from '../api/rights.ts';
import { useTable } from '../api/tables.ts';
import { titleOf } from '../api/titles.ts';

/** Pages that show rather than list, and the operation that each of them needs. The API sessions have one instead of their list. */
const views = [
  ['/access', 'Who may dial', 'identities', 'policyAdvice'],
  ['/api-sessions', 'API sessions', 'apiSessions', 'list'],
  ['/audit-log', 'Audit log', 'auditLog', 'list'],
] as const;
const ownPages = new Set(['apiSessions']);

/** Where lists stand. One that is not here stands under "More", or under "Developer" when everybody may read it. */
const places: readonly (readonly [title: string, resources: readonly string[]])[] = [
  ['People and devices', ['identities', 'authenticators', 'enrollments']],
  [
    'Services and access',
    ['services', 'servicePolicies', 'postureChecks', 'configs', 'configTypes', 'terminators', 'sessions'],
  ],
  [
    'Network',
    [
      ...['edgeRouters', 'transitRouters', 'routers', 'edgeRouterPolicies', 'serviceEdgeRouterPolicies'],
      ...['circuits', 'links'],
    ],
  ],
  ['Trust', ['authPolicies', 'cas', 'externalJwtSigners']],
];

interface MenuLink extends Pick<LinkOptions, 'to' | 'params' | 'activeOptions'> {
  readonly title: string;
}

interface MenuGroup {
  readonly title: string;
  readonly links: readonly MenuLink[];
}

/** The pages that the person may see. */
export function Navigation({ onVisit }: { readonly onVisit: () => void }) {
  const groups = groupsOf(useTable('management'), useRights());
  return groups.map(({ title, links }) => (
    <section key={title} aria-labelledby={idOf(title)}>
      <h2 id={idOf(title)}>{title}</h2>
      <ul>
        {links.map(({ title: page, ...link }) => (
          <li key={page}>
            <Link {...link} onClick={onVisit}>
              {page}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ));
}

const idOf = (title: string) => `pages-${title.toLowerCase().replaceAll(' ', '-')}`;

const account: MenuLink = { to: '/account', title: 'Your account' };

function groupsOf(table: OperationTable, { isManager, allows }: Rights): readonly MenuGroup[] {
  if (!isManager) return [{ title: 'Overview', links: [account] }];
  const may = (resource: string, verb: string) => {
    const entry = table[resource]?.verbs[verb];
    return entry !== undefined && allows(entry);
  };
  const lists = Object.keys(table).filter(
    (resource) => may(resource, 'list') && may(resource, 'get') && !ownPages.has(resource),
  );
  const placed = new Set(places.flatMap(([, resources]) => resources));
  const others = lists.filter((resource) => !placed.has(resource));
  const isOpen = (resource: string) => table[resource]?.verbs.list?.access !== 'admin';
  const groups: readonly MenuGroup[] = [
    {
      title: 'Overview',
      links: [
        { to: '/', title: 'Dashboard', activeOptions: { exact: true } },
        ...views
          .filter(([, , resource, verb]) => may(resource, verb))
          .map(([to, title]) => ({ to, title, activeOptions: { includeSearch: false } })),
        account,
      ],
    },
    ...places.map(([title, resources]) => ({
      title,
      links: resources.filter((resource) => lists.includes(resource)).map(linkOf),
    })),
    { title: 'More', links: others.filter((resource) => !isOpen(resource)).map(linkOf) },
    {
      title: 'Developer',
      links: [{ to: '/operations', title: 'Operations' }, ...others.filter(isOpen).map(linkOf)],
    },
  ];
  return groups.filter(({ links }) => links.length > 0);
}

function linkOf(resource: string): MenuLink {
  return { to: '/entities/$resource', params: { resource }, title: titleOf(resource) };
}
