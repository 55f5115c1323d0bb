import { cpus } from 'node:os';
import argon2 from 'argon2';
import type { Measure } from '../meter.ts';
import { unmeasured } from '../meter.ts';

/** Argon2id parameters; memory in KiB. */
export interface HashParameters {
  readonly memory: number;
  readonly passes: number;
  readonly lanes: number;
}

/** Argon2id (RFC 9106) with the minimum parameters that OWASP recommends. */
export const defaultHashParameters: HashParameters = { memory: 19_456, passes: 2, lanes: 1 };

/** Thrown when the queue of waiting hashes is full. */
export class HashQueueFull extends Error {
  override readonly name = 'HashQueueFull';
}

/** Hashes and verifies passwords with bounded concurrency and a bounded queue. */
export interface PasswordHasher {
  /** Returns a PHC string with a new 16-byte salt. */
  hash(password: string): Promise<string>;
  /** Compares in constant time. With the hash `null` it takes the same time and returns false. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Whether a hash was made with other parameters, or by an older version of the algorithm. */
  isOutdated(hash: string): boolean;
  /** How many passwords are being hashed, and how many wait for it. */
  load(): { readonly running: number; readonly waiting: number };
}

/** How many passwords may be hashed and may wait. It may change. */
export interface HashLimits {
  /** Hashes that run at the same time. 0: the number of CPU cores. */
  readonly concurrency: number;
  /** Hashes that may wait. One more throws `HashQueueFull`. */
  readonly queue: number;
}

const defaultLimits: HashLimits = { concurrency: 0, queue: 16 };

export interface HasherOptions {
  /** Read at each hash. Default: one for each CPU core, and 16 that wait. */
  limits?: HashLimits;
  parameters?: HashParameters;
  /** Measure the wait for a hash and the hash. Default: neither is measured. */
  measures?: Readonly<Record<'wait' | 'hash', Measure>>;
}

export function createPasswordHasher(options: HasherOptions = {}): PasswordHasher {
  const { memory, passes, lanes } = options.parameters ?? defaultHashParameters;
  const parameters = { type: argon2.argon2id, memoryCost: memory, timeCost: passes, parallelism: lanes } as const;
  const measures = options.measures ?? { wait: unmeasured, hash: unmeasured };
  const { run, load } = createLimiter(options.limits ?? defaultLimits, measures);
  // Not awaited: it is hashed beside the rest of the start. When that fails, `verify` rejects.
  const dummy = argon2.hash('no identity has this password', parameters);
  dummy.catch(() => undefined);
  return {
    load,
    isOutdated: (hash) => argon2.needsRehash(hash, parameters),
    hash: (password) => run(() => argon2.hash(password.normalize('NFC'), parameters)),
    verify: (hash, password) =>
      run(async () => (await argon2.verify(hash ?? (await dummy), password.normalize('NFC'))) && hash !== null),
  };
}

function createLimiter(limits: HashLimits, { wait, hash }: NonNullable<HasherOptions['measures']>) {
  const cores = cpus().length;
  const waiting: (() => void)[] = [];
  let running = 0;
  /** As many as may run, also after the limit was raised. */
  const resume = () => {
    while (running < (limits.concurrency || cores)) {
      const next = waiting.shift();
      if (!next) return;
      running += 1;
      next();
    }
  };
  const turn = async () => {
    if (running < (limits.concurrency || cores)) {
      running += 1;
      return;
    }
    if (waiting.length >= limits.queue) throw new HashQueueFull('too many passwords are waiting for their hash');
    await new Promise<void>((next) => waiting.push(next));
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    await wait(turn);
    try {
      return await hash(work);
    } finally {
      running -= 1;
      resume();
    }
  };
  return { run, load: () => ({ running, waiting: waiting.length }) };
}
