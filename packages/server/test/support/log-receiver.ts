import { once } from 'node:events';
import type { IncomingHttpHeaders, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** An entry of the audit log as it was received. */
export interface ReceivedEntry {
  readonly sequence: number;
  readonly hash: string;
  readonly event: string;
}

/** Answers a request instead of taking it. */
export type Misbehave = (response: ServerResponse) => void;

/** A receiver of OTLP logs over HTTP, in JSON. It can fail, and end and begin again at the same port. */
export class LogReceiver implements AsyncDisposable {
  /** Of the requests that were taken, in their order. */
  readonly entries: ReceivedEntry[] = [];
  readonly sizes: number[] = [];
  text = '';
  requests = 0;
  /** Requests that were taken, and answered. */
  answered = 0;
  headers: IncomingHttpHeaders = {};
  /** `null`: takes everything. */
  misbehave: Misbehave | null = null;
  /** Milliseconds until it answers what it has taken. */
  delay = 0;
  #server: Server | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/v1/logs`;
  }

  async start(): Promise<this> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      this.requests += 1;
      this.headers = request.headers;
      if (this.misbehave) return this.misbehave(response);
      this.text += body;
      const records = JSON.parse(body).resourceLogs[0].scopeLogs[0].logRecords;
      this.sizes.push(records.length);
      for (const record of records) this.entries.push(JSON.parse(record.body.stringValue));
      if (this.delay > 0) await sleep(this.delay);
      response.setHeader('content-type', 'application/json').end('{}', () => {
        this.answered += 1;
      });
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = null;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
