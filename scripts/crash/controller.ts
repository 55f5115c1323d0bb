import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
const stores = Object.fromEntries(
  ['EDGE_DATABASE_URL', 'EDGE_REDIS_URL'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
);

/** A slow machine may keep a server longer than the controller waits for it. Files are always there. */
const mayBeUnavailable = Object.keys(stores).length > 0;

/** The default administrator of every controller here. */
export const adminCredentials = { username: 'admin', password: 'a password of the admin' };

const settings = {
  EDGE_PORT: '0',
  EDGE_ADMIN_PASSWORD: adminCredentials.password,
  EDGE_LOG_LEVEL: 'error',
  EDGE_SESSION_TIMEOUT: '24h',
  EDGE_SIGN_IN_RATE: '0',
  EDGE_HASH_QUEUE: '1000',
};

/** What a response of the controller has that is read here. Most of `data` depends on the operation. */
export interface CrashResponse<Data = unknown> {
  readonly status: number;
  readonly text: string;
  readonly data: Data;
  readonly error?: { readonly code: string; readonly cause?: { readonly field?: string } };
}

export interface SendOptions {
  readonly token?: string | undefined;
  readonly body?: object;
}

/** Sends a request, which must have one of the statuses `expected`. */
export type Send = <Data>(
  expected: readonly number[],
  method: string,
  path: string,
  options?: SendOptions,
) => Promise<CrashResponse<Data>>;

/** Notes a fault. */
export type Fault = (text: string) => void;

interface ControllerOptions {
  readonly dataDir: string;
  readonly fault: Fault;
  readonly onUnavailable: () => void;
  readonly onLog: (chunk: Buffer) => void;
}

/** What ends a request and all that would follow it: the kill, or a fault that is noted already. */
export class Ended extends Error {}

/** The controller could not reach a store in time, so it does not say whether it has done anything. */
export class Unanswered extends Ended {}

const retryDelay = 200;
const maxTries = 100;

/** A controller that runs as a process of its own. Whatever goes wrong before the kill is a fault. */
export class CrashController {
  readonly #options: ControllerOptions;
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #exited: Promise<void>;
  readonly #listening: Promise<string>;
  #isKilled = false;

  constructor(options: ControllerOptions) {
    const { dataDir, fault, onLog } = options;
    this.#options = options;
    this.#child = spawn(process.execPath, ['--conditions=source', '--no-warnings', main], {
      env: { ...stores, ...settings, PATH: process.env.PATH, EDGE_DATA_DIR: dataDir },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stderr.on('data', onLog);
    this.#exited = once(this.#child, 'exit').then(([code, signal]) => {
      if (!this.#isKilled) fault(`the controller ended by itself with ${code ?? signal}`);
    });
    this.#listening = this.#readUrl();
    this.#listening.catch(() => undefined);
  }

  isKilled(): boolean {
    return this.#isKilled;
  }

  /** Ends the process at once. Resolves when it is gone. */
  async kill(): Promise<void> {
    this.#isKilled = true;
    this.#child.kill('SIGKILL');
    await this.#exited;
  }

  /**
   * Waits until the controller serves. Returns the function that sends a request and returns the response. It throws
   * `Ended` when the controller was killed, and notes a fault when the status is none of `expected`.
   */
  async connect(): Promise<Send> {
    const url = await this.#listening;
    const ca = readFileSync(join(this.#options.dataDir, 'pki', 'ca.pem'));
    // Closes idle connections long before the controller does: a request on a closed connection would be a fault.
    const agent = new Agent({ ca, keepAlive: true, maxSockets: 64, timeout: 1_000 });
    this.#exited.then(() => agent.destroy());
    return (expected, method, path, options) =>
      this.#send(expected, { method, agent, url: `${url}${path}`, ...options });
  }

  #readUrl(): Promise<string> {
    return new Promise((resolve, reject) => {
      let out = '';
      this.#child.stdout.on('data', (chunk: Buffer) => {
        out += chunk;
        const [, url] = /listening on (https:\S+)/.exec(out) ?? [];
        if (url) resolve(url);
      });
      this.#exited.then(() => reject(new Ended('the controller ended')));
    });
  }

  async #send<Data>(expected: readonly number[], sent: Exchange, tries = 1): Promise<CrashResponse<Data>> {
    const { fault, onUnavailable } = this.#options;
    const { method } = sent;
    const { pathname, search } = new URL(sent.url);
    const path = `${pathname}${search}`;
    if (this.#isKilled) throw new Ended('the controller was killed');
    const response = await exchange<Data>(sent).catch((error) => {
      if (!this.#isKilled) fault(`${method} ${path}: ${error.message}`);
      throw new Ended('no response');
    });
    if (expected.includes(response.status)) return response;
    if (mayBeUnavailable && response.error?.code === 'STORE_UNAVAILABLE' && tries < maxTries) {
      onUnavailable();
      if (method !== 'GET' && !path.includes('/authenticate?')) throw new Unanswered('a store was too slow');
      await new Promise((resolve) => setTimeout(resolve, retryDelay));
      return this.#send(expected, sent, tries + 1);
    }
    fault(`${method} ${path}: status ${response.status} instead of ${expected.join(' or ')}, ${response.text}`);
    throw new Ended('an unexpected status');
  }
}

interface Exchange extends SendOptions {
  readonly method: string;
  readonly agent: Agent;
  readonly url: string;
}

function exchange<Data>({ method, agent, url, token, body }: Exchange): Promise<CrashResponse<Data>> {
  return new Promise((resolve, reject) => {
    const payload = body && JSON.stringify(body);
    const headers = {
      ...(payload && { 'content-type': 'application/json' }),
      ...(token && { 'svc-session': token }),
    };
    const outgoing = request(url, { method, agent, headers }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += chunk));
      incoming.on('end', () => {
        try {
          resolve({ status: incoming.statusCode, text, ...JSON.parse(text) });
        } catch (error) {
          reject(error);
        }
      });
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(payload);
  });
}
