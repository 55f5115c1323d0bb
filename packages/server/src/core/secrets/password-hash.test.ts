import argon2 from 'argon2';
import { expect, test, vi } from 'vitest';
import { createPasswordHasher } from './password-hash.ts';

test('compares with a hash of its own, and with no hash for as long', async () => {
  const verify = vi.spyOn(argon2, 'verify');
  const passwords = createPasswordHasher();
  const hash = await passwords.hash('correct horse battery');
  expect(await passwords.verify(hash, 'correct horse battery')).toBe(true);
  expect(await passwords.verify(hash, 'correct horse')).toBe(false);
  expect(await passwords.verify(null, 'correct horse battery')).toBe(false);
  // What a comparison costs follows from the parameters and the lengths of salt and hash.
  const shapes = verify.mock.calls.map(([digest]) =>
    digest.split('$').map((part, at) => (at < 4 ? part : part.length)),
  );
  expect(shapes[2]).toEqual(shapes[0]);
});
