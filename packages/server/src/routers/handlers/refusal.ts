import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { AuthorizationProblem } from '../authorize.ts';
import type { Message } from '../channel/message.ts';
import type { LiveRouter } from '../live-router.ts';

/** The message to a router that something is not done. */
export function refusal(
  { hello }: LiveRouter,
  { code, text, retryHint }: AuthorizationProblem,
  headers: ReadonlyMap<number, Uint8Array> = new Map(),
): Message {
  const all = new Map([...headers, [controlHeaders.errorCode, headerValue.u32(code)]]);
  if (hello.group) all.set(controlHeaders.retryHint, headerValue.u32(retryHint));
  return { type: controlTypes.error, headers: all, body: headerValue.text(text) };
}
