import { join } from 'node:path';
import type { Executable } from '../../../packages/server/test/support/executable.ts';
import { runExecutable } from '../../../packages/server/test/support/executable.ts';

interface ControllerProcessOptions {
  readonly dataDir: string;
  readonly port: number;
  readonly routersPort: number;
  readonly env?: Readonly<Record<string, string>>;
}

export const adminCredentials = { username: 'admin', password: 'correct horse battery' };

const running = new Set<Executable>();
process.on('exit', () => {
  for (const { process: child } of running) child.kill('SIGKILL');
});

/** A controller as a process of its own, which can be killed and started again with the same data and ports. */
export class ControllerProcess implements AsyncDisposable {
  readonly url: string;
  readonly caFile: string;
  /** `host:port` of the channel of routers. */
  readonly routersAddress: string;
  #executable: Executable | undefined;
  readonly #env: Readonly<Record<string, string>>;

  constructor({ dataDir, port, routersPort, env }: ControllerProcessOptions) {
    this.url = `https://127.0.0.1:${port}`;
    this.caFile = join(dataDir, 'pki', 'ca.pem');
    this.routersAddress = `127.0.0.1:${routersPort}`;
    this.#env = {
      EDGE_API_ADDRESS: `127.0.0.1:${port}`,
      EDGE_PORT: String(port),
      EDGE_ROUTERS_BIND: this.routersAddress,
      EDGE_DATA_DIR: dataDir,
      EDGE_ADMIN_USERNAME: adminCredentials.username,
      EDGE_ADMIN_PASSWORD: adminCredentials.password,
      // The clients of the open-source network send their own header.
      EDGE_SESSION_HEADERS: 'svc-session,zt-session',
      EDGE_SIGN_IN_RATE: '0',
      EDGE_LOG_LEVEL: 'debug',
      ...env,
    };
  }

  /** Resolves when it serves. */
  async start(): Promise<void> {
    this.#executable = runExecutable([], this.#env);
    running.add(this.#executable);
    await this.#executable.ready;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const executable = this.#executable;
    if (!executable) return;
    executable.process.kill(signal);
    await executable.exited;
    running.delete(executable);
  }

  get log(): string {
    return `${this.#executable?.stdout() ?? ''}${this.#executable?.stderr() ?? ''}`;
  }

  async [Symbol.asyncDispose]() {
    await this.stop('SIGKILL');
  }
}
