import { z } from 'zod';

/** What messages of one kind are about, and what they look like. */
export interface Topic<Message extends object> {
  readonly name: string;
  /** What does not fit is no message. */
  readonly schema: z.ZodType<Message>;
}

const text = z.string();
const ids = z.array(text).readonly();
const count = z.int().nonnegative();

const routeResult = z.discriminatedUnion('isRouted', [
  z.object({ isRouted: z.literal(true) }),
  z.object({ isRouted: z.literal(false), error: text, code: count }),
]);

const apiSessionChange = [
  z.object({ kind: z.literal('changed'), tokenHash: text }),
  z.object({ kind: z.literal('ended'), ids }),
] as const;

/** `ApiSessionChange`, or the sessions of services that have ended. */
const sessionMessage = z
  .discriminatedUnion('kind', [...apiSessionChange, z.object({ kind: z.literal('sessionsEnded'), ids })])
  .readonly();

/** What controllers send each other about routes. Bytes are base64. */
const routeMessages = [
  z.object({ kind: z.literal('route'), call: count, routerId: text, body: z.base64(), timeout: count.max(60_000) }),
  z.object({ kind: z.literal('routed'), call: count, result: routeResult }),
  z.object({ kind: z.literal('send'), routerId: text, type: count, body: z.base64() }),
] as const;

/** What a router says about a circuit of another controller. */
const circuitMessage = z.object({
  kind: z.enum(['confirm', 'ended', 'unforwarded']),
  routerId: text,
  circuitId: text,
});

const networkMessages = [
  z.object({ kind: z.literal('shown') }),
  z.object({ kind: z.literal('linkRemoved'), id: text, iteration: count }),
  z.object({ kind: z.literal('changed'), routerId: text }),
  z.object({ kind: z.literal('deleted'), routerId: text }),
] as const;

const routerMessage = z.discriminatedUnion('kind', [...routeMessages, circuitMessage, ...networkMessages]).readonly();

export type SessionMessage = z.infer<typeof sessionMessage>;
export type RouteMessage = Readonly<z.infer<(typeof routeMessages)[number]>>;
export type RouteResult = Readonly<z.infer<typeof routeResult>>;
export type CircuitMessage = Readonly<z.infer<typeof circuitMessage>>;
export type RouterMessage = z.infer<typeof routerMessage>;

/** API sessions and sessions of services. */
export const sessionTopic: Topic<SessionMessage> = { name: 'sessions', schema: sessionMessage };
/** What controllers send each other about routers, in `routers`. */
export const routerTopic: Topic<RouterMessage> = { name: 'routers', schema: routerMessage };
