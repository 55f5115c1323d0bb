import type { Sealer } from '../../../../core/secrets/sealer.ts';

/**
 * Converts JSON to the value of a field of a session's hash and back. The value is a seal and the JSON. The seal also covers the
 * hash of the token and the name of the field, so that nobody who can write to Redis makes a field, changes one, or copies one to
 * another place.
 */
export interface SealedField {
  write(tokenHash: string, name: string, json: string): string;
  /** Returns `null` when this controller has not written this field of this session. */
  read(tokenHash: string, name: string, value: string | null): string | null;
}

export function createSealedField(sealer: Sealer): SealedField {
  const sealed = (tokenHash: string, name: string, json: string) => `API session field ${tokenHash} ${name} ${json}`;
  return {
    write: (tokenHash, name, json) => sealer.sign(sealed(tokenHash, name, json)) + json,

    read(tokenHash, name, value) {
      if (value === null) return null;
      const start = value.indexOf('{');
      const json = value.slice(start);
      return start >= 0 && sealer.isSignature(value.slice(0, start), sealed(tokenHash, name, json)) ? json : null;
    },
  };
}
