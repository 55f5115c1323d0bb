// The baseline of sign-ins: argon2.verify alone, as many at once as the controller runs.
import { cpus } from 'node:os';
import argon2 from 'argon2';

const hash = await argon2.hash('a password of the admin', {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
});
const seconds = Number(process.argv[2] ?? 5);
const end = performance.now() + seconds * 1_000;
let done = 0;
const started = performance.now();
await Promise.all(
  cpus().map(async () => {
    while (performance.now() < end) {
      await argon2.verify(hash, 'a password of the admin');
      done += 1;
    }
  }),
);
process.stdout.write(String((done / (performance.now() - started)) * 1_000));
