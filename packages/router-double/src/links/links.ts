import type { MessageInitShape } from '@bufbuild/protobuf';
import type { PeerStateChange, RouterLinkSchema } from '@edge-controller/router-messages';
import {
  encode,
  FaultSchema,
  FaultSubject,
  PeerState,
  RouterLinksSchema,
  VerifyRouterSchema,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes, readHeader, headers as sharedHeaders } from '@edge-controller/shared-types/channel';
import type { Circuits } from '../circuits/circuits.ts';
import type { ControlChannel } from '../control/control-channel.ts';
import { linkGroups } from '../control/hello.ts';
import type { RouterTimings } from '../options.ts';
import { randomId } from '../random-id.ts';
import type { RouterIdentity } from '../router-identity.ts';
import type { Timers } from '../timers.ts';
import { dialLink } from './dial-link.ts';
import type { Link } from './link.ts';
import { readItem } from './link.ts';
import { LinkListener } from './link-listener.ts';

interface LinksOptions {
  readonly identity: () => RouterIdentity;
  readonly host: string;
  /** `null`: the router takes no links. */
  readonly port: number | null;
  readonly isVersion2: boolean;
  readonly control: ControlChannel;
  readonly circuits: Circuits;
  readonly timings: RouterTimings;
  readonly timers: Timers;
}

/** A link that this router wants: it dials until it has it. */
interface WantedLink {
  readonly id: string;
  readonly peerId: string;
  readonly address: string;
  iteration: number;
  failures: number;
  establishedAt: number;
  /** Whether it gave way to another link between the same routers. Then it waits for the end of that one. */
  isDuplicate: boolean;
  /** Ends the attempt that is under way. */
  stop: () => void;
}

function newLink(peerId: string, address: string): WantedLink {
  const counted = { iteration: 0, failures: 0, establishedAt: 0 };
  return { id: randomId(22), peerId, address, ...counted, isDuplicate: false, stop: () => undefined };
}

/** What the controller learns about a link that this router has dialed. */
type Report = MessageInitShape<typeof RouterLinkSchema>;

/** Milliseconds that a link must live to be no failure. */
const stableTime = 1_000;

/** The links of a router with others. */
export class Links {
  readonly #options: LinksOptions;
  #listener: LinkListener | null = null;
  readonly #wanted = new Map<string, WantedLink>();
  readonly #links = new Map<string, Link>();
  readonly #reports = new Map<string, Report>();
  #isStopped = false;

  constructor(options: LinksOptions) {
    this.#options = options;
  }

  get all(): readonly Link[] {
    return [...this.#links.values()];
  }

  /** `tls:host:port`. `null`: the router takes no links. */
  get address(): string | null {
    return this.#listener && `tls:${this.#options.host}:${this.#listener.port}`;
  }

  get port(): number | null {
    return this.#listener?.port ?? null;
  }

  async start(): Promise<void> {
    const { identity, host, port } = this.#options;
    if (port === null) return;
    this.#listener = await LinkListener.start({
      ...{ identity: identity(), host, port },
      verify: (routerId, fingerprints) => this.#verify(routerId, fingerprints),
      onLink: (link) => this.#add(link),
      onClosed: (link) => this.#closed(link),
    });
  }

  renew(identity: RouterIdentity): void {
    this.#listener?.renew(identity);
  }

  /** Tells the controller of all links that this router has dialed. */
  report(links: readonly Report[] = [...this.#reports.values()]): void {
    // Those that are not in it are gone, for a controller that knows of this.
    const fullRefresh = this.#options.isVersion2 && links.length === this.#reports.size;
    const body = encode(RouterLinksSchema, { links: [...links], fullRefresh });
    this.#options.control.send({ type: controlTypes.routerLinks, body });
  }

  changed({ id, state, listeners }: PeerStateChange): void {
    if (id === this.#options.identity().id) return;
    if (state === PeerState.REMOVED) this.#forget(id);
    if (state !== PeerState.HEALTHY) return;
    this.#forget(
      id,
      listeners.map(({ address }) => address),
    );
    for (const { address, groups } of listeners) {
      const isKnown = [...this.#wanted.values()].some((one) => one.peerId === id && one.address === address);
      if (isKnown || !groups.some((group) => linkGroups.includes(group))) continue;
      const wanted = newLink(id, address);
      this.#wanted.set(wanted.id, wanted);
      this.#dial(wanted);
    }
  }

  break(id: string): void {
    this.#links.get(id)?.close('the link is broken');
  }

  stop(): void {
    this.#isStopped = true;
    this.#listener?.close();
    for (const { stop } of this.#wanted.values()) stop();
    for (const link of this.all) link.close('the router stopped');
  }

  /** Does not dial the other addresses of a router any more. Links that there are stay until an end closes them. */
  #forget(peerId: string, but: readonly string[] = []): void {
    for (const { id, ...wanted } of [...this.#wanted.values()]) {
      if (wanted.peerId === peerId && !but.includes(wanted.address)) this.#wanted.delete(id);
    }
  }

  #verify(routerId: string, fingerprints: readonly string[]): Promise<boolean> {
    const { control, timings } = this.#options;
    const body = encode(VerifyRouterSchema, { routerId, fingerprints: [...fingerprints] });
    return new Promise((resolve) => {
      control.request({ type: controlTypes.verifyRouter, body }, timings.request, (reply) =>
        resolve(readHeader.boolean(reply?.headers.get(sharedHeaders.isSuccess)) ?? false),
      );
    });
  }

  #dial(wanted: WantedLink): void {
    if (this.#isStopped || !this.#wanted.has(wanted.id)) return;
    const { id, peerId, address } = wanted;
    wanted.iteration += 1;
    wanted.stop = dialLink({
      ...{ identity: this.#options.identity(), address, peerId, id, iteration: wanted.iteration },
      onLink: (link, { local, remote }) => {
        wanted.establishedAt = performance.now();
        const conn = { type: 'link.default', localAddr: local, remoteAddr: remote };
        const connState = { stateIteration: 1, conns: [conn] };
        const { iteration } = link;
        const report = { id, destRouterId: peerId, linkProtocol: 'tls', dialAddress: address, iteration, connState };
        this.#reports.set(id, report);
        this.report([report]);
        return this.#add(link);
      },
      onClosed: (link) => {
        if (link) this.#closed(link);
        // The other router may have closed it at once.
        if (link && performance.now() - wanted.establishedAt > stableTime) wanted.failures = 0;
        this.#dialLater(wanted);
      },
    });
  }

  #dialLater(wanted: WantedLink): void {
    if (wanted.isDuplicate) return;
    const { timers, timings } = this.#options;
    const delay = Math.min(timings.longestReconnect, timings.reconnect * 2 ** wanted.failures);
    wanted.failures = Math.min(wanted.failures + 1, 16);
    timers.after(delay, () => this.#dial(wanted));
  }

  /** Of two links between the same routers, the one stays that the router with the smaller id has dialed. The other router closes its own. */
  #add(link: Link): (frame: Frame) => void {
    this.#links.set(link.id, link);
    this.#options.circuits.addLink(link.id, link);
    const same = this.all.filter(({ peerId }) => peerId === link.peerId);
    const own = same.find(({ isDialed }) => isDialed);
    if (own && same.length > 1 && link.peerId < this.#options.identity().id) this.#duplicate(own);
    return (frame) => {
      const { circuitId, item } = readItem(frame);
      this.#options.circuits.forward(circuitId, link.id, item);
    };
  }

  #duplicate(link: Link): void {
    const wanted = this.#wanted.get(link.id);
    if (wanted) wanted.isDuplicate = true;
    this.#remove(link);
    this.#fault(FaultSubject.LINK_DUPLICATE, link);
    link.close('there is another link between the same routers');
  }

  #closed(link: Link): void {
    if (this.#links.get(link.id) !== link) return;
    this.#remove(link);
    if (this.#isStopped) return;
    this.#fault(FaultSubject.LINK, link);
    for (const wanted of this.#wanted.values()) {
      if (!wanted.isDuplicate || wanted.peerId !== link.peerId) continue;
      wanted.isDuplicate = false;
      this.#dialLater(wanted);
    }
  }

  #remove(link: Link): void {
    this.#links.delete(link.id);
    this.#reports.delete(link.id);
    this.#options.circuits.removeLink(link.id);
  }

  #fault(subject: FaultSubject, { id, iteration }: Link): void {
    const body = encode(FaultSchema, { subject, id, iteration });
    this.#options.control.send({ type: controlTypes.fault, body });
  }
}
