import { inValues } from '../../database/sql/select-values.ts';
import type { EntityStore } from '../../entity-store/entity-store.ts';

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
  /** What the host tells those who dial, by header numbers. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

/** What is stored beside the entity. */
export type Host = Pick<HostedTerminator, 'sessionId' | 'hostId' | 'peerData'>;

const columns = ['t.id', 't.serviceId', 't.routerId', 't.identity as instanceId', 't.cost', 't.precedence'] as const;

function query({ db }: Pick<EntityStore, 'db'>) {
  return db
    .selectFrom('terminators as t')
    .innerJoin('terminatorHosts as h', 'h.terminatorId', 't.id')
    .select([...columns, 'h.sessionId', 'h.hostId', 'h.peerData']);
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
  if (ids.length === 0) return [];
  return (await query(store).where('t.id', 'in', inValues(store.sql, ids)).execute()).map(read);
}

/** The text of peer data, and back. */
export function peerDataText(peerData: Host['peerData']): string {
  return JSON.stringify([...peerData].map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
}

function read({ peerData, precedence, ...row }: Found): HostedTerminator {
  const entries: [number, string][] = JSON.parse(peerData);
  return {
    ...row,
    precedence: precedence as HostedTerminator['precedence'],
    peerData: new Map(entries.map(([key, value]) => [key, Buffer.from(value, 'base64')])),
  };
}
