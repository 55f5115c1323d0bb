import type { ValidatedTerminator } from '@edge-controller/router-messages';
import {
  decode,
  encode,
  InvalidReason,
  ValidateTerminatorsRequestSchema,
  ValidateTerminatorsResponseSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { inspectTerminator } from '../edge/inspect-terminator.ts';
import type { ControlParts } from './control-parts.ts';

/** Says which terminators are alive. With `fixInvalid` the applications are asked, and what they do not know ends. */
export function answerValidation(parts: ControlParts, frame: Frame): void {
  const { terminators, fixInvalid } = decode(ValidateTerminatorsRequestSchema, frame.body);
  for (const { address } of terminators) parts.terminators.validated(address);
  void Promise.all(terminators.map(async (one) => [one.id, await stateOf(parts, one, fixInvalid)] as const)).then(
    (states) => {
      const body = encode(ValidateTerminatorsResponseSchema, { states: Object.fromEntries(states) });
      parts.control.reply(frame, { type: controlTypes.validateTerminatorsResponse, body });
    },
  );
}

async function stateOf(
  { terminators, timings }: ControlParts,
  { address, binding, marker }: ValidatedTerminator,
  fixInvalid: boolean,
) {
  if (binding !== 'edge') return { reason: InvalidReason.UNKNOWN_BINDING, detail: `no binding ${binding}`, marker };
  const terminator = terminators.get(address);
  if (!terminator) return { reason: InvalidReason.UNKNOWN_TERMINATOR, detail: 'terminator not found', marker };
  if (!fixInvalid) return { valid: true, detail: '', marker };
  const { isLive, detail } = await inspectTerminator(terminator, timings.inspect);
  if (isLive) return { valid: true, detail, marker };
  terminators.drop(terminator, 'the application does not host this terminator');
  return { reason: InvalidReason.BAD_STATE, detail, marker };
}
