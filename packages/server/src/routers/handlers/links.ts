import type { LinkListeners, Metrics, RouterLinks, VerifyRouter } from '@edge-controller/router-messages';
import { decode, MetricsSchema } from '@edge-controller/router-messages';
import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { MessageHandler, RouterHandler } from '../dependencies.ts';
import { success } from './connection.ts';

const maxReported = 10_000;
/** In a millisecond. */
const nanoseconds = 1_000_000;

/** The links that a router has dialed. */
export const routerLinks: MessageHandler<RouterLinks> = ({ router, network, circuits }, { links, fullRefresh }) => {
  const table = network.topology.links;
  const gone = fullRefresh ? table.keepOnly(router.id, new Set(links.map(({ id }) => id))) : [];
  let isChanged = false;
  for (const { id, destRouterId: destId, linkProtocol: protocol, iteration, connState } of links.slice(
    0,
    maxReported,
  )) {
    const connections = (connState?.conns ?? []).map(({ type, localAddr, remoteAddr }) => ({
      ...{ type, localAddress: localAddr, remoteAddress: remoteAddr },
    }));
    const outcome = table.report(router.id, { id, destId, protocol, iteration, connections });
    if (outcome === 'moved') circuits.lost([{ id }]);
    if (['added', 'replaced', 'moved'].includes(outcome)) isChanged = true;
  }
  if (isChanged || gone.length > 0) network.changed(gone);
};

/** A router listens elsewhere for links of others. */
export const updateLinkListeners: MessageHandler<LinkListeners> = ({ router, frame, network }) => {
  network.set(router.id, router.show({ linkListeners: Buffer.from(frame.body).toString('base64') }));
};

/** How long data take over a link, as each end measures it: `link.<id>.latency`, and the time in its queue. */
export const metrics: RouterHandler = ({ router, frame, network }) => {
  const histograms = histogramsOf(frame.body);
  for (const { id } of network.topology.links.ofRouter(router.id)) {
    const latency = histograms[`link.${id}.latency`];
    const queueTime = histograms[`link.${id}.queue_time`]?.mean ?? 0;
    if (latency) network.topology.links.setLatency(router.id, id, (latency.mean + queueTime) / nanoseconds);
  }
};

/** Metrics are no reason to end a connection. */
function histogramsOf(body: Uint8Array): Metrics['histograms'] {
  try {
    return decode(MetricsSchema, body).histograms;
  } catch {
    return {};
  }
}

/** A router asks whether another one that dials a link is who it says. Only the leaf of its chain counts. */
export const verifyRouter: MessageHandler<VerifyRouter> = async (
  { router, frame, database },
  { routerId, fingerprints },
) => {
  const query = database.db.selectFrom('transitRouters').select(['fingerprint', 'disabled']);
  // PostgreSQL has no text with this character, and fails.
  const row = routerId.includes('\0') ? undefined : await query.where('id', '=', routerId).executeTakeFirst();
  const isKnown =
    row !== undefined && row.disabled === 0 && row.fingerprint !== null && row.fingerprint === fingerprints[0];
  if (isKnown) router.reply(frame, success);
  else {
    const headers = new Map([[controlHeaders.isSuccess, headerValue.boolean(false)]]);
    router.reply(frame, { type: controlTypes.result, headers, body: headerValue.text('unknown router') });
  }
};
