import type { Route, TerminatorPrecedence } from '@edge-controller/router-messages';
import {
  CreateTerminatorRequestSchema,
  CreateTerminatorResponseSchema,
  CreateTerminatorResult,
  decode,
  encode,
  RouteSchema,
  UpdateTerminatorRequestSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import type { RawRouter } from './raw-router.ts';

export interface Presented {
  readonly sessionToken: string;
  readonly apiSessionToken: string;
}

interface Dial extends Presented {
  readonly instanceId?: string;
  readonly peerData?: ReadonlyMap<number, Uint8Array>;
}

interface Bind extends Presented {
  readonly address: string;
  readonly peerData?: Record<number, Uint8Array>;
  readonly cost?: number;
  readonly precedence?: number;
  readonly instanceId?: string;
  readonly instanceSecret?: Uint8Array;
}

interface Update extends Presented {
  readonly terminatorId: string;
  readonly cost?: number;
  readonly updateCost?: boolean;
  readonly precedence?: number;
  readonly updatePrecedence?: boolean;
}

/** Why the controller refuses something. */
export interface Refusal {
  readonly code: number | undefined;
  readonly text: string;
  readonly circuitId: string | undefined;
}

/** A circuit, as the router of its dialer is told. */
export interface Circuit {
  readonly circuitId: string;
  readonly address: string;
  readonly peerData: ReadonlyMap<number, Uint8Array>;
  readonly tags: ReadonlyMap<string, string>;
}

export function dialMessage({ sessionToken, apiSessionToken, instanceId, peerData }: Dial) {
  return {
    headers: [
      [controlHeaders.sessionToken, headerValue.text(sessionToken)],
      [controlHeaders.apiSessionToken, headerValue.text(apiSessionToken)],
      ...(instanceId === undefined ? [] : [[controlHeaders.instanceId, headerValue.text(instanceId)] as const]),
      ...(peerData === undefined ? [] : [[controlHeaders.peerData, headerValue.bytesByNumber(peerData)] as const]),
    ] as const,
  };
}

/** Asks for a circuit, as for an application that dials. */
export async function dial(router: RawRouter, request: Dial): Promise<Refusal | Circuit> {
  return dialed(await router.ask(controlTypes.createCircuit, dialMessage(request)));
}

export function dialed({ type, headers, body }: Frame): Refusal | Circuit {
  if (type === controlTypes.error) {
    return {
      code: readHeader.u32(headers.get(controlHeaders.errorCode)),
      text: Buffer.from(body).toString(),
      circuitId: readHeader.text(headers.get(controlHeaders.errorCircuitId)),
    };
  }
  return {
    circuitId: readHeader.text(headers.get(controlHeaders.circuitId)) ?? '',
    address: readHeader.text(headers.get(controlHeaders.address)) ?? '',
    peerData: readHeader.bytesByNumber(headers.get(controlHeaders.peerData)),
    tags: readHeader.textByText(headers.get(controlHeaders.tags)),
  };
}

/** Asks for a terminator, as for an application that hosts. */
export async function bind(
  router: RawRouter,
  { precedence = 0, ...request }: Bind,
): Promise<{
  readonly result: keyof typeof CreateTerminatorResult;
  readonly msg: string;
  /** Of version 2, when it is refused. */
  readonly hints?: readonly [errorCode: number, retryHint: number];
}> {
  const body = encode(CreateTerminatorRequestSchema, { ...request, precedence: precedence as TerminatorPrecedence });
  const reply = await router.ask(controlTypes.createTerminator, { body });
  const { result, msg, errorCode, retryHint } = decode(CreateTerminatorResponseSchema, reply.body);
  const name = CreateTerminatorResult[result] as keyof typeof CreateTerminatorResult;
  return { result: name, msg, ...(errorCode + retryHint > 0 && { hints: [errorCode, retryHint] as const }) };
}

/** `null`: the terminator is changed. */
export async function updateTerminator(
  router: RawRouter,
  { precedence = 0, ...request }: Update,
): Promise<Refusal | null> {
  const body = encode(UpdateTerminatorRequestSchema, { ...request, precedence: precedence as TerminatorPrecedence });
  const reply = await router.ask(controlTypes.updateTerminator, { body });
  return reply.type === controlTypes.error ? (dialed(reply) as Refusal) : null;
}

/** Takes the next route, and says what became of it. `error`: it was not taken. */
export async function answerRoute(
  router: RawRouter,
  { error, code = 0 }: { readonly error?: string | Uint8Array; readonly code?: number } = {},
): Promise<Route> {
  const frame = await router.peer.ofType(controlTypes.route);
  const route = decode(RouteSchema, frame.body);
  routeResult(router, frame, {
    ...{ circuitId: route.circuitId, attempt: route.attempt },
    ...(error === undefined ? {} : { error, code }),
  });
  return route;
}

export function routeResult(
  router: RawRouter,
  to: Frame,
  said: {
    readonly circuitId: string;
    readonly attempt: number;
    readonly error?: string | Uint8Array;
    readonly code?: number;
  },
): void {
  const { circuitId, attempt, error, code = 0 } = said;
  const isText = typeof error === 'string';
  const outcome =
    error === undefined
      ? [[controlHeaders.isRouted, headerValue.boolean(true)] as const]
      : [
          [controlHeaders.routeError, isText ? headerValue.text(error) : error] as const,
          [controlHeaders.routeErrorCode, headerValue.u8(code)] as const,
        ];
  router.reply(to, controlTypes.routeResult, {
    headers: [[controlHeaders.attempt, headerValue.u32(attempt)], ...outcome],
    body: headerValue.text(circuitId),
  });
}
