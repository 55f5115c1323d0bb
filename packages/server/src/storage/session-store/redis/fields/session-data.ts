import type { SessionDataStore } from '../../session-data.ts';
import type { RedisKeys } from '../keys.ts';
import type { RunScript } from '../scripts.ts';
import { splitIntoCalls } from '../scripts.ts';
import type { SealedField } from './sealed-field.ts';

/** Stores the texts of a session as fields of its hash, so that they end with its key. */
export function createSessionData({
  run,
  keys,
  sealed,
}: {
  run: RunScript;
  keys: RedisKeys;
  sealed: SealedField;
}): SessionDataStore {
  return {
    async read(tokenHashes, name) {
      const calls = splitIntoCalls(tokenHashes.map((tokenHash) => ({ key: keys.session(tokenHash), name })));
      const values = (await run((client) => Promise.all(calls.map((fields) => client.readFields(fields))))).flat();
      return tokenHashes.map((tokenHash, at) => sealed.read(tokenHash, name, values[at] ?? null));
    },

    replace(tokenHash, name, { before, after }) {
      const write = (json: string) => sealed.write(tokenHash, name, json);
      const known = before === null ? '' : write(before);
      return run((client) => client.replaceField({ key: keys.session(tokenHash), name }, known, write(after)));
    },
  };
}
