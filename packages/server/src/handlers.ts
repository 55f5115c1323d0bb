import { clientApi, fabricApi, managementApi } from '@edge-controller/shared-types';
import type Koa from 'koa';
import { identityPosture } from './access/service-sessions/identity-posture.ts';
import { postureResponses } from './access/service-sessions/posture-responses.ts';
import { serviceUpdates } from './access/service-sessions/service-updates.ts';
import { clientSessions, sessions } from './access/service-sessions/session-handlers.ts';
import { auditLog } from './audit/audit-handlers.ts';
import { currentIdentityEvents } from './audit/current-identity-events.ts';
import type { Settings } from './core/config/schema.ts';
import type { Logger } from './core/log/log.ts';
import { callerHandlers, entityHandlers } from './crud/handlers-of.ts';
import type { Dependencies, Handlers } from './dependencies.ts';
import type { InfoHandlers } from './documents/info/info-handlers.ts';
import { createInfoHandlers } from './documents/info/info-handlers.ts';
import { authenticatorHandlers } from './entities/authenticators/authenticator-handlers.ts';
import { currentIdentityAuthenticators as ownAuthenticators } from './entities/authenticators/current-identity-authenticators.ts';
import { caActions } from './entities/cas/ca-actions.ts';
import { controllers } from './entities/controllers.ts';
import { enrollmentActions } from './entities/enrollments.ts';
import { publicSigners } from './entities/external-jwt-signers/public-signers.ts';
import { signerChanges } from './entities/external-jwt-signers/signer-changes.ts';
import { testSigner } from './entities/external-jwt-signers/test-signer.ts';
import { createCurrentIdentity } from './entities/identities/current-identity.ts';
import { identityActions } from './entities/identities/identity-actions.ts';
import { listIdentities } from './entities/identities/list-identities.ts';
import { listServices, withConfigTypes } from './entities/network-services/list-services.ts';
import { createPolicyAdvice } from './entities/network-services/policy-advice.ts';
import { serviceConfigs } from './entities/network-services/service-configs.ts';
import { clientServices } from './entities/routers/client-services.ts';
import { currentIdentityEdgeRouters } from './entities/routers/current-identity-edge-routers.ts';
import { edgeRouterActions } from './entities/routers/edge-router-actions.ts';
import { readRouterAdvice } from './entities/routers/router-advice.ts';
import { summary } from './entities/summary.ts';
import { createHttpApp } from './http/app.ts';
import type { Surface } from './http/operations/mounted.ts';
import { surface } from './http/operations/mounted.ts';
import type { Telemetry } from './operate/open-telemetry.ts';
import { caBundle } from './pki/ca-bundle.ts';
import type { LivePki } from './pki/pki.ts';
import { circuits } from './routers/fabric/circuits.ts';
import { fabric } from './routers/fabric/fabric.ts';
import { links } from './routers/fabric/links.ts';
import type { ActiveSession } from './sessions/active-session.ts';
import { apiSessions } from './sessions/api-sessions.ts';
import { currentApiSession } from './sessions/current-session.ts';
import { currentIdentityApiSessions } from './sessions/own-sessions.ts';
import { currentApiSessionCertificates } from './sessions/session-certificates.ts';
import { allows, resolveSession } from './sessions/sessions.ts';
import { TokenUses } from './sessions/token-uses.ts';
import { authentication } from './sign-in/authentication/authenticate.ts';
import { currentIdentityMfa } from './sign-in/authentication/queries/totp/current-identity-mfa.ts';
import { withStepUp } from './sign-in/authentication/step-up/with-step-up.ts';
import { enroll } from './sign-in/enrollment/enroll.ts';
import { extension } from './sign-in/enrollment/extend.ts';
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
  dependencies: Dependencies,
  { stores, telemetry, webConsole, log, ...parts }: AppParts,
): ReturnType<typeof createHttpApp> {
  const { settings } = dependencies;
  const apis = surfaces(createHandlers(infoHandlers(parts, dependencies)), settings);
  const watchers = { requests: telemetry.metrics?.requests, traces: telemetry.traces ?? undefined };
  const tokenUses = new TokenUses(dependencies.audit);
  return createHttpApp({
    ...{
      settings,
      dependencies: dependencies,
      apis,
      resolveSession,
      allows,
      attempts: stores.attempts,
      webConsole,
      log,
    },
    ...watchers,
    onLimited: (limited) => dependencies.events.emit('request.limited', limited),
    recordTokenUse: (use) => tokenUses.record(use),
    recordDenied: ({ session, operation, permission, ...request }) => {
      const { id: identityId } = session.principal;
      const denied = { identityId, operation, permission, ipAddress: request.clientAddress };
      return dependencies.audit.publish({ session, ...request }, 'permission.denied', denied);
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
  { enrollmentSigner, settings }: Dependencies,
): InfoHandlers {
  return createInfoHandlers({
    ...addresses,
    caCertificates: () => caBundle(pki.current),
    networkJwt: () => enrollmentSigner.signForNetwork(),
    runtimeVersion: settings.docsEnabled ? process.version : 'node',
  });
}

type Management = Handlers<typeof managementApi>;

/**
 * Every handler of all APIs. An operation that a contract describes needs none. For any other, a missing handler is a compile
 * error.
 */
function createHandlers(info: InfoHandlers): {
  client: Handlers<typeof clientApi>;
  management: Management;
  fabric: Handlers<typeof fabricApi>;
} {
  const own = callerHandlers('identities');
  const currentIdentity = createCurrentIdentity();
  const policyAdvice = createPolicyAdvice(readRouterAdvice);
  const entities = entityHandlers<Dependencies, ActiveSession>({
    authenticators: authenticatorHandlers,
    cas: caActions,
    edgeRouters: edgeRouterActions,
    enrollments: enrollmentActions,
    externalJwtSigners: { ...signerChanges, test: testSigner },
    identities: { ...identityActions, list: listIdentities, ...identityPosture, ...policyAdvice, ...serviceConfigs },
    services: { list: listServices },
  });
  const inBoth = {
    authentication,
    controllers,
    currentIdentity,
    currentIdentityAuthenticators: { ...ownAuthenticators, ...extension },
    currentIdentityMfa,
    enumeratedCapabilities: info.enumeratedCapabilities,
    networkJwts: info.networkJwts,
    specs: info.specs,
    version: info.version,
    wellKnown: info.wellKnown,
  };
  return {
    client: withStepUp({
      ...own,
      ...inBoth,
      currentApiSession: { ...currentApiSession, serviceUpdates },
      currentApiSessionCertificates,
      currentIdentityApiSessions,
      currentIdentityEdgeRouters,
      currentIdentityEvents,
      enroll,
      externalJwtSigners: publicSigners,
      postureResponses,
      protocols: info.protocols,
      services: { ...own.services, ...clientServices, list: withConfigTypes(own.services.list) },
      sessions: clientSessions,
    }),
    management: withStepUp({
      ...entities,
      ...inBoth,
      apiSessions,
      auditLog,
      circuits,
      currentApiSession,
      links,
      routers: routersOf(entities.transitRouters),
      sessions,
      summary,
    }),
    fabric,
  };
}

/** `/routers` is another path of `/transit-routers`. As on the wire, its links lead to the latter. */
function routersOf(transitRouters: Management['transitRouters']): Management['routers'] {
  return {
    ...transitRouters,
    async create(call, input) {
      const { id } = await transitRouters.create(call, input);
      return { id, href: `./transit-routers/${id}` };
    },
  };
}
