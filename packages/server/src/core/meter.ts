/** A kind of work of which a controller can say how long it takes. */
export type WorkKind = 'store' | 'jwks' | 'passwordWait' | 'passwordHash';

/** Work that is measured, each time that it is done. */
export interface MeasuredWork {
  readonly kind: WorkKind;
  /** What distinguishes it from other work of its kind: `{ store: 'sessions', system: 'redis', operation: 'touch' }`. Few values. */
  readonly labels: Readonly<Record<string, string>>;
}

/** What is counted and has no duration. */
export type CountKind = 'attempts' | 'endedApiSessions' | 'unknownRouterMessages';

/** Does a piece of work, and records how long it took and whether it failed. */
export type Measure = <T>(work: () => Promise<T>) => Promise<T>;

/** A statement that a database has run. */
export interface RunStatement {
  /** SQL without values: they are parameters. */
  readonly text: string;
  readonly milliseconds: number;
  readonly hasFailed: boolean;
}

/** Measures what the controller does behind a request. */
export interface Meter {
  /** Prepares the measurement of work, once. */
  measure(work: MeasuredWork): Measure;
  /** Returns what observes each statement of a database. */
  statements(system: string): (statement: RunStatement) => void;
  /** Returns what counts something. */
  counter(kind: CountKind, labels: MeasuredWork['labels']): (by: number) => void;
  /** The headers that carry the present trace to another server. */
  outgoingHeaders(): Readonly<Record<string, string>>;
}

/** Measures nothing. */
export const unmeasured: Measure = (work) => work();

/** One meter that passes all work to several. `null`: there are none. */
export function joinMeters(meters: readonly Meter[]): Meter | null {
  const [first, second, ...rest] = meters;
  if (!first || !second) return first ?? null;
  const joined: Meter = {
    measure(work) {
      const [outer, inner] = [first.measure(work), second.measure(work)];
      return (run) => outer(() => inner(run));
    },
    statements(system) {
      const [observe, observeToo] = [first.statements(system), second.statements(system)];
      return (statement) => {
        observe(statement);
        observeToo(statement);
      };
    },
    counter(kind, labels) {
      const [count, countToo] = [first.counter(kind, labels), second.counter(kind, labels)];
      return (by) => {
        count(by);
        countToo(by);
      };
    },
    outgoingHeaders: () => ({ ...first.outgoingHeaders(), ...second.outgoingHeaders() }),
  };
  return joinMeters([joined, ...rest]);
}
