import { describe, expect, it } from 'vitest';
import { tokenKind } from './token-kind.ts';

describe('the kind of a token', () => {
  it.each([
    ['at+jwt', {}, 'ACCESS'],
    ['application/AT+JWT', { nonce: 'n' }, 'ACCESS'],
    [undefined, { scope: 'openid' }, 'ACCESS'],
    ['JWT', { scp: ['a'] }, 'ACCESS'],
    // Some issuers copy it.
    ['JWT', { nonce: 'n', scope: 'openid' }, 'ACCESS'],
    ['JWT', { typ: 'Bearer', nonce: 'n' }, 'ACCESS'],
    [undefined, { nonce: 'n' }, 'ID'],
    ['JWT', { at_hash: 'h', scope: 'openid' }, 'ID'],
    ['JWT', { c_hash: 'h' }, 'ID'],
    ['JWT', { typ: 'ID' }, 'ID'],
    [undefined, {}, null],
    ['JWT', { sub: 'Ada', aud: 'edge', azp: 'app' }, null],
    ['JOSE', { typ: ['ID'] }, null],
  ])('with the header typ %j and the claims %j is %j', (typ, claims, kind) => {
    expect(tokenKind(typ === undefined ? {} : { typ }, claims)).toBe(kind);
  });
});
