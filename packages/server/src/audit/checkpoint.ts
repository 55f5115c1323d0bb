import { z } from 'zod';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const checkpoint = z.object({
  kind: z.enum(['checkpoint', 'anchor']),
  sequence: z.int().min(1),
  hash: sha256,
  time: z.iso.datetime(),
});

/**
 * What a controller says about the log: that the entry with this sequence has this hash, and so have all before it. An `anchor`
 * says so of the last entry that was removed because of its age. `time` is RFC 3339.
 */
export type Checkpoint = z.output<typeof checkpoint>;

/** What a signed checkpoint says, or why it counts for nothing. */
export type ReadCheckpoint = Checkpoint | 'broken' | 'unknown signer';

/** Signs and reads checkpoints with the keys of the controllers. */
export interface CheckpointSigner {
  /** Returns the JWS. */
  sign(checkpoint: Checkpoint): Promise<string>;
  read(jws: string): Promise<ReadCheckpoint>;
}

/** `null` for anything but a checkpoint. */
export function parseCheckpoint(payload: object): Checkpoint | null {
  return checkpoint.safeParse(payload).data ?? null;
}
