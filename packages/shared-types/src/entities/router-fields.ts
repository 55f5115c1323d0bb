import { z } from 'zod';
import { dateTime } from '../envelope.ts';
import { derived, nullable, optional, references, serverSet, uniqueName } from '../field.ts';
import { networkInterface } from './network-interface.ts';

/** Groups of routers by the address at which they find the controller. */
const listeners = z.record(z.string(), z.array(z.string().max(500)).max(100));

/** Shown only while the router has not enrolled. */
const enrollmentOf = <S extends z.ZodType>(schema: S) =>
  ({ ...derived(schema.nullable()), detail: 'optional', shown: schema.nullable() }) as const;

/** What edge routers and transit routers have in common. */
export const routerFields = {
  name: uniqueName,
  /** 0 to 65535. A path through a router with a higher cost is chosen less often. */
  cost: optional(z.number().int().min(0).max(65535), 0, 'cost'),
  /** True: no circuit passes this router on its way to another one. */
  noTraversal: optional(z.boolean(), false, 'noTraversal'),
  /** A disabled router cannot connect. */
  disabled: optional(z.boolean(), false, 'disabled'),
  /** Ids of configs for routers. */
  configs: references('configs', 'configs'),
  /** By the address of a controller: the groups that use it. */
  ctrlChanListeners: nullable(listeners),
  /** Whether the router has enrolled. */
  isVerified: serverSet(z.boolean(), 'always', false, 'isVerified'),
  /** SHA-1 of its client certificate, lower-case hex. */
  fingerprint: { ...serverSet(z.string(), 'optional', null, 'fingerprint'), unique: true },
  /** SHA-1 of the client certificate that the router has got over its connection, and has not confirmed yet. */
  unverifiedFingerprint: serverSet(z.string(), 'nullable', null),
  /** This certificate, with its chain. */
  unverifiedCertPem: serverSet(z.string(), 'nullable', null),
  /** Whether the router is connected to the controller. */
  isOnline: derived(z.boolean()),
  /** Secret. It enrolls the router once. */
  enrollmentToken: enrollmentOf(z.string()),
  /** The token with the address of the controller, signed by it. Give this to the router. */
  enrollmentJwt: enrollmentOf(z.string()),
  /** RFC 3339. */
  enrollmentCreatedAt: enrollmentOf(dateTime),
  /** RFC 3339. */
  enrollmentExpiresAt: enrollmentOf(dateTime),
  /** As the router reported them. */
  interfaces: derived(z.array(networkInterface).nullable()),
} as const;
