import type { IncomingHttpHeaders } from 'node:http';
import type { Meter } from '../../core/meter.ts';

/** The span of a request. */
export interface RequestSpan {
  readonly traceId: string;
  /** Runs the work whose spans are children of this one. */
  run<T>(work: () => T): T;
  /** Ends the span. Nothing of it may be a secret. */
  end(outcome: RequestOutcome): void;
}

export interface RequestOutcome {
  readonly method: string;
  /** With the names of its parameters. `null`: the request has reached no operation. */
  readonly route: string | null;
  /** Id of the operation. */
  readonly operation: string | null;
  readonly status: number;
  /** The code of the error that the client gets, if it gets one. */
  readonly errorCode: string | null;
}

/** The traces of a controller. */
export interface Traces {
  /** Makes a span of each piece of work that belongs to a request. */
  readonly meter: Meter;
  /**
   * Begins the span of a request. Its parent is that in `traceparent` (W3C Trace Context), if there is one. `null`: the request is
   * not traced.
   */
  begin(headers: IncomingHttpHeaders): RequestSpan | null;
  /** Sends what is left, and waits for it for a few seconds at most. */
  close(): Promise<void>;
}
