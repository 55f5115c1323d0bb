import type { Route } from '@edge-controller/router-messages';
import { decode, RouteSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { RouteFailure } from '../edge/dial-host.ts';
import { dialHost } from '../edge/dial-host.ts';
import type { ControlParts } from './control-parts.ts';

/** Takes the way of a circuit. The last router of the way asks the application that hosts the service. */
export function answerRoute(parts: ControlParts, frame: Frame): void {
  const { circuits, terminators } = parts;
  const route = decode(RouteSchema, frame.body);
  const { circuitId, egress, forwards } = route;
  circuits.route(circuitId, forwards);
  if (!egress || circuits.hasEnd(circuitId, egress.address)) {
    reply(parts, { frame, route }, null);
    return;
  }
  dialHost(parts, terminators, route, (failure) => {
    if (failure) circuits.discard(circuitId);
    reply(parts, { frame, route }, failure);
  });
}

function reply(
  { control }: ControlParts,
  { frame, route: { circuitId, attempt } }: { frame: Frame; route: Route },
  failure: RouteFailure | null,
): void {
  const headers = new Map([[controlHeaders.attempt, headerValue.u32(attempt)]]) as Map<number, Uint8Array>;
  if (failure) {
    headers.set(controlHeaders.routeError, headerValue.text(failure.message));
    headers.set(controlHeaders.routeErrorCode, headerValue.u8(failure.code));
  } else headers.set(controlHeaders.isRouted, headerValue.boolean(true));
  control.reply(frame, { type: controlTypes.routeResult, headers, body: headerValue.text(circuitId) });
}
