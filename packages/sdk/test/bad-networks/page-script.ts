import type { EdgeClient } from '../../src/index.ts';
import { createEdgeClient, webStorage } from '../../src/index.ts';

/** What a page reports: an event of its client. */
export interface PageEvent {
  readonly name: 'stateChange' | 'expiring' | 'expired' | 'signedOut' | 'signOutAsked';
  /** Milliseconds since 1970, by a clock that does not jump. */
  readonly at: number;
  readonly state: string;
  /** The session that it is about. */
  readonly sessionId: string | null;
}

declare const location: { readonly origin: string };
declare const document: EventTarget;
declare const report: (event: PageEvent) => Promise<void>;

const edge = createEdgeClient(location.origin, { storage: webStorage('local'), timeout: 3_000 });
let knownId: string | null = null;

function record(name: PageEvent['name'], sessionId: string | null): void {
  knownId = edge.session?.id ?? knownId;
  void report({ name, at: performance.timeOrigin + performance.now(), state: edge.state, sessionId });
}

edge.on('stateChange', ({ session }) => record('stateChange', session?.id ?? knownId));
for (const name of ['expiring', 'expired', 'signedOut'] as const) edge.on(name, ({ id }) => record(name, id));

let isHidden = false;
Object.defineProperty(document, 'hidden', { get: () => isHidden });
Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });

/** The clock of the machine is the same for all pages. */
const systemNow = Date.now;
Date.now = () => systemNow() + Number(localStorage.getItem('jump') ?? 0);

const quietly = (promise: Promise<unknown>) =>
  promise.then(
    () => true,
    () => false,
  );

/** What a test does in the page. */
export const page = {
  use: () => quietly(edge.client.currentIdentity.get()),
  signIn: (username: string, password: string) => quietly(edge.signIn.password({ username, password })),
  signOut() {
    record('signOutAsked', edge.session?.id ?? null);
    return quietly(edge.signOut());
  },
  setHidden(value: boolean) {
    isHidden = value;
    document.dispatchEvent(new Event('visibilitychange'));
  },
  jump: (milliseconds: number) => localStorage.setItem('jump', String(milliseconds)),
  stored: () => localStorage.getItem(`edge-session ${location.origin}`),
  view: () => ({
    state: edge.state,
    sessionId: edge.session?.id ?? null,
    left: edge.session?.expiresAt ? Number(edge.session.expiresAt) - Date.now() : null,
  }),
};

export type PageScript = typeof page;

Object.assign(globalThis, { page, edge } satisfies { page: PageScript; edge: EdgeClient });
void quietly(edge.restore());
