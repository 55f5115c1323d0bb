import type { Settings } from '../core/config/schema.ts';
import type { EventBus } from '../core/events/bus.ts';
import type { Logger } from '../core/log/log.ts';
import type { Meter } from '../core/meter.ts';
import { joinMeters } from '../core/meter.ts';
import { build } from '../documents/info/version.ts';
import type { Metrics } from './metrics/create-metrics.ts';
import type { Traces } from './traces/traces.ts';

/** What watches the controller, as far as the settings ask for it. `null` costs nothing. */
export interface Telemetry {
  readonly metrics: Metrics | null;
  readonly traces: Traces | null;
  /** Measures for both. */
  readonly meter: Meter | null;
}

/** Their libraries are loaded only when they are used. */
export async function openTelemetry(
  { operationsBind, tracesUrl: url, tracesRatio: ratio }: Settings,
  { events, log }: { readonly events: EventBus; readonly log: Logger },
): Promise<Telemetry> {
  const [metrics, traces] = await Promise.all([
    operationsBind === null
      ? null
      : import('./metrics/create-metrics.ts').then((loaded) => loaded.createMetrics(events)),
    url === null
      ? null
      : import('./traces/open-traces.ts').then((loaded) =>
          loaded.openTraces({ url, ratio, version: build.version, log }),
        ),
  ]);
  const meters = [traces, metrics].flatMap((part) => (part ? [part.meter] : []));
  return { metrics, traces, meter: joinMeters(meters) };
}
