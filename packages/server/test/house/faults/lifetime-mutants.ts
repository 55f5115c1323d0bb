import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const tests = ['session-lifetime.test'];

/** The ends of API sessions that use does not move, their number, and whose they are. */
export const lifetimeMutants: readonly SignInMutant[] = [
  {
    mutant: 'lets sessions live on after their limit was lowered',
    mutations: change('sessions/principals.ts', '|| this.#isOver(session, found)', '|| false'),
    tests,
  },
  {
    mutant: 'sends the store no end of a session',
    mutations: change(
      'sign-in/authentication/authenticate.ts',
      'endsAt: latestEnd({ createdAt: now, endsAt: result.endsAt ?? null }, { policy: result.policy, maxLifetime }),',
      'endsAt: null,',
    ),
    tests,
  },
  {
    mutant: 'knows no limit of auth policies',
    mutations: change('sessions/principals.ts', 'policy.primary.maxSessionMinutes ?? null', 'policy && null'),
    tests,
  },
  {
    mutant: 'lets a router keep a session whose limit was lowered',
    mutations: change(
      'routers/handlers/api-sessions.ts',
      'if (principals.known(record, version) ?? (await principals.get(record, version))) return true;',
      'if (principals && record && version) return true;',
    ),
    tests,
  },
  {
    mutant: 'moves the end in Redis with each touch',
    mutations: change(
      'storage/session-store/redis/scripts.ts',
      "redis.call('PEXPIRE', key, left)",
      "redis.call('PEXPIRE', key, ARGV[1])",
    ),
    tests: ['redis/session-store.contract'],
  },
  {
    mutant: 'moves the end in SQLite with each touch',
    mutations: change(
      'storage/session-store/sqlite/batched-touch.ts',
      'min(?, ifnull(endsAt + ?, ?))',
      'max(?, ifnull(endsAt + ?, ?))',
    ),
    tests: ['sqlite/session-store.contract'],
  },
  {
    mutant: "lists the sessions of everybody as one's own",
    mutations: change(
      'sessions/own-sessions.ts',
      'call.sessions.list(query, { identityId: call.session.principal.id })',
      'call.sessions.list(query)',
    ),
    tests: ['own-sessions.test'],
  },
  {
    mutant: 'ends the sessions of others',
    mutations: change(
      'sessions/own-sessions.ts',
      'if (stored?.identityId !== principal.id)',
      'if (!stored || !principal)',
    ),
    tests: ['own-sessions.test'],
  },
  {
    mutant: 'lets a stolen password end sessions that a code has opened',
    mutations: change(
      'sessions/end-surplus.ts',
      'if (one.isPartial || !isNewPartial) older.push(one);',
      'older.push(one);',
    ),
    tests: ['session-limit.test'],
  },
  {
    mutant: 'lets sign-ins at once end each other',
    mutations: change(
      'sessions/end-surplus.ts',
      'if (compareAge(session, stored) >= 0) continue;',
      'if (session.id === stored.id) continue;',
    ),
    tests: ['session-limit.test'],
  },
  {
    mutant: 'lets a session outlive the JWT where the signer ends it',
    mutations: change(
      'sign-in/authentication/jwt-session-end.ts',
      "if (sessionsEndAt === 'EXP') return",
      "if (sessionsEndAt === 'EXP' && !exp) return",
    ),
    tests: ['jwt-session-end.test'],
  },
];
