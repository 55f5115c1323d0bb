import { expectTypeOf, test } from 'vitest';
import type { ListPage } from '../index.ts';
import { createEdgeClient } from '../index.ts';

const { client, management } = createEdgeClient('https://localhost');

test('calls take path parameters, query, headers, body and options in this order, as far as the operation has them', () => {
  const { identities } = management;
  expectTypeOf(identities.get).parameter(0).toEqualTypeOf<string>();
  expectTypeOf(identities.list).toBeCallableWith({ limit: 3 }, { timeout: 1 });
  expectTypeOf(identities.list).toBeCallableWith();
  expectTypeOf(identities.update).toBeCallableWith('id', { name: 'x', type: 'User', isAdmin: false }, { timeout: 1 });
  expectTypeOf(client.authentication.mfa).toBeCallableWith({ code: '123456' }, { timeout: 1 });
  expectTypeOf(client.version.get).toBeCallableWith({ timeout: 1 });
  const { currentIdentityMfa } = client;
  expectTypeOf(currentIdentityMfa.delete).toBeCallableWith({ 'mfa-validation-code': '123456' }, { timeout: 1 });
  expectTypeOf(currentIdentityMfa.delete).toBeCallableWith();
  expectTypeOf(currentIdentityMfa.get).toBeCallableWith({ timeout: 1 });
  // @ts-expect-error the id is missing
  expectTypeOf(identities.get).toBeCallableWith();
  // @ts-expect-error the body is missing
  expectTypeOf(identities.create).toBeCallableWith();
});

test('calls resolve to the data of the response', () => {
  const { identities } = management;
  expectTypeOf<Awaited<ReturnType<typeof identities.get>>['name']>().toEqualTypeOf<string>();
  expectTypeOf<Awaited<ReturnType<typeof identities.list>>>().toExtend<ListPage<{ name: string }>>();
  expectTypeOf<Awaited<ReturnType<typeof identities.create>>['id']>().toEqualTypeOf<string>();
  expectTypeOf<Awaited<ReturnType<typeof identities.delete>>>().toEqualTypeOf<undefined>();
  expectTypeOf<Awaited<ReturnType<typeof client.currentIdentityMfa.qrCode>>>().toEqualTypeOf<Blob>();
});
