import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { mfaController, mfaQuery, palmQuery } from '../../test/support/mfa-controller.ts';
import type { AuthQueryAnswer, AuthQueryDetail, EdgeClient, OnAuthQuery } from '../index.ts';
import { createEdgeClient, isEdgeAuthQueryError, isWrongCode } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };
const answerWith =
  (code: string): OnAuthQuery =>
  (_query, answer) =>
    answer.totp(code);

function record(edge: EdgeClient) {
  const events: string[] = [];
  edge.on('session', ({ state }) => events.push(state));
  edge.on('expired', () => events.push('expired'));
  edge.on('signedOut', () => events.push('signedOut'));
  return events;
}

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

test('a sign-in asks for the code and resolves to the full session', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url, { onAuthQuery: answerWith('right') });
  const events = record(edge);
  expect((await edge.signIn.password(alice)).state).toBe('full');
  expect(edge.session).toMatchObject({ state: 'full', authQueries: [] });
  expect(controller.seen.map(({ method, path, body }) => [method, path.slice(15), body])).toEqual([
    ['POST', '/authenticate?method=password', expect.any(String)],
    ['POST', '/authenticate/mfa', '{"code":"RIGHT"}'],
    ['GET', '/current-api-session', ''],
  ]);
  expect(events).toEqual(['full']);
});

test('a listener that answers partial sessions does not answer for a sign-in with a handler', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url, { onAuthQuery: answerWith('right') });
  edge.on('session', ({ state }) => state === 'partial' && edge.answer.totp('again'));
  expect((await edge.signIn.password(alice)).state).toBe('full');
  expect(controller.answered).toEqual(['RIGHT']);
});

test('a sign-in whose handler leaves the session partial emits one event, at its end', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const events = record(edge);
  const readSession: OnAuthQuery = async () => {
    await edge.client.currentApiSession.get();
    events.push('asked');
  };
  await edge.signIn.password(alice, { onAuthQuery: readSession });
  expect(events.splice(0)).toEqual(['asked', 'partial']);
  const cancel: OnAuthQuery = (...asked) => Promise.reject(new Error(`cancelled ${asked.length}`));
  await expect(edge.signIn.password(alice, { onAuthQuery: cancel })).rejects.toThrow('cancelled');
  expect(events).toEqual(['partial']);
});

test('the handler of the sign-in takes precedence over the handler of the client', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url, { onAuthQuery: () => expect.fail('the wrong handler') });
  const { state } = await edge.signIn.password(alice, { onAuthQuery: answerWith('right') });
  expect(state).toBe('full');
});

test('after a wrong code the session stays, the error has the remaining attempts, and another code may be tried', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const left: unknown[] = [];
  const { state } = await edge.signIn.password(alice, {
    onAuthQuery: async (_query, answer) => {
      for (const code of ['wrong1', 'wrong2', 'right']) {
        await answer.totp(code).catch((error: unknown) => {
          if (!isWrongCode(error)) throw error;
          left.push(error.attemptsRemaining, edge.session?.state);
        });
      }
    },
  });
  expect([state, left]).toEqual(['full', [8, 'partial', 7, 'partial']]);
});

test('without a handler or an answer of the handler, the session stays partial until edge.answer', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  expect((await edge.signIn.password(alice)).state).toBe('partial');
  let asked = 0;
  const { state } = await edge.signIn.password(alice, { onAuthQuery: () => (asked += 1) });
  expect([state, asked]).toEqual(['partial', 1]);
  const events = record(edge);
  expect(await failure(edge.answer.totp('wrong'))).toMatchObject({ code: 'MFA_INVALID_TOKEN', attemptsRemaining: 8 });
  expect(edge.session?.state).toBe('partial');
  expect((await edge.answer.totp('right')).state).toBe('full');
  expect(events).toEqual(['full']);
});

test('the sign-in rejects with the error of the handler, and the partial session stays', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const refuse = () => {
    throw new Error('cancelled');
  };
  await expect(edge.signIn.password(alice, { onAuthQuery: refuse })).rejects.toThrow('cancelled');
  expect(edge.session?.state).toBe('partial');
  expect((await edge.answer.totp('right')).state).toBe('full');
});

test('the handler receives every query once and in order, also queries of unknown types', async () => {
  await using controller = await mfaController(palmQuery, mfaQuery);
  const edge = createEdgeClient(controller.url);
  const asked: AuthQueryDetail[] = [];
  const session = await edge.signIn.password(alice, {
    onAuthQuery: async (query, answer) => {
      asked.push(query);
      if (query.typeId === 'MFA') await answer.totp('right');
    },
  });
  expect(asked).toEqual([palmQuery, mfaQuery]);
  expect(session).toMatchObject({ state: 'partial', authQueries: [palmQuery] });
});

test('a handler may answer a query in another way than with its answer argument', async () => {
  await using controller = await mfaController(palmQuery);
  const edge = createEdgeClient(controller.url);
  const { state } = await edge.signIn.password(alice, {
    onAuthQuery: async () => {
      controller.ask();
      await edge.client.currentApiSession.get();
    },
  });
  expect(state).toBe('full');
});

test('the sign-in waits for an answer that the handler did not await', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const forgetful = (code: string) => ({
    onAuthQuery: (_q: unknown, answer: AuthQueryAnswer) => void answer.totp(code),
  });
  expect((await edge.signIn.password(alice, forgetful('right'))).state).toBe('full');
  controller.ask(mfaQuery);
  expect(isWrongCode(await failure(edge.signIn.password(alice, forgetful('wrong'))))).toBe(true);
  const broken: OnAuthQuery = (_query, answer) => {
    void answer.totp('wrong');
    throw new Error('cancelled');
  };
  // The test runner fails on an unhandled rejection.
  await expect(edge.signIn.password(alice, { onAuthQuery: broken })).rejects.toThrow('cancelled');
  await expect.poll(() => controller.answered.length).toBe(3);
  await sleep(20);
});

test('the sign-in stops when the controller asks the same query again or always a new one', async () => {
  await using controller = await mfaController(mfaQuery);
  controller.script.onRight = () => undefined;
  const edge = createEdgeClient(controller.url, { onAuthQuery: answerWith('right') });
  const again = await failure(edge.signIn.password(alice));
  expect(isEdgeAuthQueryError(again) && again.code).toBe('STILL_ASKED');
  expect([controller.answered, edge.session?.state]).toEqual([['RIGHT'], 'partial']);
  controller.script.onRight = () => controller.ask({ ...mfaQuery, id: `query ${controller.answered.length}` });
  expect(await failure(edge.signIn.password(alice))).toMatchObject({ code: 'STILL_ASKED' });
  expect(controller.answered).toHaveLength(11);
});

test('when no attempts are left, the session ends and the error of the sign-in has the time to wait', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const events = record(edge);
  const caught: unknown[] = [];
  const error = await failure(
    edge.signIn.password(alice, {
      onAuthQuery: async (_query, answer) => {
        caught.push(await failure(answer.totp('last')));
        await new Promise(() => undefined);
      },
    }),
  );
  expect(error).toMatchObject({ code: 'SERVER_TOO_MANY_REQUESTS', retryAfter: 900, attemptsRemaining: 0 });
  expect(caught).toEqual([error]);
  expect(edge.session).toBeNull();
  expect(events).toEqual(['expired']);
  expect(await failure(edge.answer.totp('right'))).toMatchObject({ code: 'NO_SESSION' });
});

test('when a session ends before the answer, the client neither signs in again nor answers for another session', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url, { reauthenticate: () => expect.fail('asked to sign in') });
  const events = record(edge);
  const error = await failure(
    edge.signIn.password(alice, {
      onAuthQuery: (_query, answer) => {
        controller.live.clear();
        return answer.totp('right');
      },
    }),
  );
  expect(error).toMatchObject({ code: 'UNAUTHORIZED', status: 401 });
  expect([edge.session, events]).toEqual([null, ['expired']]);
});

test('an end by an administrator reaches a waiting sign-in with its answer', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  let given: AuthQueryAnswer | undefined;
  const waiting = edge.signIn.password(alice, {
    onAuthQuery: async (_query, answer) => {
      given = answer;
      await new Promise(() => undefined);
    },
  });
  await expect.poll(() => given).toBeDefined();
  controller.live.clear();
  expect(given?.signal.aborted).toBe(false);
  const refused = await failure(given?.totp('right') ?? Promise.resolve());
  expect(await failure(waiting)).toBe(refused);
  expect([given?.signal.aborted, edge.session]).toEqual([true, null]);
});

test('a sign-in that waits for its handler ends with an abort or with its session, and the signal of the handler aborts', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const reasons: unknown[] = [];
  let late: AuthQueryAnswer | undefined;
  const onAuthQuery: OnAuthQuery = (_query, answer) => {
    late = answer;
    return new Promise(() => answer.signal.addEventListener('abort', () => reasons.push(answer.signal.reason)));
  };
  const abort = new AbortController();
  const aborted = failure(edge.signIn.password(alice, { onAuthQuery, signal: abort.signal }));
  await expect.poll(() => edge.session?.id).toBe('id-of-token-1');
  abort.abort(new Error('closed'));
  expect(await aborted).toBe(abort.signal.reason);
  expect(edge.session?.state).toBe('partial');

  const leftBehind = failure(edge.signIn.password(alice, { onAuthQuery }));
  await expect.poll(() => edge.session?.id).toBe('id-of-token-2');
  await edge.signOut();
  expect(await leftBehind).toMatchObject({ name: 'EdgeAuthQueryError', code: 'NO_SESSION' });

  const replaced = failure(edge.signIn.password(alice, { onAuthQuery }));
  await expect.poll(() => edge.session?.id).toBe('id-of-token-3');
  await edge.signIn.password(alice);
  expect(await replaced).toMatchObject({ code: 'NO_SESSION' });

  const overtaken = failure(edge.signIn.password(alice, { onAuthQuery }));
  await expect.poll(() => edge.session?.id).toBe('id-of-token-5');
  const overtaking = failure(edge.signIn.password(alice, { onAuthQuery, signal: abort.signal }));
  expect([await overtaking, edge.session?.id]).toEqual([abort.signal.reason, 'id-of-token-5']);
  const newer = failure(edge.signIn.password(alice, { onAuthQuery }));
  const answerOfOvertaken = late;
  expect(await overtaken).toMatchObject({ code: 'NO_SESSION' });
  await expect.poll(() => late).not.toBe(answerOfOvertaken);
  await edge.signOut();

  expect(reasons).toEqual([abort.signal.reason, ...(await Promise.all([leftBehind, replaced, overtaken, newer]))]);
  // The answer belongs to the session of its query, not to a later session.
  expect(await failure(late?.totp('right') ?? Promise.resolve())).toMatchObject({ code: 'NO_SESSION' });
  expect(controller.answered).toEqual([]);
});

test.each([
  ['answers', answerWith('right')],
  ['throws', () => Promise.reject(new Error('cancelled'))],
])('the signal of a handler that %s aborts when the sign-in is over', async (_name, handler: OnAuthQuery) => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url);
  const signals: AbortSignal[] = [];
  const onAuthQuery: OnAuthQuery = (query, answer) => {
    signals.push(answer.signal);
    expect(answer.signal.aborted).toBe(false);
    return handler(query, answer);
  };
  await edge.signIn.password(alice, { onAuthQuery }).catch(() => undefined);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

test('the timeout of a sign-in applies to its requests, not to the time that the handler takes', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url, { timeout: 200 });
  const { state } = await edge.signIn.password(alice, {
    onAuthQuery: async (_query, answer) => {
      await sleep(400);
      await answer.totp('right');
    },
  });
  expect(state).toBe('full');
});

test('reauthenticate may sign in with a handler: the waiting calls succeed after the queries are answered', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge: EdgeClient = createEdgeClient(controller.url, {
    onAuthQuery: async (_query, answer) => {
      await sleep(50);
      await answer.totp('right');
    },
    reauthenticate: () => edge.signIn.password(alice),
  });
  await edge.signIn.password(alice);
  controller.live.clear();
  controller.ask(mfaQuery);
  const seen = await Promise.all(Array.from({ length: 5 }, () => edge.client.currentApiSession.get()));
  expect(seen.map(({ id, authQueries }) => [id, authQueries])).toEqual(Array(5).fill(['id-of-token-2', []]));
  expect([controller.signIns(), controller.answered]).toEqual([2, ['RIGHT', 'RIGHT']]);
});

test('when the new session ends while reauthenticate answers its queries, reauthenticate does not run again', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge: EdgeClient = createEdgeClient(controller.url, {
    onAuthQuery: async (_query, answer) => {
      if (controller.signIns() > 1) controller.live.clear();
      await edge.client.currentIdentityMfa.get().catch(() => undefined);
      await answer.totp('right');
    },
    reauthenticate: () => edge.signIn.password(alice),
  });
  await edge.signIn.password(alice, { onAuthQuery: () => undefined });
  controller.live.clear();
  expect(await failure(edge.client.currentApiSession.get())).toMatchObject({ code: 'NO_SESSION' });
  expect([controller.signIns(), edge.session]).toEqual([2, null]);
});

test('no error contains a code, and a code that is part of an error code does not change the error code', async () => {
  await using controller = await mfaController(mfaQuery);
  const edge = createEdgeClient(controller.url, { retries: 0 });
  await edge.signIn.password(alice);
  const odd = await failure(edge.answer.totp('INVALID'));
  expect(isWrongCode(odd)).toBe(true);
  expect(await failure(edge.answer.totp('r'))).toMatchObject({
    requestId: 'r-1',
    message: 'refused: MFA_INVALID_TOKEN (MFA_INVALID_TOKEN)',
  });
  const wrong = await failure(edge.answer.totp('924681'));
  await controller[Symbol.asyncDispose]();
  const lost = await failure(edge.answer.totp('924681'));
  expect(inspect([wrong, lost], { depth: 20, showHidden: true })).not.toContain('924681');
});
