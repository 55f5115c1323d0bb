import { clientApi, fabricApi, managementApi } from '@edge-controller/shared-types';
import type Koa from 'koa';
import type { Settings } from './core/config/schema.ts';
import type { Logger } from './core/log/log.ts';
import type { InfoHandlers } from './documents/info/info-handlers.ts';
import { createInfoHandlers } from './documents/info/info-handlers.ts';
import { createHandlers } from './handlers.ts';
import { createHttpApp } from './http/app.ts';
import type { Surface } from './http/operations/mounted.ts';
import { surface } from './http/operations/mounted.ts';
import type { Telemetry } from './operate/open-telemetry.ts';
import { caBundle } from './pki/ca-bundle.ts';
import type { LivePki } from './pki/pki.ts';
import type { Services } from './services.ts';
import { allows, resolveSession } from './sessions/sessions.ts';
import { TokenUses } from './sessions/token-uses.ts';
import type { Stores } from './storage/open-stores.ts';

interface AppParts {
  readonly stores: Stores;
  readonly pki: LivePki;
  readonly apiAddress: () => string;
  readonly browserAddress: () => string;
  readonly telemetry: Telemetry;
  readonly webConsole: Koa.Middleware | null;
  readonly log: Logger;
}

/** The application that serves the APIs, the documents and the web console. */
export function createApp(
  services: Services,
  { stores, telemetry, webConsole, log, ...parts }: AppParts,
): ReturnType<typeof createHttpApp> {
  const { settings } = services;
  const apis = surfaces(createHandlers(infoHandlers(parts, services)), settings);
  const watchers = { requests: telemetry.metrics?.requests, traces: telemetry.traces ?? undefined };
  const tokenUses = new TokenUses(services.audit);
  return createHttpApp({
    ...{ settings, services, apis, resolveSession, allows, attempts: stores.attempts, webConsole, log },
    ...watchers,
    onLimited: (limited) => services.events.emit('request.limited', limited),
    noteTokenUse: (use) => tokenUses.note(use),
    noteDenied: ({ session, operation, permission, ...request }) => {
      const { id: identityId } = session.principal;
      const denied = { identityId, operation, permission, ipAddress: request.clientAddress };
      return services.audit.publish({ session, ...request }, 'permission.denied', denied);
    },
  });
}

function surfaces({ client, management, fabric }: ReturnType<typeof createHandlers>, { docsEnabled }: Settings) {
  const shown = (api: Surface) => (docsEnabled ? api : withoutDocuments(api));
  return {
    client: shown(surface(clientApi, client)),
    management: shown(surface(managementApi, management)),
    fabric: surface(fabricApi, fabric),
  };
}

/** The paths of the documents are unknown ones then. */
function withoutDocuments({ tree: { specs, ...tree }, handlers }: Surface): Surface {
  return { tree, handlers };
}

function infoHandlers(
  { pki, ...addresses }: Pick<AppParts, 'apiAddress' | 'browserAddress' | 'pki'>,
  { enrollmentSigner, settings }: Services,
): InfoHandlers {
  return createInfoHandlers({
    ...addresses,
    caCertificates: () => caBundle(pki.current),
    networkJwt: () => enrollmentSigner.signForNetwork(),
    runtimeVersion: settings.docsEnabled ? process.version : 'node',
  });
}
