import type { CircuitConfirmation, Fault } from '@edge-controller/router-messages';
import { encode, FaultSchema, FaultSubject, UnrouteSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { AuthorizationProblem } from '../authorize.ts';
import { problems } from '../authorize.ts';
import type { Circuit } from '../circuits/circuit.ts';
import type { CircuitRequest, Opened } from '../circuits/circuit-opener.ts';
import type { MessageHandler, RouterCall, RouterHandler } from '../dependencies.ts';
import type { LiveRouter } from '../live-router.ts';
import { refusal } from './refusal.ts';

const maxIds = 50_000;
/** Circuits that are checked in one turn of their router. */
const batchSize = 100;

/** The application that hosts the service may need seconds for its answer. Other messages of the router do not wait for it. */
export const createCircuit: RouterHandler = async (call) => {
  const { router, frame, opener, log } = call;
  const failed = (error: unknown): Opened => {
    log.warn({ err: error, router: router.id }, 'a circuit cannot be created');

    return { problem: problems.internal };
  };
  const request = readRequest(frame);
  if (request === null) {
    refuse(call, { ...problems.internal, text: 'invalid peer data' });
    return;
  }
  const wanted = await opener.authorize(router.id, request).catch(failed);
  if (!('valid' in wanted)) answer(call, wanted);
  else
    void opener
      .open(wanted)
      .catch(failed)
      .then((opened) => answer(call, opened));
};

/** What applications say is passed on by their router, so what cannot be read says nothing about that. */
function readRequest({ headers }: Frame): CircuitRequest | null {
  const textOf = (key: number) => readHeader.text(headers.get(key)) ?? '';
  try {
    return {
      sessionToken: textOf(controlHeaders.sessionToken),
      apiSessionToken: textOf(controlHeaders.apiSessionToken),
      instanceId: textOf(controlHeaders.instanceId),
      peerData: readHeader.bytesByNumber(headers.get(controlHeaders.peerData)),
    };
  } catch {
    return null;
  }
}

function answer(call: RouterCall, opened: Opened): void {
  if (opened.problem) {
    refuse(call, opened.problem, opened.circuitId);
    return;
  }
  const { router, frame, circuits } = call;
  const { circuit, peerData } = opened;
  const { id, serviceId, clientId, hostId } = circuit;
  // A right may have been taken away since it was opened.
  if (!circuits.table.get(id)) {
    refuse(call, problems.session, id);
    return;
  }
  const isSent = router.reply(frame, {
    type: controlTypes.createCircuitResponse,
    headers: new Map([
      [controlHeaders.circuitId, headerValue.text(id)],
      [controlHeaders.address, headerValue.text(circuit.ingressAddress)],
      [controlHeaders.peerData, headerValue.bytesByNumber(peerData)],
      [controlHeaders.tags, headerValue.textByText({ serviceId, clientId, hostId })],
    ]),
  });
  if (!isSent) circuits.end(id);
}

function refuse({ router, frame }: RouterCall, problem: AuthorizationProblem, circuitId?: string): void {
  const ofCircuit =
    circuitId === undefined ? [] : [[controlHeaders.errorCircuitId, headerValue.text(circuitId)] as const];
  router.reply(frame, refusal(router, problem, new Map(ofCircuit)));
}

/** A result that nobody waits for any more: the router has a route that is in no circuit. */
export const routeResult: RouterHandler = (call) => {
  const { router, frame, circuits, opener } = call;
  const circuitId = Buffer.from(frame.body).toString();
  const isRouted = frame.headers.has(controlHeaders.isRouted);
  const circuit = circuits.table.get(circuitId);
  const isKnown = circuit
    ? circuit.path.routers.includes(router.id)
    : opener.isOpening(circuitId) || call.isOfOther(circuitId);
  if (isRouted && !isKnown) unroute(router, circuitId);
};

export const fault: MessageHandler<Fault> = async (call, { subject, id, iteration }) => {
  if (subject === FaultSubject.INGRESS || subject === FaultSubject.EGRESS) endFault(call, id);
  else if (subject === FaultSubject.LINK || subject === FaultSubject.LINK_DUPLICATE) linkFault(call, { id, iteration });
  else await forwardFault(call, idsOf(id.split(' ')), subject === FaultSubject.FORWARD);
};

export const circuitConfirmation: MessageHandler<CircuitConfirmation> = async (call, { circuitIds, idleTimes }) => {
  const { router, circuits } = call;
  const isOn = (circuit: Circuit) => circuit.path.routers.includes(router.id);
  for await (const ids of router.channel.parts(idsOf(circuitIds), batchSize)) {
    const own = ids.flatMap((id) => circuits.table.get(id) ?? []).filter(isOn);
    const ownIds = new Set(own.map(({ id }) => id));
    const passedOn: Promise<void>[] = [];
    for (const id of ids.filter((one) => !ownIds.has(one))) {
      const message = { kind: 'confirm', routerId: router.id, circuitId: id } as const;
      const sending = circuits.table.get(id) ? null : call.passOn(id, message);
      if (sending) passedOn.push(sending);
      else unroute(router, id);
    }
    await endIdle(call, own, idleTimes);
    // A router that makes up many waits for its messages: those of others share the connection.
    await Promise.all(passedOn);
  }
};

/** Each once. */
function idsOf(ids: readonly string[]): readonly string[] {
  return [...new Set(ids)].slice(0, maxIds);
}

/** Only a router of its path ends a circuit. */
function endFault(call: RouterCall, id: string): void {
  const { router, circuits, passOn } = call;
  const circuit = circuits.table.get(id);
  if (circuit?.path.routers.includes(router.id)) circuits.close(id);
  else if (!circuit) void passOn(id, { kind: 'ended', routerId: router.id, circuitId: id });
}

function linkFault(
  { router, network, circuits, sender }: RouterCall,
  link: { readonly id: string; readonly iteration: number },
): void {
  const lost = network.topology.links.fault(router.id, link);
  if (lost === null) return;
  network.changed();
  // So that it closes its side, too.
  const body = encode(FaultSchema, { subject: FaultSubject.LINK, ...link });
  sender.send(lost.otherEndId, { type: controlTypes.fault, body });
  circuits.lost([lost.link]);
}

async function forwardFault(call: RouterCall, all: readonly string[], isOwn: boolean): Promise<void> {
  const { router, circuits } = call;
  for await (const ids of router.channel.parts(all, batchSize)) {
    const passedOn: Promise<void>[] = [];
    for (const id of ids) {
      const circuit = circuits.table.get(id);
      const message = { kind: 'unforwarded', routerId: router.id, circuitId: id } as const;
      const sending = circuit ? null : call.passOn(id, message);
      if (circuit?.path.routers.includes(router.id)) void circuits.reroute(id);
      else if (sending) passedOn.push(sending);
      else if (isOwn) unroute(router, id);
    }
    await Promise.all(passedOn);
  }
}

/** Ends circuits whose service is gone, or that were idle for longer than their service allows. */
async function endIdle(
  { circuits, database }: RouterCall,
  own: readonly Circuit[],
  idleTimes: Readonly<Record<string, bigint>>,
): Promise<void> {
  if (own.length === 0) return;
  const serviceIds = [...new Set(own.map(({ serviceId }) => serviceId))];
  const services = await database.db
    .selectFrom('services')
    .select(['id', 'maxIdleTimeMillis'])
    .where('id', 'in', inValues(database.sql, serviceIds))
    .execute();
  const maxIdleOf = new Map(services.map(({ id, maxIdleTimeMillis }) => [id, maxIdleTimeMillis ?? 0]));
  for (const { id, serviceId } of own) {
    const maxIdle = maxIdleOf.get(serviceId);
    const idle = Number((idleTimes[id] ?? 0n) / 1_000_000n);
    if (maxIdle === undefined || (maxIdle > 0 && idle > maxIdle)) circuits.end(id);
  }
}

function unroute(router: LiveRouter, circuitId: string): void {
  router.send({ type: controlTypes.unroute, body: encode(UnrouteSchema, { circuitId, now: true }) });
}
