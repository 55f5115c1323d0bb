import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';

/** A terminator that an application has made through a router. */
export interface HostedTerminator {
  readonly id: string;
  readonly serviceId: string;
  readonly routerId: string;
  readonly instanceId: string;
  readonly cost: number;
  readonly precedence: 'default' | 'required' | 'failed';
  /** The session of the service that hosts. */
  readonly sessionId: string;
  readonly hostId: string;
}

/** What a host sends to those who dial, by header numbers. */
export type PeerData = ReadonlyMap<number, Uint8Array>;

const columns = ['t.id', 't.serviceId', 't.routerId', 't.identity as instanceId', 't.cost', 't.precedence'] as const;

function query({ db }: Pick<EntityStore, 'db'>) {
  return db
    .selectFrom('terminators as t')
    .innerJoin('terminatorHosts as h', 'h.terminatorId', 't.id')
    .select([...columns, 'h.sessionId', 'h.hostId']);
}

type Found = Awaited<ReturnType<ReturnType<typeof query>['execute']>>[number];

/** Reads the terminators of a service. */
export async function terminatorsOfService(store: EntityStore, serviceId: string): Promise<HostedTerminator[]> {
  return (await query(store).where('t.serviceId', '=', serviceId).execute()).map(read);
}

/** Reads the terminators on a router. */
export async function terminatorsOfRouter(store: EntityStore, routerId: string): Promise<HostedTerminator[]> {
  return (await query(store).where('t.routerId', '=', routerId).execute()).map(read);
}

export async function findTerminators(store: EntityStore, ids: readonly string[]): Promise<HostedTerminator[]> {
  // PostgreSQL has no text with this character, and fails.
  const possible = ids.filter((id) => !id.includes('\0'));
  if (possible.length === 0) return [];
  return (await query(store).where('t.id', 'in', inValues(store.sql, possible)).execute()).map(read);
}

/** How many terminators an identity has at a service. */
export async function countOfHost(
  { db }: Pick<EntityStore, 'db'>,
  { serviceId, hostId }: Pick<HostedTerminator, 'serviceId' | 'hostId'>,
): Promise<number> {
  const { count } = await db
    .selectFrom('terminators')
    .select(({ fn }) => fn.countAll().as('count'))
    .where('serviceId', '=', serviceId)
    .where('hostId', '=', hostId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Reads what a host sends to those who dial. A host may have much to say, so it is read for the terminator alone that was chosen. */
export async function readPeerData({ db }: Pick<EntityStore, 'db'>, terminatorId: string): Promise<PeerData> {
  const found = await db
    .selectFrom('terminatorHosts')
    .select('peerData')
    .where('terminatorId', '=', terminatorId)
    .executeTakeFirst();
  const entries: [number, string][] = found ? JSON.parse(found.peerData) : [];
  return new Map(entries.map(([key, value]) => [key, Buffer.from(value, 'base64')]));
}

/** The text of peer data, as it is stored. */
export function peerDataText(peerData: PeerData): string {
  return JSON.stringify([...peerData].map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

function read({ precedence, ...row }: Found): HostedTerminator {
  return { ...row, precedence: precedence as HostedTerminator['precedence'] };
}
