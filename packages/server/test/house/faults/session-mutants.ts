import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const sessions = 'access/service-sessions/service-sessions.ts';
const creation = 'access/service-sessions/create-session.ts';
const responses = 'access/service-sessions/posture-responses.ts';
const access = 'access/service-access/service-access.ts';
const judgement = 'access/service-access/judge.ts';
const mfa = 'access/posture/checks/mfa.ts';

/** Sessions of services, and posture. */
export const sessionMutants: readonly SignInMutant[] = [
  {
    mutant: 'keeps rights that another controller has taken away',
    mutations: change(access, 'this.moveTo(version);\n    return version;', 'return version;'),
    tests: ['service-rights-random'],
  },
  {
    mutant: 'informs nobody that rights were taken away',
    mutations: change(
      'storage/revocation/outbox.ts',
      "rows.some(({ effect }) => effect.kind === 'rights') && sessions.bumpRightsVersion(),",
      '',
    ),
    tests: ['service-rights-random'],
  },
  {
    mutant: 'lets attributes of identities lose no rights',
    mutations: change(
      'entities/identities/identities.ts',
      "roleAttributes: { access: 'rights' }",
      "roleAttributes: { access: 'shown' }",
    ),
    tests: ['service-rights-random'],
  },
  {
    mutant: 'lets deleted policies lose no rights',
    mutations: change('access/service-access/access-rules.ts', "    deleted: () => 'all',\n", ''),
    tests: ['service-rights-random'],
  },
  {
    mutant: 'refuses rights that are new',
    mutations: change(
      sessions,
      'await access.refresh();\n    return await this.#judge(holder, wanted.type, await access.reload(pair));',
      'return known;',
    ),
    tests: ['service-rights-random', 'service-sessions.test'],
  },
  {
    mutant: 'wants one posture check of a policy only',
    mutations: change(judgement, 'return checks.every(', 'return checks.some('),
    tests: ['service-rights-random', 'posture.test'],
  },
  {
    mutant: 'wants the posture checks of all policies',
    mutations: change(judgement, 'return passing.length > 0', 'return passing.length === ofType.length'),
    tests: ['service-rights-random', 'posture.test'],
  },
  {
    mutant: 'lets partial API sessions keep their sessions',
    mutations: change(
      'access/service-sessions/holder.ts',
      "return isAllowed && authQueries.every(({ typeId }) => typeId === 'EXT-JWT');",
      "return isAllowed || authQueries.some(({ typeId }) => typeId === 'EXT-JWT');",
    ),
    tests: ['service-rights-random'],
  },
  {
    mutant: 'leaves sessions that have lost their right',
    mutations: change(
      sessions,
      'judged.flatMap(({ session, valid }) => (valid ? [] : [session]));',
      'judged.flatMap(({ session }) => (session ? [] : [session]));',
    ),
    tests: ['service-rights-random', 'posture.test'],
  },
  {
    mutant: 'gives back with a code what time has ended',
    mutations: change(
      'sign-in/authentication/queries/totp/answer-mfa.ts',
      'await serviceSessions.endLost(stored);',
      'serviceSessions;',
    ),
    tests: ['posture.test'],
  },
  {
    mutant: 'ends nothing when the device says something else',
    mutations: change(
      responses,
      'if (changed.some(({ before, after }) => before.isPassing && !after.isPassing)) {',
      'if (changed.length < 0) {',
    ),
    tests: ['posture.test'],
  },
  {
    mutant: 'reads the version of the rights after it has judged',
    mutations: [
      ...change(
        creation,
        'const version = call.serviceAccess.knownVersion;\n  const judged = { version, route: await requireRoute(call, holder, wanted) };',
        'const judgedRoute = await requireRoute(call, holder, wanted);\n  const judged = { version: call.serviceAccess.knownVersion, route: judgedRoute };',
      ),
    ],
    tests: ['service-sessions-races'],
  },
  {
    mutant: 'judges no session again that was opened while something changed',
    mutations: change(creation, 'isCurrent ? judged.route :', 'isCurrent || stored ? judged.route :'),
    tests: ['service-sessions-races'],
  },
  {
    mutant: 'does not see posture that changes while a session is opened',
    mutations: change(
      creation,
      'version === judged.version && posture?.data.generation === seen?.generation;',
      'version === judged.version;',
    ),
    tests: ['service-sessions-races'],
  },
  {
    mutant: 'takes sessions that the store has got back for live ones',
    mutations: change(sessions, 'if (!holder || (await this.#ends.get(session.id)))', 'if (!holder)'),
    tests: ['fail-over'],
  },
  {
    mutant: 'gives an ended session to who opens another one',
    mutations: change(creation, 'if (opened.id !== id && (await', 'if (opened.id === id && (await'),
    tests: ['fail-over'],
  },
  {
    mutant: 'takes posture that was taken back',
    mutations: change(
      'access/service-access/live-posture.ts',
      'if (lost === null || data.generation > lost) return',
      'if (lost === null || data) return',
    ),
    tests: ['fail-over'],
  },
  {
    mutant: 'gives the time to answer again each time that the device wakes up',
    mutations: change(
      'access/posture/posture-data.ts',
      'return known !== null && known > (mfaPassedAt ?? 0) ? known : now;',
      'return known !== null && mfaPassedAt === -1 ? known : now;',
    ),
    tests: ['service-rights-random', 'posture.test'],
  },
  {
    mutant: 'never ends what a code was sent for',
    mutations: change(mfa, 'timeoutSeconds * 1_000', 'timeoutSeconds * 1_000_000'),
    tests: ['posture.test'],
  },
  {
    mutant: 'takes a code for a TOTP that is removed',
    mutations: change(
      'access/posture/posture-facts.ts',
      'const hasPassed = mfaId !== null && record.mfaId === mfaId;',
      'const hasPassed = record.mfaId !== null && mfaId !== "";',
    ),
    tests: ['posture.test'],
  },
  {
    mutant: 'lets posture of one API session count for another',
    mutations: change(
      'access/service-access/live-posture.ts',
      'async read(tokenHash: string): Promise<StoredPosture> {',
      'async read(given: string): Promise<StoredPosture> {\n    const tokenHash = (this.#first ??= given);',
    ).concat(
      change(
        'access/service-access/live-posture.ts',
        '#version: string | null = null;',
        '#version: string | null = null;\n  #first: string | undefined;',
      ),
    ),
    tests: ['posture.test'],
  },
  {
    mutant: 'shows sessions of others',
    mutations: change(
      'access/service-sessions/session-handlers.ts',
      'return principal.isAdmin ? undefined : principal.id;',
      'return principal.isAdmin || principal ? undefined : "";',
    ),
    tests: ['service-sessions.test'],
  },
  {
    mutant: 'opens as many sessions as a client wants',
    mutations: change(
      'storage/session-store/sqlite/service-sessions.ts',
      ">= limit) return 'full';",
      ">= limit * 1_000) return 'full';",
    ),
    tests: ['service-sessions.test'],
  },
  {
    mutant: 'keeps posture data without a limit',
    mutations: change('access/posture/posture-data.ts', 'maxPostureBytes = 65_536', 'maxPostureBytes = 65_536_000'),
    tests: ['posture.test'],
  },
  {
    mutant: 'sends clients nothing when posture changes',
    mutations: change(
      'access/service-sessions/service-updates.ts',
      'if (digest === before) return',
      'if (digest === before || before) return',
    ),
    tests: ['posture.test'],
  },
];
