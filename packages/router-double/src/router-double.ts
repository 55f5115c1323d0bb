import { setImmediate } from 'node:timers';
import { encode, PublicKeySchema } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { frameHead } from '@edge-controller/shared-types/channel';
import type { Message } from './channel/messages.ts';
import { frameOf } from './channel/messages.ts';
import { createControlHandlers } from './control/control-handlers.ts';
import type { ControlParts } from './control/control-parts.ts';
import { subscribe } from './control/data-model.ts';
import { extendCertificates } from './control/extend-certificates.ts';
import type { Welcome } from './control/hello.ts';
import { reportApiSessions, reportConnections, reportInterfaces, validateSessions } from './control/reports.ts';
import type { SeenFrame } from './frame-log.ts';
import { FrameLog } from './frame-log.ts';
import type { RouterDoubleOptions, SavedDataModel } from './options.ts';
import type { RouterIdentity } from './router-identity.ts';
import { startRouterParts } from './router-parts.ts';
import type { RouterState } from './router-state.ts';
import { stateOf } from './router-state.ts';
import { RouterCrash } from './sessions/sync-state.ts';

/**
 * A router in this process, for tests. It has the router's side of the control channel, of the channel for applications, and of links
 * with other doubles, and does what a real router of version 1.7 or 2.1 does, as far as a controller or an application can see. `raw`,
 * `rawBytes` and the option `hello` make it misbehave.
 *
 * @example
 * const identity = await enrollRouter({ jwt });
 * await using router = await RouterDouble.start({ identity, controllers: ['127.0.0.1:6262'] });
 * await router.whenOnline();
 * console.log(router.url, router.state);
 */
export class RouterDouble implements AsyncDisposable {
  readonly #log = new FrameLog();
  #identity: RouterIdentity;
  #parts!: ControlParts;
  #handlers: ReturnType<typeof createControlHandlers> = {};
  #isSynced = false;
  #isStopped = false;
  #crash: Error | null = null;
  #waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #ofConnection: (() => void)[] = [];
  readonly #changed = new Set<string>();

  private constructor(identity: RouterIdentity) {
    this.#identity = identity;
  }

  /**
   * Starts a router that has enrolled. Resolves when it listens; it connects to the controller then.
   *
   * @throws Error when a port is in use, or the certificates are none
   * @example
   * await using router = await RouterDouble.start({ identity: await enrollRouter({ jwt }) });
   * await router.whenOnline();
   */
  static async start(options: RouterDoubleOptions): Promise<RouterDouble> {
    const router = new RouterDouble(options.identity);
    const parts = await startRouterParts(
      options,
      {
        identity: () => router.#identity,
        onOpen: (welcome, isFirst) => router.#opened(welcome, isFirst),
        onClose: () => router.#closed(),
        onControlFrame: (frame) => router.#take(frame),
        onSynced: () => router.#synced(),
        onApplication: (identityId) => router.#changed.add(identityId),
      },
      router.#log,
    );
    router.#run(parts);
    return router;
  }

  get id(): string {
    return this.#identity.id;
  }

  /** With the certificates of the last renewal. */
  get identity(): RouterIdentity {
    return this.#identity;
  }

  /** Where applications connect to: `tls://host:port`. */
  get url(): string {
    return `tls://${this.#parts.host}:${this.port}`;
  }

  /** `null`: the router takes no links. */
  get linkPort(): number | null {
    return this.#parts.links.port;
  }

  get port(): number {
    return this.#parts.edge.port;
  }

  /** Whether a controller has accepted the hello, and the connection lives. */
  get isConnected(): boolean {
    return this.#parts.control.isOpen;
  }

  /** Whether the router has besides what it needs for applications: all API sessions, and the keys of session tokens. */
  get isOnline(): boolean {
    const { keys, dataModel } = this.#parts;
    return this.isConnected && this.#isSynced && (keys.ids.length > 0 || !dataModel.isSubscribed);
  }

  /** What a real router keeps in a file when it stops. */
  get dataModel(): SavedDataModel {
    const { keys, dataModel } = this.#parts;
    return {
      index: dataModel.index,
      timelineId: dataModel.timelineId,
      keys: keys.all.map((key) => encode(PublicKeySchema, key)),
    };
  }

  /** Why it stopped, when the controller sent something that ends the process of a real router. */
  get crash(): Error | null {
    return this.#crash;
  }

  /** What the router stores at the moment. */
  get state(): RouterState {
    return stateOf(this.#parts);
  }

  /** @throws Error when it is not online in this time, has crashed or was stopped */
  whenOnline(timeout = 10_000): Promise<void> {
    if (this.isOnline) return Promise.resolve();
    if (this.#isStopped) return Promise.reject(this.#crash ?? new Error('the router was stopped'));
    return new Promise((resolve, reject) => {
      const cancel = this.#parts.timers.after(timeout, () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting);
        reject(new Error(`the router was not online after ${timeout} ms`));
      });
      const waiting = {
        resolve: () => {
          cancel();
          resolve();
        },
        reject,
      };
      this.#waiting.push(waiting);
    });
  }

  /** Shows each frame to the listener. Returns a function that ends it. */
  observe(listener: (seen: SeenFrame) => void): () => void {
    return this.#log.on(listener);
  }

  /**
   * Resolves to the next frame of this type that the controller sends.
   *
   * @throws Error when none comes in this time
   */
  next(type: number, timeout = 10_000): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const end = this.observe(({ channel, direction, frame }) => {
        if (channel !== 'control' || direction !== 'received' || frame.type !== type) return;
        end();
        cancel();
        resolve(frame);
      });
      const cancel = this.#parts.timers.after(timeout, () => {
        end();
        reject(new Error(`no frame of type ${type} came in ${timeout} ms`));
      });
    });
  }

  /** Sends a frame to the controller as it is. Without a sequence it gets the next one. Returns whether the controller keeps up. */
  raw({ sequence, ...message }: Message & { readonly sequence?: number }): boolean {
    const frame = frameOf(message, sequence ?? this.#parts.control.nextSequence());
    this.#log.add({ channel: 'control', direction: 'sent', frame });
    return this.rawBytes(Buffer.concat([frameHead(frame), frame.body]));
  }

  /** Sends bytes to the controller, also before it has answered the hello. Returns whether the controller keeps up. */
  rawBytes(bytes: Uint8Array): boolean {
    return this.#parts.control.write(bytes);
  }

  /** Loses the connection to the controller. The router connects again by itself. */
  disconnect(): void {
    this.#parts.control.disconnect();
  }

  /** Loses a link, which is made again by itself. */
  breakLink(id: string): void {
    this.#parts.links.break(id);
  }

  /** Tells the controller now which API sessions are connected. */
  sendApiSessionHeartbeat(): void {
    reportApiSessions(this.#parts);
  }

  /**
   * Renews both certificates over the control channel.
   *
   * @param names DNS names and IP addresses of the listeners
   * @throws Error when the controller does not confirm them
   */
  async extendCertificates(names: readonly string[] = ['localhost', '127.0.0.1']): Promise<RouterIdentity> {
    const { control, edge, links } = this.#parts;
    const next = (type: number) => this.next(type);
    this.#identity = await extendCertificates({ control, identity: this.#identity, names, next });
    edge.renew(this.#identity);
    links.renew(this.#identity);
    return this.#identity;
  }

  /** Ends the connections of applications, reports to the controller which terminators are gone, and stops. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    const { edge, control } = this.#parts;
    await edge.close();
    // The terminators that have ended are reported together, a turn later.
    await new Promise((resolve) => setImmediate(resolve));
    await control.flushed();
    this.kill();
  }

  /** Ends all connections without a word, as the death of a process does. */
  kill(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    const { control, edge, links, apiSessions, timers } = this.#parts;
    control.stop();
    void edge.close();
    links.stop();
    apiSessions.clear();
    timers.clear();
    for (const { reject } of this.#waiting.splice(0)) reject(this.#crash ?? new Error('the router was stopped'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #run(parts: ControlParts): void {
    const { timers, timings, control } = parts;
    this.#parts = parts;
    this.#handlers = createControlHandlers(parts);
    timers.every(timings.apiSessionHeartbeat, () => this.isConnected && reportApiSessions(parts));
    timers.every(timings.subscription, () => parts.dataModel.isSubscribed && subscribe(parts, { renew: true }));
    timers.every(timings.connectEvents, () => this.#reportChanged());
    timers.after(timings.interfaces, () => reportInterfaces(parts));
    control.connect();
  }

  #opened({ hasDataModel }: Welcome, isFirst: boolean): void {
    const parts = this.#parts;
    const { links, terminators, timings, dataModel } = parts;
    dataModel.isSubscribed = hasDataModel;
    if (isFirst) links.report();
    if (hasDataModel) subscribe(parts, { renew: false });
    this.#later(timings.validate, () => reportConnections(parts, 'all'));
    if (isFirst) {
      this.#later(timings.connectEvents, () => reportConnections(parts, 'all'));
      return;
    }
    reportApiSessions(parts);
    links.report();
    terminators.reconnected();
    this.#later(timings.validate, () => validateSessions(parts));
  }

  #closed(): void {
    this.#isSynced = false;
    this.#parts.apiSessions.abortSync();
    for (const cancel of this.#ofConnection.splice(0)) cancel();
  }

  /** Unless the connection ends before. */
  #later(delay: number, run: () => void): void {
    this.#ofConnection.push(this.#parts.timers.after(delay, run));
  }

  #take(frame: Frame): void {
    try {
      this.#handlers[frame.type]?.(frame);
    } catch (error) {
      if (!(error instanceof RouterCrash)) throw error;
      this.#crash = error;
      this.kill();
    }
    this.#checkOnline();
  }

  #synced(): void {
    this.#isSynced = true;
  }

  #checkOnline(): void {
    if (this.#waiting.length === 0 || !this.isOnline) return;
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  #reportChanged(): void {
    if (this.#changed.size === 0 || !this.isConnected) return;
    reportConnections(this.#parts, [...this.#changed]);
    this.#changed.clear();
  }
}
