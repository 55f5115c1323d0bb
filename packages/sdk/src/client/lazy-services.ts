import type { ServiceSessions } from '../api/service-sessions.ts';
import type { Services } from '../api/services.ts';
import type { Epoch } from '../lib/epoch.ts';
import { lazyMembers } from '../lib/lazy-members.ts';
import type { CreatedServices } from '../services/create-services.ts';
import type { ServiceChanges } from '../services/service-changes.ts';
import type { EdgeClient } from './edge-client.ts';
import type { LazySession } from './lazy-session.ts';

/** What a client can do with services. Most clients never use it. */
export function lazyServices(session: LazySession, signOuts: Epoch): Pick<EdgeClient, 'services' | 'sessions'> {
  let created: CreatedServices | undefined;

  // Once, because all iterations share their polls.
  const load = () =>
    session.with(
      () => import('../services/create-services.ts'),
      ({ createServices }, parts) => {
        created ??= createServices(parts);
        return created;
      },
    );

  return {
    services: {
      ...lazyMembers<Pick<Services, 'list'>>(['list'], load),
      changes(options = {}) {
        // Watches from the call on, not from the moment when the code is loaded.
        const isWanted = signOuts.watch();
        return {
          [Symbol.asyncIterator]() {
            let changes: ServiceChanges | undefined;
            return lazyMembers<ServiceChanges>(['next', 'return'], async () => {
              const created = await load();
              changes ??= created.changes(options, isWanted);
              return changes;
            });
          },
        };
      },
    },
    sessions: lazyMembers<ServiceSessions>(['create', 'list', 'get', 'delete'], async () => (await load()).sessions),
  };
}
