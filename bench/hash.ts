// The baseline of sign-ins: argon2.verify alone, as many at once as the controller runs.
import { cpus } from 'node:os';
import argon2 from 'argon2';

const hash = await argon2.hash('a password of the admin', {
  type: argon2.argon2id,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
});

async function verifyFor(seconds: number) {
  const used = process.cpuUsage();
  const started = performance.now();
  let done = 0;
  const worker = async () => {
    while (performance.now() < started + seconds * 1_000) {
      await argon2.verify(hash, 'a password of the admin');
      done += 1;
    }
  };
  await Promise.all(cpus().map(worker));
  const { user, system } = process.cpuUsage(used);
  return { rate: (done / (performance.now() - started)) * 1_000, cpu: (user + system) / done };
}

process.on('message', async (seconds) => process.send?.(await verifyFor(Number(seconds))));
process.send?.('ready');
