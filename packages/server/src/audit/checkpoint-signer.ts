import type { LivePki } from '../pki/pki.ts';
import { readStatement, signStatement } from '../pki/signed-statement.ts';
import type { CheckpointSigner } from './checkpoint.ts';
import { parseCheckpoint } from './checkpoint.ts';

const type = 'audit-checkpoint';

export function createCheckpointSigner(pki: Pick<LivePki, 'current'>): CheckpointSigner {
  return {
    sign: (checkpoint) => signStatement(pki.current, type, checkpoint),
    async read(jws) {
      const read = await readStatement(pki.current, type, jws);
      return typeof read === 'string' ? read : (parseCheckpoint(read.payload) ?? 'broken');
    },
  };
}
