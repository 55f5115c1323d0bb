import { useEdge, useSession } from '@edge-controller/sdk/react';
import { Link, Outlet } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useTable } from '../api/tables.ts';
import { titleOf } from '../api/titles.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import icon from './icon.svg';
import './shell.css';
import type { Theme } from './theme.ts';
import { applyTheme } from './theme.ts';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'Theme of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** Pages that show rather than list. The API sessions have one instead of their list. */
const views = [
  ['/api-sessions', 'API sessions'],
  ['/audit-log', 'Audit log'],
  ['/access', 'Who may dial'],
] as const;
const ownPages = new Set(['apiSessions']);

/** What is around every page. */
export function Shell() {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className="shell">
      <a className="skip-link" href="#main">
        Skip to the content
      </a>
      <header className="top">
        <Button kind="quiet" aria-expanded={isOpen} aria-controls="navigation" onPress={() => setIsOpen(!isOpen)}>
          <span aria-hidden="true">☰</span> Menu
        </Button>
        <Link to="/" className="brand">
          <img src={icon} alt="" width="24" height="24" /> Edge Controller
        </Link>
        <Person />
      </header>
      <nav id="navigation" aria-label="Pages" className={isOpen ? 'navigation open' : 'navigation'}>
        <Suspense>
          <Navigation onVisit={() => setIsOpen(false)} />
        </Suspense>
      </nav>
      <main id="main" tabIndex={-1}>
        <Suspense fallback={<p className="soft">Loading …</p>}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}

function Person() {
  const edge = useEdge();
  const { session } = useSession();
  const actions = [
    ...themes.map(([theme, label]) => ({ id: theme, label, run: () => applyTheme(theme) })),
    { id: 'sign-out', label: 'Sign out', run: () => void edge.signOut() },
  ];
  return <Menu kind="quiet" label={session?.identity.name ?? 'Signed out'} actions={actions} />;
}

function Navigation({ onVisit }: { readonly onVisit: () => void }) {
  const table = useTable('management');
  const lists = Object.keys(table).filter(
    (resource) => table[resource]?.verbs.list && table[resource]?.verbs.get && !ownPages.has(resource),
  );
  return (
    <ul>
      <li>
        <Link to="/" onClick={onVisit} activeOptions={{ exact: true }}>
          Dashboard
        </Link>
      </li>
      {views.map(([to, title]) => (
        <li key={to}>
          <Link to={to} onClick={onVisit} activeOptions={{ includeSearch: false }}>
            {title}
          </Link>
        </li>
      ))}
      {lists.map((resource) => (
        <li key={resource}>
          <Link to="/entities/$resource" params={{ resource }} onClick={onVisit}>
            {titleOf(resource)}
          </Link>
        </li>
      ))}
      <li>
        <Link to="/operations" onClick={onVisit}>
          Operations
        </Link>
      </li>
      <li>
        <Link to="/account" onClick={onVisit}>
          Your account
        </Link>
      </li>
    </ul>
  );
}
