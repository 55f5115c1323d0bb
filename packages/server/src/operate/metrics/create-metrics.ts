import { collectDefaultMetrics, Registry } from 'prom-client';
import type { EventBus } from '../../core/events/bus.ts';
import type { Meter } from '../../core/meter.ts';
import { countEvents } from './event-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import type { ControllerState } from './state-metrics.ts';
import { showState } from './state-metrics.ts';
import { WorkMetrics } from './work-metrics.ts';

/** The metrics of a controller. */
export interface Metrics {
  readonly requests: RequestMetrics;
  readonly meter: Meter;
  /** Adds what the controller is and has. Called once. */
  show(state: ControllerState): void;
  /** All metrics in the text format of Prometheus. Those who ask at the same time get the same text. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Begins to count. */
export function createMetrics(events: EventBus): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  countEvents(registry, events);
  let reading: Promise<string> | null = null;
  return {
    requests: new RequestMetrics(registry),
    meter: new WorkMetrics(registry),
    show: (state) => showState(registry, state),
    text() {
      reading ??= registry.metrics().finally(() => {
        reading = null;
      });
      return reading;
    },
    contentType: registry.contentType,
  };
}
