import type { EdgeClientOptions } from '../api/options.ts';
import type { StorageChannel, TokenStorage } from '../api/token-storage.ts';
import type { Clock } from '../lib/clock.ts';
import { weakCallback } from '../lib/weak-callback.ts';
import type { ClientEvents } from './client-events.ts';
import type { SessionManager } from './session-manager.ts';
import { sessionMessageOf } from './session-message.ts';
import { shareOf } from './share-of.ts';

/** How often a client checks for the token of a message in the storage. With the waits this takes three seconds. */
const maxChecks = 6;

interface SharingParts {
  readonly options: Pick<EdgeClientOptions, 'reauthenticate'>;
  readonly manager: SessionManager;
  readonly events: Pick<ClientEvents, 'emit'>;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly clock: Clock;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/**
 * Takes over what other clients with the same storage tell about the session. Returns the channel to them, or `null` when the
 * storage has none: then the client does not learn of the others.
 */
export function shareSession(parts: SharingParts): StorageChannel | null {
  try {
    return shareOf(parts.storage)(parts.storageKey, weakCallback(parts, passOn));
  } catch {
    return null;
  }
}

function passOn(parts: SharingParts, message: unknown, checks?: number): void {
  // A storage that rejects must not end the process of the application.
  receive(parts, message, checks).catch(() => undefined);
}

async function receive(parts: SharingParts, value: unknown, checks = 0): Promise<void> {
  const { manager, events, options, clock, disposed } = parts;
  const message = sessionMessageOf(value);
  const current = manager.current();
  if (message === null || disposed.aborted) return;
  if (message.kind === 'ended') {
    if (current === null || manager.token() !== message.token) {
      manager.rememberPast(message.token);
      return manager.checkStorage();
    }
    // The client may replace a session that another one found ended.
    if (message.by === 'expired' && options.reauthenticate) {
      manager.markEnded(message.token);
      return manager.becomeStale(message.token, 'timePassed');
    }
    manager.forgetEnded(message.by);
    return events.emit(message.by === 'failed' ? 'expired' : message.by, current.view);
  }
  const { detail, expiresAt, endsAt = null, shownAt, canPeek } = message;
  if (canPeek === true) manager.allowPeek();
  if (manager.token() === detail.token) {
    const known = current?.shownAt ?? 0;
    // What is known is of the future when the clock was set back.
    if (shownAt >= known || known > clock()) manager.show(detail, { expiresAt, endsAt, shownAt });
    return;
  }
  // A message may be late, and two pages may sign in at once. The session that counts is the one in the storage.
  const before = manager.replacements();
  const isStored =
    (!current?.isUnwritten && (await manager.peekStored()) === detail.token) ||
    (await manager.readStored()) === detail.token;
  if (manager.replacements() !== before) return receive(parts, value, checks);
  if (manager.isPast(detail.token)) return;
  if (!isStored) return checkAgain(parts, value, checks + 1);
  manager.show(detail, { expiresAt, endsAt, shownAt });
  manager.announce('session', detail.token, false);
}

/** A busy browser may show a change of the storage to other tabs later than the message about it. */
function checkAgain(parts: SharingParts, value: unknown, checks: number): void {
  if (checks > maxChecks) return;
  const check = weakCallback(parts, (sharing) => passOn(sharing, value, checks));
  const timer = setTimeout(check, 25 * 2 ** checks);
  // The timer must not keep a Node process alive.
  if (typeof timer === 'object') timer.unref();
}
