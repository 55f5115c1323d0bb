import type { EdgeConnection, NodeEdgeClient } from '@edge-controller/sdk/node';
import type { Network, NetworkIdentity, ServiceIds } from './network.ts';
import { nodeClient, nodeHost } from './node-clients.ts';

const connectionsEach = 10;
const pulse = Buffer.alloc(100);
/** Milliseconds. */
const pulsePause = 100;

/** Somebody with open connections to a service of their own. What gives them the right belongs to nobody else. */
export class Member {
  readonly name: string;
  identity!: NetworkIdentity;
  service!: ServiceIds;
  /** The connections that are open. */
  readonly open = new Set<EdgeConnection>();
  /** When connections have ended, as `performance.now()`. */
  readonly ends: number[] = [];
  readonly #network: Network;
  readonly #host: NodeEdgeClient;
  readonly #routerRole: string;
  #edge: NodeEdgeClient | undefined;
  #binding: AsyncDisposable | undefined;
  #error: unknown;

  constructor(network: Network, host: NodeEdgeClient, { name, routerRole }: { name: string; routerRole: string }) {
    this.#network = network;
    this.#host = host;
    this.name = name;
    this.#routerRole = routerRole;
  }

  /** The role attributes of the identity. The first one gives the right to dial. */
  get roleAttributes(): string[] {
    return [`callers of ${this.name}`, this.#routerRole];
  }

  async addIdentity(): Promise<void> {
    this.#edge?.dispose();
    this.identity = await this.#network.addIdentity(this.name, this.roleAttributes);
    this.#edge = await nodeClient(this.identity, this.#network.controller.url);
  }

  /** Adds the service, and the host offers it. */
  async addService(): Promise<void> {
    await this.#binding?.[Symbol.asyncDispose]();
    const attributes = { callers: `callers of ${this.name}`, hosts: 'hosts' };
    this.service = await this.#network.addService(this.name, { attributes });
    this.#binding = await nodeHost(this.#host, this.name);
  }

  /** Opens all connections. The host may need a moment when its router was away. */
  async connect(timeout: number): Promise<void> {
    const end = performance.now() + timeout;
    // A client gives up when its sign-in was refused.
    if (this.#edge?.state !== 'active') await this.#edge?.signIn.certificate();
    while (this.open.size < connectionsEach) {
      const connection = await this.dial();
      if (connection) this.#keep(connection);
      else if (performance.now() > end) throw new Error(`${this.name} cannot connect any more`, { cause: this.#error });
    }
  }

  /** `null`: it may not, or cannot. */
  async dial(): Promise<EdgeConnection | null> {
    try {
      return (await this.#edge?.dial(this.name)) ?? null;
    } catch (error) {
      this.#error = error;
      return null;
    }
  }

  async close(): Promise<void> {
    for (const connection of [...this.open]) connection.destroy();
    this.#edge?.dispose();
    await this.#binding?.[Symbol.asyncDispose]();
  }

  #keep(connection: EdgeConnection): void {
    this.open.add(connection);
    const timer = setInterval(() => connection.write(pulse), pulsePause);
    connection.on('data', () => undefined);
    connection.on('error', () => undefined);
    connection.on('close', () => {
      clearInterval(timer);
      this.open.delete(connection);
      this.ends.push(performance.now());
    });
  }
}
