import { useEdge, useSession } from '@edge-controller/sdk/react';
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { useOwnIdentity } from '../api/rights.ts';
import { Button } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { StatusMessages } from '../ui/status-message.tsx';
import icon from './icon.svg';
import { Navigation } from './navigation.tsx';
import './shell.css';
import type { Theme } from './theme.ts';
import { applyTheme } from './theme.ts';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'Theme of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** What is around every page. */
export function Shell() {
  const { isOpen, setIsOpen, button } = useMenu();
  const isKnown = !useOwnIdentity().isPending;
  return (
    <StatusMessages>
      <div className="shell">
        <a className="skip-link" href="#main">
          Skip to the content
        </a>
        <header className="top">
          <Button
            ref={button}
            kind="quiet"
            aria-expanded={isOpen}
            aria-controls="navigation"
            onPress={() => setIsOpen(!isOpen)}
          >
            <span aria-hidden="true">☰</span> Menu
          </Button>
          <Link to="/" className="brand">
            <img src={icon} alt="" width="24" height="24" /> <span className="brand-name">Edge Controller</span>
          </Link>
          <Person />
        </header>
        <nav id="navigation" aria-label="Pages" className={isOpen ? 'navigation open' : 'navigation'}>
          <Suspense>{isKnown && <Navigation onVisit={() => setIsOpen(false)} />}</Suspense>
        </nav>
        <main id="main" tabIndex={-1}>
          <Suspense fallback={<p className="soft">Loading …</p>}>
            {isKnown ? <Outlet /> : <p className="soft">Loading …</p>}
          </Suspense>
        </main>
      </div>
    </StatusMessages>
  );
}

/** Whether the menu of a narrow window is open. Escape closes it, and the focus returns to its button. */
function useMenu() {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented) return;
      setIsOpen(false);
      button.current?.focus();
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, [isOpen]);
  return { isOpen, setIsOpen, button };
}

function Person() {
  const edge = useEdge();
  const { session } = useSession();
  const navigate = useNavigate();
  const actions = [
    { id: 'account', label: 'Your account', run: () => void navigate({ to: '/account' }) },
    ...themes.map(([theme, label]) => ({ id: theme, label, run: () => applyTheme(theme) })),
    { id: 'sign-out', label: 'Sign out', run: () => void edge.signOut() },
  ];
  const label = (
    <>
      <span className="person">{session?.identity.name ?? 'Signed out'}</span> <span aria-hidden="true">▾</span>
    </>
  );
  return <Menu kind="quiet" label={label} actions={actions} />;
}
