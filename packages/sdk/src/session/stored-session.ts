import type { CallOptions } from '../api/call-options.ts';
import type { Epoch } from '../lib/epoch.ts';
import type { Sender } from '../requests/sender.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { SessionProbe } from './session-probe.ts';

interface StoredSessionParts {
  readonly sender: Pick<Sender, 'inTime'>;
  readonly keeper: Pick<SessionKeeper, 'token' | 'replacements' | 'removeStored' | 'noteNothingStored'>;
  readonly signOuts: Epoch;
  /** Takes over the session of the token in the storage. */
  readonly load: SessionProbe['load'];
  /** Replaces a session of the storage that the controller no longer knows. */
  readonly replaceStored: (token: string) => Promise<void>;
  /** Whether the application can sign in again. */
  readonly canSignIn: boolean;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/** A session of the storage that the controller no longer knows. The next call replaces it, unless somebody signs in or out. */
interface LostSession {
  readonly token: string;
  readonly isWanted: () => boolean;
}

/** Takes over the session that is in the storage, or replaces it, once for all calls that need one. */
export class StoredSession {
  readonly #parts: StoredSessionParts;
  #restoring: Promise<void> | null = null;
  #lost: LostSession | null = null;
  #replacing: Promise<void> | null = null;

  constructor(parts: StoredSessionParts) {
    this.#parts = parts;
  }

  /** Takes over the session in the storage if the controller still knows it, unless there is a session. */
  async restore(options: CallOptions = {}): Promise<void> {
    const { disposed, keeper, sender } = this.#parts;
    disposed.throwIfAborted();
    if (keeper.token() !== null) return;
    this.#restoring ??= this.#load().finally(() => {
      this.#restoring = null;
    });
    await sender.inTime(options, 'client', '', async () => this.#restoring);
  }

  /** The token of the current session, of the one in the storage, or of the one that replaced it. */
  async token(options: CallOptions = {}): Promise<string | null> {
    const { keeper, sender } = this.#parts;
    await this.restore(options);
    if (keeper.token() === null && this.#lost?.isWanted()) {
      this.#replacing ??= this.#replace(this.#lost).finally(() => {
        this.#replacing = null;
      });
      await sender.inTime(options, 'client', '', async () => this.#replacing);
    }
    return keeper.token();
  }

  async #load(): Promise<void> {
    const { keeper, signOuts, load, canSignIn } = this.#parts;
    const isSignInWanted = signOuts.watch();
    const before = keeper.replacements();
    const isWanted = () => isSignInWanted() && keeper.replacements() === before;
    await load(async (token) => {
      if (!canSignIn) return keeper.removeStored(token);
      // The token stays for the other clients with this storage: they find it, too, and wait for the same sign-in.
      this.#lost = { token, isWanted };
    });
    keeper.noteNothingStored();
  }

  async #replace({ token }: LostSession): Promise<void> {
    const { keeper, replaceStored } = this.#parts;
    try {
      await replaceStored(token);
    } finally {
      this.#lost = null;
      await keeper.removeStored(token).catch(() => undefined);
    }
  }
}
