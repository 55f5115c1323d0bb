import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { Checkpoint, CheckpointSigner } from './checkpoint.ts';

interface SignedPointsOptions {
  readonly database: Pick<EntityStore, 'db'>;
  readonly signer: Pick<CheckpointSigner, 'read'>;
  readonly report: (sequence: number, problem: string) => void;
}

/** What controllers have signed: in the file of this controller, and in the database. */
export class SignedPoints {
  readonly #parts: SignedPointsOptions;
  /** By sequence. Several controllers may have signed the same entry. */
  readonly #checkpoints = new Map<number, readonly Checkpoint[]>();
  readonly #anchors = new Map<number, Checkpoint>();
  readonly #seen = new Set<number>();
  readonly notes: string[] = [];
  matched = 0;

  constructor(parts: SignedPointsOptions) {
    this.#parts = parts;
  }

  /** @param own the JWS in the file of this controller. `null`: there is none */
  async load(own: string | null): Promise<void> {
    await this.#load('anchor');
    await this.#load('checkpoint');
    const read = own === null ? null : await this.#parts.signer.read(own);
    if (read === null) this.notes.push('there is no checkpoint in the data directory: a cut end may not show');
    else if (typeof read === 'string') this.notes.push(`the checkpoint in the data directory does not count: ${read}`);
    else this.#add(read);
  }

  /** Compares an entry with what was signed about it. */
  compare(sequence: number, hash: string): void {
    for (const { hash: signed, time } of this.#checkpoints.get(sequence) ?? []) {
      this.#seen.add(sequence);
      if (signed === hash) this.matched += 1;
      else this.#parts.report(sequence, `or what leads to it was rewritten: another hash was signed at ${time}`);
    }
  }

  /** What was signed about the last entry of those that were removed because of their age. */
  async anchorAt(sequence: number): Promise<Checkpoint | null> {
    // They may have been removed just now.
    if (!this.#anchors.has(sequence)) await this.#load('anchor');
    return this.#anchors.get(sequence) ?? null;
  }

  /** Reports entries that were signed and are not there. `last`: where the log ends. */
  end(last: number): void {
    const removedThrough = Math.max(0, ...this.#anchors.keys());
    for (const [sequence, [signed]] of this.#checkpoints) {
      if (this.#seen.has(sequence) || sequence <= removedThrough) continue;
      const what = sequence > last ? `is cut off: the log ends at ${last}` : 'is missing';
      this.#parts.report(sequence, `${what}, but the entry was signed at ${signed?.time}`);
    }
  }

  async #load(kind: Checkpoint['kind']): Promise<void> {
    const { database, signer, report } = this.#parts;
    const rows = await database.db.selectFrom('auditCheckpoints').selectAll().where('kind', '=', kind).execute();
    for (const { sequence, jws } of rows) {
      if (this.#anchors.has(sequence)) continue;
      const read = await signer.read(jws);
      if (read === 'unknown signer')
        this.notes.push(`the ${kind} of ${sequence} was signed with a key that is not known`);
      else if (read === 'broken' || read.kind !== kind || read.sequence !== sequence) {
        report(sequence, `has a ${kind} whose signature is wrong`);
      } else this.#add(read);
    }
  }

  #add(point: Checkpoint): void {
    const { kind, sequence } = point;
    const known = this.#checkpoints.get(sequence) ?? [];
    if (kind === 'anchor') this.#anchors.set(sequence, point);
    else if (!known.some(({ hash }) => hash === point.hash)) this.#checkpoints.set(sequence, [...known, point]);
  }
}
