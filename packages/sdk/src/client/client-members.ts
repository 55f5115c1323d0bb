import type { AuthQueryAnswers } from '../api/auth-query.ts';
import type { ClientCalls, ManagementCalls } from '../api/generated/calls.ts';
import type { Mfa } from '../api/mfa.ts';
import type { ServiceSessions } from '../api/service-sessions.ts';
import type { Services } from '../api/services.ts';
import type { SignIn } from '../api/sign-in.ts';
import { loadRest, loadSession } from '../chunks/load.ts';
import type { Epoch } from '../lib/epoch.ts';
import { lazyMembers } from '../lib/lazy-members.ts';
import type { Api } from '../requests/controller-url.ts';
import type { CreatedServices } from '../services/create-services.ts';
import type { ServiceChanges } from '../services/service-changes.ts';
import { clientCalls } from './client-calls.ts';
import type { EdgeClient } from './edge-client.ts';
import type { SessionLoader } from './session-loader.ts';

/** The calls of both APIs. The table of operations is loaded at the first call. */
export function apiCalls(session: () => SessionLoader): Pick<EdgeClient, 'client' | 'management'> {
  const callsOf = <C>(api: Api) =>
    clientCalls<C>((called, args) =>
      session().with(loadSession, ({ prepareCall }, { caller }) =>
        caller.perform(api, prepareCall({ api, ...called }, args)),
      ),
    );
  return { client: callsOf<ClientCalls>('client'), management: callsOf<ManagementCalls>('management') };
}

type SessionMembers = Pick<EdgeClient, 'signIn' | 'answer' | 'mfa' | 'enroll' | 'fetch' | 'authorization'>;

/** The members of a client that need a session, or begin one. */
export function sessionMembers(session: SessionLoader, signOuts: Epoch): SessionMembers {
  return {
    signIn: lazyMembers<SignIn>(['password', 'certificate', 'extJwt'], () => {
      // Watches from the call on, not from the moment when the code is loaded.
      const isWanted = signOuts.watch();
      return session.with(loadSession, ({ createSignIn }, parts) => createSignIn({ ...parts, loadRest }, isWanted));
    }),
    answer: lazyMembers<AuthQueryAnswers>(['totp', 'extJwt', 'newPassword'], () =>
      session.with(loadRest, ({ createAnswers }, parts) => createAnswers(parts)),
    ),
    mfa: lazyMembers<Mfa>(['isEnabled', 'enroll', 'recoveryCodes', 'regenerate', 'disable'], () =>
      session.with(loadRest, ({ createMfa }, parts) => createMfa(parts)),
    ),
    enroll: (enrollment, options = {}) =>
      session.with(loadRest, ({ redeemEnrollment }, parts) => redeemEnrollment(parts, enrollment, options)),
    fetch: (input, init) =>
      session.with(loadRest, ({ createAuthenticatedFetch }, parts) => createAuthenticatedFetch(parts)(input, init)),
    authorization: (address) => session.with(loadSession, ({ authorization }, parts) => authorization(parts, address)),
  };
}

/** What a client can do with services. */
export function serviceMembers(session: SessionLoader, signOuts: Epoch): Pick<EdgeClient, 'services' | 'sessions'> {
  let created: CreatedServices | undefined;

  // Once, because all iterations share their polls.
  const load = () =>
    session.with(loadRest, ({ createServices }, parts) => {
      created ??= createServices(parts);
      return created;
    });

  return {
    services: {
      ...lazyMembers<Pick<Services, 'list'>>(['list'], load),
      changes(options = {}) {
        const isWanted = signOuts.watch();
        return {
          [Symbol.asyncIterator]() {
            let changes: ServiceChanges | undefined;
            return lazyMembers<ServiceChanges>(['next', 'return'], async () => {
              const services = await load();
              changes ??= services.changes(options, isWanted);
              return changes;
            });
          },
        };
      },
    },
    sessions: lazyMembers<ServiceSessions>(['create', 'list', 'get', 'delete'], async () => (await load()).sessions),
  };
}
