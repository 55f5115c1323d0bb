import { decode, encode, RouteSchema, UnrouteSchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import type { Route } from '../../network/circuits/routes.ts';
import type { RouterNetwork } from '../../network/router-connections/router-network.ts';
import type { Peers } from '../../storage/peers/peers.ts';
import type { RouteMessage, RouteResult } from '../../storage/peers/topics.ts';
import { routerTopic } from '../../storage/peers/topics.ts';
import type { Message } from '../channel/message.ts';
import type { LiveRouter } from '../live-router.ts';

interface RouteSenderOptions {
  readonly peers: Peers;
  readonly network: RouterNetwork;
  readonly find: (routerId: string) => LiveRouter | undefined;
}

/** A route for a router of this controller. `timeout` in milliseconds. */
interface OwnRoute extends Pick<Route, 'circuitId' | 'attempt'> {
  readonly body: Uint8Array;
  readonly timeout: number;
}

/** Bytes. */
const maxReasonLength = 1_000;
const lost: RouteResult = { isRouted: false, error: 'the router is not connected', code: 0 };
const late: RouteResult = { isRouted: false, error: 'the router has not answered in time', code: 0 };

/** Sends routes to routers, whichever controller they are connected to. */
export class RouteSender {
  readonly #parts: RouteSenderOptions;
  readonly #calls = new Map<number, { readonly peerId: string; readonly finish: (result: RouteResult) => void }>();
  #count = 0;

  constructor(parts: RouteSenderOptions) {
    this.#parts = parts;
  }

  /** Tells a router a route, and waits for its result at most `timeout` milliseconds. */
  async route(routerId: string, route: Route, timeout: number): Promise<RouteResult> {
    const body = encode(RouteSchema, route);
    const own = this.#parts.find(routerId);
    if (own) return await this.#routeOwn(own, { ...route, body, timeout });
    const peer = this.#parts.network.peerOf(routerId);
    return peer === null ? lost : await this.#routeAt(peer, { routerId, body, timeout });
  }

  /** Tells routers to forget a circuit: `now`, or when it is idle. */
  unroute(circuitId: string, routerIds: readonly string[], now: boolean): void {
    const body = encode(UnrouteSchema, { circuitId, now });
    for (const routerId of routerIds) this.send(routerId, { type: controlTypes.unroute, body });
  }

  /** Sends a message without headers to a router. Nobody learns when it is lost. */
  send(routerId: string, { type, body }: { readonly type: number; readonly body: Uint8Array }): void {
    const own = this.#parts.find(routerId);
    if (own) own.send({ type, body });
    else this.#send(routerId, { kind: 'send', routerId, type, body: base64(body) });
  }

  /** A message of another controller, `from`. Only the one that was asked answers. */
  receive(message: RouteMessage, from: string): void {
    if (message.kind === 'routed') {
      const call = this.#calls.get(message.call);
      if (call?.peerId === from) call.finish(message.result);
      return;
    }
    const router = this.#parts.find(message.routerId);
    const body = Buffer.from(message.body, 'base64');
    if (message.kind === 'send') {
      router?.send({ type: message.type, body });
      return;
    }
    const answer = (result: RouteResult) =>
      this.#parts.peers.sendToOne(from, routerTopic, { kind: 'routed', call: message.call, result });
    const { circuitId, attempt } = decode(RouteSchema, body);
    const result = router
      ? this.#routeOwn(router, { circuitId, attempt, body, timeout: message.timeout })
      : Promise.resolve(lost);
    // The other controller gives up after its timeout.
    void result.then(answer).catch(() => undefined);
  }

  async #routeOwn(router: LiveRouter, { circuitId, attempt, body, timeout }: OwnRoute): Promise<RouteResult> {
    const message: Message = { type: controlTypes.route, body };
    const isReply = (frame: Frame) => isResultOf(frame, { circuitId, attempt });
    const reply = await router.channel.request(message, timeout, isReply);
    if (reply === null) return router.channel.isOpen ? late : lost;
    const { headers } = reply;
    // Its value says nothing: a router sends it on success only.
    if (headers.has(controlHeaders.isRouted)) return { isRouted: true };
    const code = headers.get(controlHeaders.routeErrorCode)?.at(0) ?? 0;
    return { isRouted: false, error: reasonOf(headers.get(controlHeaders.routeError)), code };
  }

  #routeAt(
    peerId: string,
    { routerId, body, timeout }: { readonly routerId: string; readonly body: Uint8Array; readonly timeout: number },
  ): Promise<RouteResult> {
    this.#count += 1;
    const call = this.#count;
    return new Promise((resolve) => {
      const finish = (result: RouteResult) => {
        clearTimeout(timer);
        this.#calls.delete(call);
        resolve(result);
      };
      const timer = setTimeout(() => finish(late), timeout).unref();
      this.#calls.set(call, { peerId, finish });
      const message: RouteMessage = { kind: 'route', call, routerId, body: base64(body), timeout };
      this.#parts.peers.sendToOne(peerId, routerTopic, message).catch(() => finish(lost));
    });
  }

  #send(routerId: string, message: RouteMessage): void {
    const peer = this.#parts.network.peerOf(routerId);
    // A router that misses it confirms the circuit when it is idle, and is informed then.
    if (peer !== null) void this.#parts.peers.sendToOne(peer, routerTopic, message).catch(() => undefined);
  }
}

function isResultOf({ type, headers, body }: Frame, route: Pick<Route, 'circuitId' | 'attempt'>): boolean {
  if (type !== controlTypes.routeResult || Buffer.from(body).toString() !== route.circuitId) return false;
  return readHeader.u32(headers.get(controlHeaders.attempt)) === route.attempt;
}

/** Why an application was not connected, often in the words of the one that hosts: it may send any bytes. */
function reasonOf(bytes: Uint8Array | undefined): string {
  return bytes ? Buffer.from(bytes.subarray(0, maxReasonLength)).toString() : 'the router has refused the route';
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
