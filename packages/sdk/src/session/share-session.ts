import type { EdgeClientOptions } from '../api/options.ts';
import type { StorageChannel, TokenStorage } from '../api/token-storage.ts';
import type { Clock } from '../lib/clock.ts';
import { weakCallback } from '../lib/weak-callback.ts';
import type { ClientEvents } from './client-events.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { sessionMessageOf } from './session-message.ts';
import { shareOf } from './share-of.ts';

/** How often a client looks for the token of a message in the storage. With the waits this takes three seconds. */
const maxLooks = 6;

interface SharingParts {
  readonly options: Pick<EdgeClientOptions, 'reauthenticate'>;
  readonly keeper: SessionKeeper;
  readonly events: Pick<ClientEvents, 'emit'>;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly clock: Clock;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/**
 * Takes over what other clients with the same storage tell about the session. Returns the channel to them, or `null` when the
 * storage has none: then the client does not hear of the others.
 */
export function shareSession(parts: SharingParts): StorageChannel | null {
  try {
    return shareOf(parts.storage)(parts.storageKey, weakCallback(parts, passOn));
  } catch {
    return null;
  }
}

function passOn(parts: SharingParts, message: unknown, looks?: number): void {
  // A storage that rejects must not end the process of the application.
  receive(parts, message, looks).catch(() => undefined);
}

async function receive(parts: SharingParts, value: unknown, looks = 0): Promise<void> {
  const { keeper, events, options, clock, disposed } = parts;
  const message = sessionMessageOf(value);
  const current = keeper.current();
  if (message === null || disposed.aborted) return;
  if (message.kind === 'ended') {
    if (current === null || keeper.token() !== message.token) {
      keeper.notePast(message.token);
      return keeper.lookIntoStorage();
    }
    // The client may replace a session that another one found ended.
    if (message.by === 'expired' && options.reauthenticate) {
      keeper.markEnded(message.token);
      return keeper.becomeStale(message.token, 'timePassed');
    }
    keeper.forgetEnded(message.by);
    return events.emit(message.by === 'failed' ? 'expired' : message.by, current.view);
  }
  const { detail, expiresAt, endsAt = null, shownAt, canLook } = message;
  if (canLook === true) keeper.noteLook();
  if (keeper.token() === detail.token) {
    const known = current?.shownAt ?? 0;
    // What is known is of the future when the clock was set back.
    if (shownAt >= known || known > clock()) keeper.show(detail, { expiresAt, endsAt, shownAt });
    return;
  }
  // A message may be late, and two pages may sign in at once. The session that counts is the one in the storage.
  const before = keeper.replacements();
  const isStored =
    (!current?.isUnwritten && (await keeper.peekStored()) === detail.token) ||
    (await keeper.readStored()) === detail.token;
  if (keeper.replacements() !== before) return receive(parts, value, looks);
  if (keeper.isPast(detail.token)) return;
  if (!isStored) return lookAgain(parts, value, looks + 1);
  keeper.show(detail, { expiresAt, endsAt, shownAt });
  keeper.announce('session', detail.token, false);
}

/** A busy browser may show a change of the storage to other tabs later than the message about it. */
function lookAgain(parts: SharingParts, value: unknown, looks: number): void {
  if (looks > maxLooks) return;
  const look = weakCallback(parts, (held) => passOn(held, value, looks));
  const timer = setTimeout(look, 25 * 2 ** looks);
  // The timer must not keep a Node process alive.
  if (typeof timer === 'object') timer.unref();
}
