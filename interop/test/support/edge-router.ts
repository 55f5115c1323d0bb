import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { programs } from './built.ts';
import { Program } from './program.ts';

interface EdgeRouterOptions {
  readonly directory: string;
  readonly name: string;
  readonly id: string;
  /** `host:port` of the controller's channel of routers. */
  readonly controller: string;
  readonly edgePort: number;
  readonly linkPort: number;
}

/** A real router, with its configuration and certificates in a directory of its own. */
export class EdgeRouter implements AsyncDisposable {
  readonly id: string;
  readonly name: string;
  /** Where clients connect. */
  readonly edgePort: number;
  #program: Program | undefined;
  readonly #directory: string;
  readonly #configFile: string;

  constructor({ directory, name, id, controller, edgePort, linkPort }: EdgeRouterOptions) {
    this.id = id;
    this.name = name;
    this.edgePort = edgePort;
    this.#directory = join(directory, name);
    mkdirSync(this.#directory);
    this.#configFile = join(this.#directory, 'router.yml');
    const config = routerConfig({ directory: this.#directory, controller, edgePort, linkPort });
    writeFileSync(this.#configFile, stringify(config));
  }

  /** Gets the certificates. The key is P-256 (`EC`) or RSA with 4,096 bits, which takes seconds. */
  async enroll(jwt: string, keyType: 'EC' | 'RSA' = 'EC'): Promise<void> {
    const jwtFile = join(this.#directory, 'router.jwt');
    writeFileSync(jwtFile, jwt);
    await using enrollment = new Program(programs.ziti, [
      ...['router', 'enroll', this.#configFile, '--jwt', jwtFile, '--keyAlg', keyType],
    ]);
    if ((await enrollment.ended) !== 0) throw new Error(`the router cannot enroll\n${enrollment}`);
  }

  /** Starts it, with more arguments of `ziti router run`. It connects some moments later. */
  start(...args: readonly string[]): void {
    this.#program = new Program(programs.ziti, ['router', 'run', this.#configFile, ...args]);
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#program?.stop(signal);
  }

  get log(): string {
    return this.#program?.log ?? '';
  }

  async [Symbol.asyncDispose]() {
    await this.stop('SIGKILL');
  }
}

interface RouterConfig {
  readonly directory: string;
  readonly controller: string;
  readonly edgePort: number;
  readonly linkPort: number;
}

function routerConfig({ directory, controller, edgePort, linkPort }: RouterConfig) {
  const file = (name: string) => join(directory, name);
  const transport = { binding: 'transport' };
  const link = `tls:127.0.0.1:${linkPort}`;
  const subject = { country: 'US', province: 'NC', locality: 'Charlotte', organization: 'edge' };
  return {
    v: 3,
    identity: {
      cert: file('client.pem'),
      server_cert: file('server.pem'),
      key: file('router.key'),
      ca: file('ca.pem'),
    },
    ctrl: { endpoint: `tls:${controller}`, endpointsFile: file('endpoints') },
    link: { dialers: [transport], listeners: [{ ...transport, bind: link, advertise: link }] },
    edge: {
      // The shortest that a router accepts.
      heartbeatIntervalSeconds: 10,
      db: file('model.gz'),
      csr: { ...subject, organizationalUnit: 'routers', sans: { dns: ['localhost'], ip: ['127.0.0.1'] } },
    },
    dialers: [transport],
    listeners: [
      { binding: 'edge', address: `tls:127.0.0.1:${edgePort}`, options: { advertise: `127.0.0.1:${edgePort}` } },
    ],
    // Milliseconds, as integers.
    forwarder: { idleTxInterval: 10_000, idleCircuitTimeout: 10_000 },
  };
}
