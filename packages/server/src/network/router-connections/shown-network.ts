import { decode, LinkListenersSchema } from '@edge-controller/router-messages';
import { z } from 'zod';
import type { ConnectedRouter } from './connected-router.ts';

const text = z.string();
const number = z.number();

const routerInterface = z.object({
  ...{ name: text, hardwareAddress: text, mtu: number, index: number, addresses: z.array(text) },
  ...{ isBroadcast: z.boolean(), isLoopback: z.boolean(), isMulticast: z.boolean() },
  ...{ isRunning: z.boolean(), isUp: z.boolean() },
});

const connectedRouter: z.ZodType<ConnectedRouter> = z.object({
  ...{ id: text, isOnline: z.boolean(), hostname: text, syncStatus: text },
  supportedProtocols: z.record(text, text),
  versionInfo: z.object({ version: text, revision: text, buildDate: text, os: text, arch: text }),
  interfaces: z.array(routerInterface).nullable(),
  linkListeners: z.base64().refine(areLinkListeners),
  ...{ managesLinks: z.boolean(), cost: number, noTraversal: z.boolean() },
});

const linkReport = z.object({
  ...{ id: text, destId: text, protocol: text, iteration: number },
  connections: z.array(z.object({ type: text, localAddress: text, remoteAddress: text })).exactOptional(),
});

const tokenKey = z.object({ kid: text, spki: z.base64() });

/** What one controller shows of its routers. */
export const shownNetwork = z.object({
  routers: z.array(connectedRouter).optional(),
  /** By the id of the router that dialed them. */
  links: z.array(z.tuple([text, linkReport])).optional(),
  /** With which it signs the tokens of sessions. */
  keys: z.array(tokenKey).optional(),
});

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T;

export type ShownNetwork = DeepReadonly<z.infer<typeof shownNetwork>>;

/** A key that signs the tokens of sessions of services. SubjectPublicKeyInfo in base64. */
export type TokenKey = Readonly<z.infer<typeof tokenKey>>;

function areLinkListeners(base64: string): boolean {
  try {
    decode(LinkListenersSchema, Buffer.from(base64, 'base64'));
    return true;
  } catch {
    return false;
  }
}
