import { controlHeaders, controlTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { decode, encode } from '../../router-messages/codec.ts';
import {
  CircuitConfirmationSchema,
  FaultSchema,
  FaultSubject,
  UnrouteSchema,
} from '../../router-messages/generated/router_pb.js';
import type { LiveRouter } from '../live-router.ts';
import type { RouterCall, RouterHandler } from '../services.ts';

const maxIds = 50_000;

export const createCircuit: RouterHandler = async ({ router, frame, circuits, log }) => {
  const { headers } = frame;
  const textOf = (key: number) => readHeader.text(headers.get(key)) ?? '';
  const request = {
    sessionToken: textOf(controlHeaders.sessionToken),
    apiSessionToken: textOf(controlHeaders.apiSessionToken),
    instanceId: textOf(controlHeaders.instanceId),
    peerData: readHeader.bytesByNumber(headers.get(controlHeaders.peerData)),
  };
  const opened = await circuits.open(router.id, request).catch((error: unknown) => {
    log.warn({ err: error, router: router.id }, 'a circuit cannot be created');
    return { problem: { code: 1, text: 'internal error' }, circuitId: undefined };
  });
  if ('problem' in opened) {
    const circuitId =
      opened.circuitId === undefined
        ? []
        : [[controlHeaders.errorCircuitId, headerValue.text(opened.circuitId)] as const];
    router.reply(frame, {
      type: controlTypes.error,
      headers: new Map([[controlHeaders.errorCode, headerValue.u32(opened.problem.code)], ...circuitId]),
      body: headerValue.text(opened.problem.text),
    });
    return;
  }
  const { circuit, peerData } = opened;
  const { serviceId, clientId, hostId } = circuit;
  const isSent = router.reply(frame, {
    type: controlTypes.createCircuitResponse,
    headers: new Map([
      [controlHeaders.circuitId, headerValue.text(circuit.id)],
      [controlHeaders.address, headerValue.text(circuit.ingressAddress)],
      [controlHeaders.peerData, headerValue.bytesByNumber(peerData)],
      [controlHeaders.tags, headerValue.textByText({ serviceId, clientId, hostId })],
    ]),
  });
  if (!isSent) circuits.close(circuit.id, true);
};

/** A result that nobody waits for any more: the router has a route that is in no circuit. */
export const routeResult: RouterHandler = (call) => {
  const { router, frame, circuits } = call;
  const circuitId = readHeader.text(frame.body) ?? '';
  const isRouted = frame.headers.has(controlHeaders.isRouted);
  const circuit = circuits.table.get(circuitId);
  const isKnown = circuit ? circuit.path.routers.includes(router.id) : call.isOfOther(circuitId);
  if (isRouted && !isKnown) unroute(router, circuitId);
};

export const fault: RouterHandler = (call) => {
  const { subject, id, iteration } = decode(FaultSchema, call.frame.body);
  if (subject === FaultSubject.INGRESS || subject === FaultSubject.EGRESS) endFault(call, id);
  else if (subject === FaultSubject.LINK || subject === FaultSubject.LINK_DUPLICATE) linkFault(call, { id, iteration });
  else forwardFault(call, id.split(' ').slice(0, maxIds), subject === FaultSubject.FORWARD);
};

export const circuitConfirmation: RouterHandler = async (call) => {
  const { circuitIds, idleTimes } = decode(CircuitConfirmationSchema, call.frame.body);
  const { router, circuits } = call;
  for (const id of circuitIds.slice(0, maxIds)) {
    const circuit = circuits.table.get(id);
    if (circuit?.path.routers.includes(router.id)) await endIdle(call, id, Number((idleTimes[id] ?? 0n) / 1_000_000n));
    else if (circuit || !call.passOn(id, { kind: 'confirm', routerId: router.id, circuitId: id })) unroute(router, id);
  }
};

/** Only a router of its path ends a circuit. */
function endFault(call: RouterCall, id: string): void {
  const { router, circuits, passOn } = call;
  const circuit = circuits.table.get(id);
  if (circuit?.path.routers.includes(router.id)) circuits.close(id);
  else if (!circuit) passOn(id, { kind: 'ended', routerId: router.id, circuitId: id });
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

function forwardFault(call: RouterCall, ids: readonly string[], isOwn: boolean): void {
  const { router, circuits } = call;
  for (const id of ids) {
    const circuit = circuits.table.get(id);
    if (circuit?.path.routers.includes(router.id)) void circuits.reroute(circuit);
    else if (!circuit && call.passOn(id, { kind: 'unforwarded', routerId: router.id, circuitId: id })) continue;
    else if (isOwn) unroute(router, id);
  }
}

/** Ends a circuit whose service is gone, or that was idle for longer than its service allows. */
async function endIdle({ circuits, entities }: RouterCall, id: string, idle: number): Promise<void> {
  const circuit = circuits.table.get(id);
  if (!circuit) return;
  const service = await entities.db
    .selectFrom('services')
    .select('maxIdleTimeMillis')
    .where('id', '=', circuit.serviceId)
    .executeTakeFirst();
  const maxIdle = service?.maxIdleTimeMillis ?? 0;
  if (!service || (maxIdle > 0 && idle > maxIdle)) circuits.close(id, true);
}

function unroute(router: LiveRouter, circuitId: string): void {
  router.send({ type: controlTypes.unroute, body: encode(UnrouteSchema, { circuitId, now: true }) });
}
