import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import type {
  AuthQueryDetail,
  EdgeClient,
  EdgeRequest,
  FullSession,
  PartialSession,
  Session,
  SessionSnapshot,
} from '../src/index.ts';
import { createEdgeClient, isEdgeApiError } from '../src/index.ts';
import { useSession } from '../src/react/index.ts';
import { mfaController, palmQuery } from './support/mfa-controller.ts';

/** The compiler checks the code. Nothing runs. */
const compiled = (_code: (edge: EdgeClient) => unknown) => undefined;

test('the type of an authentication query says what it has', () => {
  compiled(() => {
    const explain = (query: AuthQueryDetail): string => {
      // @ts-expect-error only an EXT-JWT query has a signer
      query.id;
      if (query.typeId === 'EXT-JWT') return query.id;
      expectTypeOf(query.maxLength).toEqualTypeOf<number>();
      // @ts-expect-error no such type
      return query.typeId === 'MFAA' ? '' : query.typeId;
    };
    return explain;
  });
});

test('session and authentication queries narrow with the state', () => {
  compiled(() => {
    const explain = (session: Session): string => {
      if (session.state === 'partial') {
        expectTypeOf(session).toEqualTypeOf<PartialSession>();
        return session.authQueries[0].typeId;
      }
      expectTypeOf(session).toEqualTypeOf<FullSession>();
      expectTypeOf(session.authQueries.length).toEqualTypeOf<0>();
      // @ts-expect-error no such state
      return session.state === 'active' ? '' : session.id;
    };
    return explain;
  });
  compiled((edge) => {
    edge.on('stateChange', ({ state, session }) => {
      if (state === 'active') expectTypeOf(session).toEqualTypeOf<FullSession>();
      if (state === 'partial') expectTypeOf(session).toEqualTypeOf<PartialSession>();
      if (state === 'stale') expectTypeOf(session).toEqualTypeOf<Session>();
      if (state === 'expired') expectTypeOf(session).toEqualTypeOf<null>();
    });
    const signer = edge.session?.authQueries.find((query) => query.typeId === 'EXT-JWT');
    expectTypeOf(signer?.id).toEqualTypeOf<string | undefined>();
  });
});

test('the state of a snapshot narrows its session', () => {
  const explain = (snapshot: SessionSnapshot): string => {
    // @ts-expect-error no such state
    if (snapshot.state === 'signed_out') return '';
    if (snapshot.session === null) {
      expectTypeOf(snapshot.state).toEqualTypeOf<'signed-out' | 'unknown' | 'expired'>();
      return snapshot.state;
    }
    if (snapshot.state === 'partial') return snapshot.session.authQueries[0].typeId;
    if (snapshot.state === 'stale') expectTypeOf(snapshot.session).toEqualTypeOf<Session>();
    else expectTypeOf(snapshot.session).toEqualTypeOf<FullSession>();
    return snapshot.session.identity.name;
  };
  compiled(({ getSnapshot }) => explain(getSnapshot()));
  compiled(() => {
    const { state, session } = useSession();
    if (state === 'active') expectTypeOf(session).toEqualTypeOf<FullSession>();
    return explain(useSession());
  });
});

test('the state narrows the session in Vue, Svelte and Solid, too', () => {
  compiled(() => {
    const explain = (
      vue: typeof import('../src/vue/index.ts'),
      reactive: typeof import('../src/svelte/index.ts') | typeof import('../src/solid/index.ts'),
    ): string => {
      const ref = vue.useSession();
      const current = reactive.useSession();
      const { isPending } = vue.useSignIn();
      const form = reactive.useSignIn();
      expectTypeOf(isPending.value).toEqualTypeOf<boolean>();
      if (current.state === 'active') expectTypeOf(current.session).toEqualTypeOf<FullSession>();
      if (ref.value.state === 'partial') return ref.value.session.authQueries[0].typeId;
      // @ts-expect-error misspelled
      return form.signIn.passwort;
    };
    return explain;
  });
});

test('closed sets of the wire are unions, in requests and responses', () => {
  compiled(async ({ client, management }) => {
    // @ts-expect-error misspelled
    await management.authenticators.create({ method: 'password', identityId: 'id' });
    // @ts-expect-error misspelled
    await management.identities.list({ roleSemantic: 'OneOf' });
    // @ts-expect-error misspelled
    await client.enroll.enroll({ method: 'otp' });
    // @ts-expect-error misspelled
    await management.enrollments.create({ method: 'otp', identityId: 'id', expiresAt: '' });
    const { typeId } = await management.identities.get('id');
    expectTypeOf(typeId).toEqualTypeOf<'User' | 'Device' | 'Service' | 'Router' | 'Default'>();
    const { checks } = await management.externalJwtSigners.test('id', { token: '' });
    // @ts-expect-error misspelled
    checks.some(({ check }) => check === 'expires');
    expectTypeOf<EdgeRequest['method']>().toEqualTypeOf<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>();
  });
});

test('a misspelled code does not compile, and the code of a newer controller does', () => {
  compiled(() => {
    const error: unknown = null;
    // @ts-expect-error misspelled
    isEdgeApiError(error, 'NOT_FOUD');
    if (isEdgeApiError(error, 'NOT_FOUND')) expectTypeOf(error.code).toExtend<'NOT_FOUND'>();
    return isEdgeApiError(error) && error.code === 'CODE_OF_A_NEWER_CONTROLLER';
  });
});

test('the request of a sign-in is no call, because it would not sign the client in', async () => {
  const edge = createEdgeClient('https://localhost:1280');
  onTestFinished(() => edge.dispose());
  for (const api of ['client', 'management'] as const) {
    // @ts-expect-error not offered
    const call: Promise<unknown> = edge[api].authentication.authenticate({ method: 'password' }, {});
    await expect(call).rejects.toThrow(
      `edge.${api}.authentication.authenticate would not sign the client in: use edge.signIn`,
    );
    await expect(call).rejects.toBeInstanceOf(TypeError);
  }
});

test('a query of a type that the SDK does not know reaches the application as it was sent', async () => {
  await using controller = await mfaController(palmQuery);
  const edge = createEdgeClient(controller.url);
  const session = await edge.signIn.password({ username: 'alice', password: 'a password' });
  expect(session).toMatchObject({ state: 'partial', authQueries: [palmQuery] });
});
