import { expect, test } from 'vitest';
import { readOperations } from './read-operations.ts';

const none = { produces: undefined, query: false, headers: false, body: false };

test('a sign stands for the operations of an entity', () => {
  const { authPolicies = {}, identityTypes = {} } = readOperations('auth-policies *\nidentity-types +');
  expect(Object.keys(identityTypes)).toEqual(['list', 'get']);
  const [path, one, access] = ['/auth-policies', '/auth-policies/{id}', 'full'];
  const change = { ...none, path: one, access, result: 'empty', body: true };
  expect(authPolicies).toEqual({
    list: { ...none, method: 'GET', path, access, result: 'list', query: true },
    get: { ...none, method: 'GET', path: one, access, result: 'detail' },
    create: { ...none, method: 'POST', path, access, result: 'detail', body: true },
    update: { ...change, method: 'PUT' },
    patch: { ...change, method: 'PATCH' },
    delete: { ...change, method: 'DELETE', body: false },
  });
});

test('a path is below one entity, below the resource or below the API', () => {
  const { currentMfa = {} } = readOperations('current/mfa qr-code /re-new createAgain=/re-new all=//role-attributes');
  const paths = Object.entries(currentMfa).map(([verb, { path }]) => [verb, path]);
  expect(paths).toEqual([
    ['qrCode', '/current/mfa/{id}/qr-code'],
    ['reNew', '/current/mfa/re-new'],
    ['createAgain', '/current/mfa/re-new'],
    ['all', '/role-attributes'],
  ]);
});

test('an operation has a method, a result, and who may call it with what', () => {
  const { authentication = {} } = readOperations(
    'authentication=authenticate /mfa:Pebp /open:Gdqha /file:Gf!image/png',
  );
  expect(authentication).toEqual({
    mfa: { ...none, method: 'POST', path: '/authenticate/mfa', access: 'partial', result: 'empty', body: true },
    open: {
      ...none,
      method: 'GET',
      path: '/authenticate/open',
      access: 'anyone',
      result: 'detail',
      query: true,
      headers: true,
    },
    file: {
      ...none,
      method: 'GET',
      path: '/authenticate/file',
      access: 'full',
      result: 'document',
      produces: 'image/png',
    },
  });
});
