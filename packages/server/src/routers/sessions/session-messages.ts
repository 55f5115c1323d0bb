import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
  encode,
} from '@edge-controller/router-messages';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { Message } from '../channel/message.ts';
import type { FullStatePart } from './full-states.ts';
import type { KnownSession } from './known-sessions.ts';

/** The message that API sessions of these tokens have ended, or are not for this router any more. */
export function removed(tokens: readonly string[]): Message {
  return {
    type: controlTypes.apiSessionRemoved,
    body: encode(ApiSessionRemovedSchema, { tokens: [...tokens] }),
  };
}

/** The message that no API session lives. Without the headers of a part it counts at once. */
export const noApiSessions: Message = {
  type: controlTypes.apiSessionAdded,
  body: encode(ApiSessionAddedSchema, { isFullState: true }),
};

/** The message that these API sessions live, or a part of the message that no others do. */
export function added(
  sessions: readonly KnownSession[],
  { isFullState, part: { id, isLast, sequence } }: { readonly isFullState: boolean; readonly part: FullStatePart },
): Message {
  // What a router collects the parts of a full state by. Another text than this JSON would stop its process.
  const state = JSON.stringify({ id, isLast, sequence });
  return {
    type: controlTypes.apiSessionAdded,
    headers: syncHeaders(state),
    body: encode(ApiSessionAddedSchema, { isFullState, apiSessions: sessions.map(shown) }),
  };
}

/** The message that these API sessions have other certificates. A router that does not know them adds them. */
export function updated(sessions: readonly KnownSession[]): Message {
  return {
    type: controlTypes.apiSessionUpdated,
    headers: syncHeaders(''),
    body: encode(ApiSessionUpdatedSchema, { apiSessions: sessions.map(shown) }),
  };
}

function syncHeaders(state: string) {
  return new Map([
    [controlHeaders.syncStrategy, headerValue.text('instant')],
    [controlHeaders.syncState, headerValue.text(state)],
  ]);
}

function shown({ id, token, identityId, fingerprints }: KnownSession) {
  return { id, token, identityId, certFingerprints: [...fingerprints] };
}
