import { cpus } from 'node:os';
import argon2 from 'argon2';

/** Argon2id parameters; memory in KiB. */
export interface HashParameters {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

/** RFC 9106 Argon2id with the OWASP minimum. */
export const defaultHashParameters: HashParameters = { memory: 19_456, passes: 2, lanes: 1 };

/** Thrown when the queue of waiting hashes is full. */
export class HashQueueFull extends Error {
  override readonly name = 'HashQueueFull';
}

/** Hashes and verifies passwords with bounded concurrency and a bounded queue. */
export interface PasswordHasher {
  /** PHC string with a fresh 16-byte salt. */
  hash(password: string): Promise<string>;
  /** Compares in constant time. `null` as hash costs the same time and is never equal. */
  verify(hash: string | null, password: string): Promise<boolean>;
}

export interface HasherOptions {
  /** Hashes that run at once; default and 0: the number of cores. */
  concurrency?: number;
  /** Hashes that may wait; one more throws `HashQueueFull`. */
  queue?: number;
  parameters?: HashParameters;
}

export async function createPasswordHasher(options: HasherOptions = {}): Promise<PasswordHasher> {
  const { memory, passes, lanes } = options.parameters ?? defaultHashParameters;
  const parameters = { type: argon2.argon2id, memoryCost: memory, timeCost: passes, parallelism: lanes } as const;
  const run = createGate(options.concurrency || cpus().length, options.queue ?? 16);
  const dummy = await argon2.hash('no identity has this password', parameters);
  return {
    hash: (password) => run(() => argon2.hash(password.normalize('NFC'), parameters)),
    verify: (hash, password) =>
      run(async () => (await argon2.verify(hash ?? dummy, password.normalize('NFC'))) && hash !== null),
  };
}

function createGate(concurrency: number, queueLimit: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= concurrency) {
      if (waiting.length >= queueLimit) throw new HashQueueFull('too many passwords are being checked');
      await new Promise<void>((resume) => waiting.push(resume));
    } else {
      running += 1;
    }
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
