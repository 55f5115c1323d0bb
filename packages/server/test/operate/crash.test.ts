import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storePairs } from '../support/controller.ts';
import type { Mutation } from '../support/mutants.ts';
import { applyMutations } from '../support/mutants.ts';
import { copyRepository, runNode } from '../support/recipe.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const minutes = 60_000;

describe.each(storePairs)('a controller on $stores', ({ open }) => {
  it('keeps what it has acknowledged when it is killed', { timeout: 5 * minutes }, async () => {
    const { databaseUrl, redisUrl } = await open();
    const env = {
      ...(databaseUrl ? { EDGE_DATABASE_URL: databaseUrl } : {}),
      ...(redisUrl ? { EDGE_REDIS_URL: redisUrl } : {}),
    };
    const { failed, output } = await runNode(root, ['scripts/crash.ts', '1'], env);
    expect(failed ? output : '').toBe('');
    expect(output).toMatch(
      /^1 kills, 1 more during a start, \d+ acknowledged writes, \d+ cut off, \d+ times 503, 0 faults$/m,
    );
  });
});

const source = 'packages/server/src';

/** Broken controllers, and what the script must say of each of them. */
const mutants: readonly { mutant: string; mutations: readonly Mutation[]; says: RegExp }[] = [
  {
    mutant: 'acknowledges creations that it does not store',
    mutations: [
      {
        path: `${source}/crud/handlers-of.ts`,
        from: 'createEntity(unit, name, body as Record<string, unknown>)',
        to: 'Promise.resolve(String(name))',
      },
    ],
    says: /fault: GET \S+\/identities\/identities: status 404 instead of 200/,
  },
  {
    mutant: 'refuses creations',
    mutations: [
      {
        path: `${source}/crud/handlers-of.ts`,
        from: 'createEntity(unit, name, body as Record<string, unknown>)',
        to: 'Promise.reject(new Error(String(name)))',
      },
    ],
    says: /fault: POST \S+\/[a-z-]+: status 500 instead of 201/,
  },
  {
    mutant: 'consumes an enrollment token outside of the transaction that makes the authenticator',
    mutations: [
      {
        path: `${source}/sign-in/enrollment/enroll.ts`,
        from: 'if (!(await consumeEnrollmentToken(unit.tx, presented)))',
        to: 'if (!isConsumed)',
      },
      {
        path: `${source}/sign-in/enrollment/enroll.ts`,
        from: 'return inUnitOfWork(call, async (unit) => {',
        to: 'const isConsumed = await consumeEnrollmentToken(call.database.db, presented);\n  return inUnitOfWork(call, async (unit) => {',
      },
    ],
    says: /fault: \S+ credential is "none"; history: .*"op":"create","value":"pending"/,
  },
  {
    mutant: 'never applies the session effects of an entity change',
    mutations: [
      {
        path: `${source}/dependencies.ts`,
        from: 'const outbox = createOutbox(',
        to: 'const outbox = withoutDrain(',
      },
      {
        path: `${source}/dependencies.ts`,
        from: '/** Creates what all calls share. */',
        to: 'const withoutDrain: typeof createOutbox = (options) => ({ ...createOutbox(options), drain: async () => undefined });\n',
      },
    ],
    says: /fault: GET \S+\/identities\?limit=1: status (401|200) instead of (200|401)|fault: session-\d+ is "live"/,
  },
  {
    mutant: 'acknowledges changes that the audit log does not have',
    mutations: [
      {
        path: `${source}/crud/unit-of-work.ts`,
        from: 'await caller.audit.append(tx, actor, events);',
        to: 'if (by === null) await caller.audit.append(tx, actor, events);',
      },
    ],
    says: /fault: "entity\.\w+ \S+" was acknowledged \d+ times, and has \d+ entries/,
  },
  {
    mutant: 'acknowledges a change before its commit',
    mutations: [
      {
        path: `${source}/storage/entity-store/sqlite/group-commit.ts`,
        from: 'this.#savepoint.release();\n    await',
        to: 'this.#savepoint.release();\n    void',
      },
    ],
    says: /fault: /,
  },
];

describe('scripts/crash.ts', () => {
  it.each(mutants)('finds a controller that $mutant', { timeout: 5 * minutes }, async ({ mutations, says }) => {
    const copy = copyRepository();
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    applyMutations(copy, mutations);
    const { failed, output } = await runNode(copy, ['scripts/crash.ts', '5']);
    expect(output).toMatch(says);
    expect(failed).toBe(true);
  });

  it('does not run with a mutant whose place in the code is gone', () => {
    const copy = copyRepository();
    onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
    const path = `${source}/controller.ts`;
    expect(() => applyMutations(copy, [{ path, from: 'a text that no file has', to: '' }])).toThrow(
      'has 0 places with "a text that no file has"',
    );
  });
});
