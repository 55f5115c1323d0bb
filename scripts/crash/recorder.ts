import type { Act, Audited } from './audited.ts';
import type { CrashResponse, Fault, Send, SendOptions } from './controller.ts';
import { Ended, Unanswered } from './controller.ts';
import type { History, Writes } from './history.ts';

export interface RecorderOptions {
  readonly send: Send;
  readonly history: History;
  readonly fault: Fault;
  readonly audited: Audited;
  readonly isKilled: () => boolean;
  /** Of the API session of an administrator. */
  readonly token: string;
}

export interface WriteRequest<Data> extends SendOptions {
  readonly expected: number;
  /** The status of a refusal that may happen; then it has written nothing. */
  readonly refused?: number;
  readonly method: string;
  readonly path: string;
  /** The entry that the audit log must have of the act. */
  readonly act?: (data: Data) => Act;
}

/** Sends requests of an administrator, and records in the history what they write and what became of them. */
export class Recorder {
  readonly #audited: Audited;
  readonly #isKilled: () => boolean;
  readonly send: Send;
  readonly history: History;
  readonly fault: Fault;
  readonly token: string;

  constructor({ send, history, fault, audited, isKilled, token }: RecorderOptions) {
    this.#audited = audited;
    this.#isKilled = isKilled;
    this.send = send;
    this.history = history;
    this.fault = fault;
    this.token = token;
  }

  async write<Data>(
    op: string,
    writes: Writes,
    { expected, refused, method, path, act, ...options }: WriteRequest<Data>,
  ): Promise<CrashResponse<Data>> {
    if (this.#isKilled()) throw new Ended('the controller was killed');
    const statuses = refused === undefined ? [expected] : [expected, refused];
    const end = this.history.begin(op, writes);
    const { token } = this;
    const response = await this.send<Data>(statuses, method, path, { token, ...options }).catch((error) => {
      end(this.#isKilled() || error instanceof Unanswered ? 'cut off' : 'failed');
      throw error;
    });
    end(response.status === expected ? 'acknowledged' : 'refused');
    if (act && response.status === expected) this.#audited.acknowledge(act(response.data));
    return response;
  }

  /** Compares a value that was read between `since` and now with the history. */
  check(key: string, value: unknown, since: number): void {
    const found = this.history.check(key, value, since);
    if (found) this.fault(found);
  }

  isLive({ key }: { readonly key: string }): boolean {
    return this.history.last(key) === 'live';
  }
}
