import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const checkRouter = 'routers/check-router.ts';
const opener = 'routers/circuits/circuit-opener.ts';
const ofCircuits = 'routers/handlers/circuits.ts';
const claim = 'access/service-access/claim-instance-id.ts';
const loseRouters = 'routers/lose-routers.ts';
const routers = 'routers/routers.ts';
const terminators = 'routers/terminators/terminators.ts';

export const routerMutants: readonly SignInMutant[] = [
  {
    mutant: 'accepts a router with a certificate of before',
    mutations: change(checkRouter, 'return row.fingerprint === certificate.fingerprint ?', 'return row.fingerprint ?'),
    tests: ['edge-routers-hostile', 'edge-routers.test'],
  },
  {
    mutant: 'accepts a router whose certificate has expired',
    mutations: change(checkRouter, "if (certificate.dates !== 'current')", 'if (false)'),
    tests: ['edge-routers-hostile'],
  },
  {
    mutant: 'accepts a router that is disabled',
    mutations: change(checkRouter, '!row || row.disabled === 1 ||', '!row ||'),
    tests: ['edge-routers-hostile', 'edge-routers.test'],
  },
  {
    mutant: 'leaves a router connected that was disabled while it said hello',
    mutations: change(routers, 'void this.#checkAgain(router.id, false);', ''),
    tests: ['edge-routers.test'],
  },
  {
    mutant: 'works on everything that comes with a hello',
    mutations: change('routers/channel/incoming-frames.ts', '#maxRunning = 1;', '#maxRunning = 32;'),
    tests: ['edge-routers-hostile'],
  },
  {
    mutant: 'lets applications use a router that is disabled',
    mutations: change(routers, 'router?.send(noApiSessions);', 'noApiSessions;'),
    tests: ['edge-routers-links', 'edge-routers-removals'],
  },
  {
    mutant: 'takes the session of somebody else',
    mutations: change(
      'routers/authorize.ts',
      'const isOfOther = found !== null && found.apiSession.id !== apiSession.id;',
      'const isOfOther = false;',
    ),
    tests: ['edge-routers-foreign'],
  },
  {
    mutant: 'ends the session of somebody else',
    mutations: change('routers/authorize.ts', 'if (isId && !isOfOther)', 'if (isId)'),
    tests: ['edge-routers-foreign'],
  },
  {
    mutant: 'lets any router end a circuit',
    mutations: change(
      ofCircuits,
      'if (circuit?.path.routers.includes(router.id)) circuits.close(id);',
      'if (circuit) circuits.close(id);',
    ),
    tests: ['edge-routers-foreign'],
  },
  {
    mutant: 'lets any router remove a terminator',
    mutations: change(terminators, 'found.filter((one) => one.routerId === routerId)', 'found'),
    tests: ['edge-routers-foreign'],
  },
  {
    mutant: 'keeps the terminators of sessions that have ended',
    mutations: change(routers, "this.#endTerminators('sessionId', ids);", ''),
    tests: ['edge-routers-terminators'],
  },
  {
    mutant: 'removes a terminator that was made again',
    mutations: change(
      terminators,
      'states[one.id]?.valid === false && this.#live.get(one.id) === one',
      'states[one.id]?.valid === false',
    ),
    tests: ['edge-routers-terminators'],
  },
  {
    mutant: 'lets dial whose host may host no more',
    mutations: change(
      opener,
      'const [host] = session ? await serviceSessions.validate([session]) : [];',
      'const host = session && { session };',
    ),
    tests: ['edge-routers-circuits'],
  },
  {
    mutant: 'opens a circuit whose host has lost its right meanwhile',
    mutations: change(
      opener,
      'serviceSessions.validate(uses.map(({ session }) => session));\n    if (live.length < uses.length)',
      'serviceSessions.validate(uses.slice(0, 1).map(({ session }) => session));\n    if (live.length < 1)',
    ),
    tests: ['edge-routers-circuits'],
  },
  {
    mutant: 'opens a circuit whose dialer has lost its right meanwhile',
    mutations: change(
      opener,
      'serviceSessions.validate(uses.map(({ session }) => session));\n    if (live.length < uses.length)',
      'serviceSessions.validate(uses.slice(1).map(({ session }) => session));\n    if (live.length < 1)',
    ),
    tests: ['edge-routers-circuits'],
  },
  {
    mutant: 'judges open connections by no router',
    mutations: change(
      routers,
      'onRouterLost: (uses) => loseRouters(this.#dependencies, { uses, find: (id) => this.#live.get(id) }),',
      'onRouterLost: () => void loseRouters,',
    ),
    tests: ['edge-routers-removals'],
  },
  {
    mutant: 'leaves circuits at a router that their host or dialer has lost',
    mutations: change(loseRouters, 'for (const use of uses) circuits.endAt(use);', 'void circuits;'),
    tests: ['edge-routers-removals'],
  },
  {
    mutant: 'leaves terminators at a router that their host has lost',
    mutations: change(loseRouters, 'await terminators.endAt(use);', ''),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'leaves a host at a router that it has lost',
    mutations: change(
      loseRouters,
      'find(routerId)?.send(sessionsRemoved([session.id]));',
      'void [session, routerId, sessionsRemoved];',
    ),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'keeps the session of a host that has lost its last router',
    mutations: change(loseRouters, 'if (routers.length === 0) useless.push(use.session);', ''),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'leaves circuits of another controller at a router that their session has lost',
    mutations: change(loseRouters, 'if (router && unknown.length > 0)', 'if (false)'),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'lets dial a host through a router that it has lost',
    mutations: change(
      opener,
      '(await mayUseRouter(serviceAccess, { session: host.session, routerId })) ? host.session : null',
      'host.session',
    ),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'opens a circuit whose end has lost its router meanwhile',
    mutations: change(opener, 'uses.map((use) => mayUseRouter(serviceAccess, use))', '[serviceAccess, mayUseRouter]'),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'keeps terminators that their host lost while the router was away',
    mutations: change(
      terminators,
      'if (session && (await mayUseRouter(this.#parts.serviceAccess, { session, routerId })))',
      'if (session)',
    ),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'sends a router nothing of sessions that lost it while it was away',
    mutations: change(
      'routers/handlers/api-sessions.ts',
      '(await mayUseRouter(serviceAccess, { session, routerId: router.id })) ? [session] : []',
      '[session]',
    ),
    tests: ['edge-routers-lost'],
  },
  {
    mutant: 'gives an instance id of a service to every host',
    mutations: change('entities/routers/terminators.ts', "if (verb === 'create' && instanceId !== '')", 'if (false)'),
    tests: ['instance-ids'],
  },
  {
    mutant: 'gives an instance id to all that ask at the same time',
    mutations: change(claim, 'await lockService(caller.database, tx, serviceId);', 'void [lockService, caller];'),
    tests: ['instance-ids'],
  },
  {
    mutant: 'gives an instance id that no identity hosts to every request',
    mutations: change(claim, "(hostId === '' && sibling.secretHash !== secretHash)", 'secretHash === undefined'),
    tests: ['instance-ids'],
  },
  {
    mutant: 'keeps an instance id for a host that may host no more',
    mutations: change(terminators, 'if ((await this.#removeEnded(hosted)).length > 0) break;', 'if (hosted) break;'),
    tests: ['instance-ids'],
  },
  {
    mutant: 'takes the result of another route',
    mutations: change(
      'routers/circuits/route-sender.ts',
      'return readHeader.u32(headers.get(controlHeaders.attempt)) === route.attempt;',
      'return true || readHeader;',
    ),
    tests: ['edge-routers-circuits'],
  },
  {
    mutant: 'leaves a circuit whose host has no API session any more to its router',
    mutations: change('routers/circuits/circuit-table.ts', ", ...this.of('hostApiSessionId', id)", ''),
    tests: ['edge-routers-circuits'],
  },
  {
    mutant: 'leaves a circuit that one end has closed to its routers',
    mutations: change('routers/circuits/circuits.ts', 'this.#closing.add(circuit);', ''),
    tests: ['edge-routers-circuits', 'edge-routers-links'],
  },
  {
    mutant: 'judges no circuit that one end has closed',
    mutations: change('routers/circuits/circuits.ts', 'this.#withClosing((table) => table.all())', 'this.table.all()'),
    tests: ['edge-routers-circuits'],
  },
  {
    mutant: 'gives a circuit several paths at the same time',
    mutations: change('routers/circuits/circuits.ts', 'if (isRerouting) return;', ''),
    tests: ['edge-routers-links'],
  },
  {
    mutant: 'confirms any certificate of a router',
    mutations: change(
      'routers/handlers/certificates.ts',
      'print === null || print !== unverifiedFingerprint ||',
      'print === null ||',
    ),
    tests: ['edge-routers.test'],
  },
  {
    mutant: 'informs no router when there are no API sessions',
    mutations: change(
      'routers/sessions/full-states.ts',
      'isSent && (!router.send(message(chunk, { id, sequence, isLast })) || isLast);',
      '(chunk.length > 0 && !router.send(message(chunk, { id, sequence, isLast }))) || isLast;',
    ),
    tests: ['edge-routers-sessions'],
  },
  {
    mutant: 'takes a further connection of a channel for a router',
    mutations: change('routers/hello.ts', '!readHeader.boolean(headers.get(controlHeaders.isFirstOfGroup))', 'false'),
    tests: ['edge-routers-version-2'],
  },
  {
    mutant: 'takes a channel of any type for one of a router',
    mutations: change('routers/hello.ts', '!isGrouped || !channelTypes.includes(type)', '!isGrouped'),
    tests: ['edge-routers-version-2'],
  },
  {
    mutant: 'sends routers of version 1 the controllers',
    mutations: change(
      'routers/welcome.ts',
      'if (!router.hello.group || addresses === null)',
      'if (addresses === null)',
    ),
    tests: ['edge-routers-version-2'],
  },
  {
    mutant: 'leaves a CA that may not authenticate any more to routers of version 2',
    mutations: change(
      'routers/data-model.ts',
      '...removed.map((anchor) => anchorEvent(anchor, DataAction.DELETE)),',
      '',
    ),
    tests: ['edge-routers-version-2'],
  },
  {
    mutant: 'keeps no API session alive that only a router uses',
    mutations: change(
      'routers/handlers/api-sessions.ts',
      'sessions.touch(tokenHash(token))',
      'sessions.peek(tokenHash(token))',
    ),
    tests: ['edge-routers-sessions'],
  },
  {
    mutant: 'lets a router take all the time',
    mutations: change(
      'routers/channel/frame-turns.ts',
      'const [ownPause, commonPause] = [4, 1];',
      'const [ownPause, commonPause] = [0, 0];',
    ),
    tests: ['frame-turns'],
  },
  {
    mutant: 'leaves a router sessions whose sign-in is not enough any more',
    mutations: change(
      'routers/sessions/known-sessions.ts',
      'identity && mayHold(sources, proofs, identity.requirements) ? identity.routerIds : noRouters',
      'identity && [mayHold, sources, proofs] ? identity.routerIds : noRouters',
    ),
    tests: ['edge-routers-rights'],
  },
  {
    mutant: 'gives rights to sessions from before routers were distinguished',
    mutations: change('sessions/principals.ts', 'session.usesRouters !== false &&', 'session.usesRouters === true &&'),
    tests: ['sessions-of-before'],
  },
  {
    mutant: 'does not wait for the messages about circuits that a router confirms',
    mutations: change(
      ofCircuits,
      '    // A router that makes up many waits for its messages: those of others share the connection.\n    await Promise.all(passedOn);',
      '',
    ),
    tests: ['handlers/circuits.test'],
  },
  {
    mutant: 'leaves a circuit open that cannot be confirmed',
    mutations: change(opener, 'circuits.end(circuit.id);\n      throw error;', 'throw error;'),
    tests: ['edge-routers-outage'],
  },
  {
    mutant: 'remembers identities with long ids',
    mutations: change(
      'routers/handlers/api-sessions.ts',
      'events.filter(({ identityId: id }) => id.length <= maxIdLength)',
      'events',
    ),
    tests: ['edge-routers-hostile'],
  },
  {
    mutant: 'takes every id in the token of a session for a text',
    mutations: change('pki/session-token.ts', "typeof jti === 'string' ? jti : null", '(jti ?? null) as string | null'),
    tests: ['service-sessions.test'],
  },
];
