import type { Registry } from 'prom-client';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { Durations } from './durations.ts';

/** One line of a metric: its labels and its value. */
export type MetricLine<Value = number> = readonly [labels: Readonly<Record<string, string>>, value: Value];

interface Description<Value = number> {
  readonly registry: Registry;
  /** With the unit at its end: `edge_request_duration_seconds`. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  /** The present values. It is asked when somebody reads the metrics. Without a value it returns nothing. */
  readonly lines: () => Iterable<MetricLine<Value>> | Promise<Iterable<MetricLine<Value>>>;
}

// The values are counted elsewhere, in plain numbers. The library would look for labels each time that something happens.

/** A number that only grows. */
export function copiedCounter({ registry, name, help, labels = [], lines }: Description): void {
  const counter: Counter = new Counter({
    ...{ name, help, registers: [registry], labelNames: labels },
    async collect() {
      const found = await lines();
      counter.reset();
      for (const [values, value] of found) counter.inc(values, value);
    },
  });
}

/** A number that grows and falls. */
export function copiedGauge({ registry, name, help, labels = [], lines }: Description): void {
  const gauge: Gauge = new Gauge({
    ...{ name, help, registers: [registry], labelNames: labels },
    async collect() {
      const found = await lines();
      gauge.reset();
      // A gauge without labels would have the value 0.
      if (labels.length === 0) gauge.remove();
      for (const [values, value] of found) gauge.set(values, value);
    },
  });
}

/** Durations in seconds. */
export function copiedHistogram({ registry, name, help, labels = [], lines }: Description<Durations>): void {
  const histogram = new CopiedHistogram({ name, help, labelNames: labels, registers: [] }, lines);
  registry.registerMetric(histogram);
}

/** The library cannot take over buckets, so this one prints them itself. */
class CopiedHistogram extends Histogram {
  readonly #description: { readonly name: string; readonly help: string };
  readonly #lines: Description<Durations>['lines'];

  constructor(options: ConstructorParameters<typeof Histogram>[0], lines: Description<Durations>['lines']) {
    super(options);
    this.#description = options;
    this.#lines = lines;
  }

  override async get() {
    const { name, help } = this.#description;
    const values = Array.from(await this.#lines(), ([labels, durations]) => linesOf(name, labels, durations)).flat();
    return { name, help, values, type: 'histogram', aggregator: 'sum', collect: () => undefined } as unknown as Awaited<
      ReturnType<Histogram['get']>
    >;
  }

  /** The registry calls this instead of `get` when it is there. */
  getForPromString() {
    return this.get();
  }
}

function linesOf(name: string, labels: Readonly<Record<string, string>>, durations: Durations) {
  const { count } = durations;
  return [
    ...durations.cumulative().map(([bound, value]) => ({
      ...{ metricName: `${name}_bucket`, labels: { ...labels, le: String(bound) }, value },
    })),
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: durations.sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
