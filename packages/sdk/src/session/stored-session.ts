import type { CallOptions } from '../api/call-options.ts';
import type { Epoch } from '../lib/epoch.ts';
import type { Sender } from '../requests/sender.ts';
import type { SessionManager } from './session-manager.ts';
import type { SessionProbe } from './session-probe.ts';

interface StoredSessionParts {
  readonly sender: Pick<Sender, 'inTime'>;
  readonly manager: Pick<SessionManager, 'token' | 'replacements' | 'removeStored' | 'markNothingStored'>;
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
    const { disposed, manager, sender } = this.#parts;
    disposed.throwIfAborted();
    if (manager.token() !== null) return;
    this.#restoring ??= this.#load().finally(() => {
      this.#restoring = null;
    });
    await sender.inTime(options, 'client', '', async () => this.#restoring);
  }

  /** The token of the current session, of the one in the storage, or of the one that replaced it. */
  async token(options: CallOptions = {}): Promise<string | null> {
    const { manager, sender } = this.#parts;
    await this.restore(options);
    if (manager.token() === null && this.#lost?.isWanted()) {
      this.#replacing ??= this.#replace(this.#lost).finally(() => {
        this.#replacing = null;
      });
      await sender.inTime(options, 'client', '', async () => this.#replacing);
    }
    return manager.token();
  }

  async #load(): Promise<void> {
    const { manager, signOuts, load, canSignIn } = this.#parts;
    const isSignInWanted = signOuts.watch();
    const before = manager.replacements();
    const isWanted = () => isSignInWanted() && manager.replacements() === before;
    await load(async (token) => {
      if (!canSignIn) return manager.removeStored(token);
      // The token stays for the other clients with this storage: they find it, too, and wait for the same sign-in.
      this.#lost = { token, isWanted };
    });
    manager.markNothingStored();
  }

  async #replace({ token }: LostSession): Promise<void> {
    const { manager, replaceStored } = this.#parts;
    try {
      await replaceStored(token);
    } finally {
      this.#lost = null;
      await manager.removeStored(token).catch(() => undefined);
    }
  }
}
