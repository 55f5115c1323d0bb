import { expect, test } from 'vitest';
import { createSha256 } from './sha256.ts';

test.each([
  ['Node', createSha256()],
  ['a platform with WebCrypto only', createSha256({})],
])('SHA-256 on %s', async (_platform, sha256) => {
  // FIPS 180-2, appendix B.1
  expect(await sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(await sha256('')).toMatch(/^e3b0c442/);
});
