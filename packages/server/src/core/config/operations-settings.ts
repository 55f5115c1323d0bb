import { hour, setting } from './setting.ts';
import { boolean, duration, number, text, url } from './values.ts';

/** The web console, metrics, health and traces, for those who run the controller. */
export const operationsSettings = {
  /** Milliseconds after which a command that has not ended is given up. It does not count for a controller that serves. */
  commandTimeLimit: setting({
    key: 'operations.commandTimeLimit',
    env: 'EDGE_COMMAND_TIME_LIMIT',
    default: hour,
    ...duration(1, 500 * hour, '12h'),
    description:
      'Time after which a command that has not ended is given up, such as a backup. It does not count for `run`.',
  }),
  /** Whether the web console is served below `/console/`. `null`: only by the executable. */
  consoleEnabled: setting<boolean | null>({
    key: 'console.enabled',
    env: 'EDGE_CONSOLE',
    default: null,
    ...boolean,
    description:
      'Whether the web console is served below `/console/`. Default: true for the executable, false for a controller in another program.',
  }),
  /** `host:port` of the operations listener. `null`: there is none, and nothing is counted. */
  operationsBind: setting({
    key: 'operations.bind',
    env: 'EDGE_OPERATIONS_BIND',
    default: null,
    ...text(/^(\[[0-9a-fA-F:]+\]|[0-9A-Za-z.-]+):\d{1,5}$/, 'host:port'),
    description:
      'Address and port of the operations listener, such as `127.0.0.1:9090`: `/metrics`, `/livez`, `/readyz` and `/health-checks`, over plain HTTP and for everybody who can connect. Default: there is none, and nothing is counted. The port 0 is any free one, for tests.',
  }),
  /** Where traces are sent to, with OTLP over HTTP. `null`: nothing is traced. */
  tracesUrl: setting({
    key: 'operations.traces.url',
    env: 'EDGE_TRACES_URL',
    default: null,
    ...url(/^https?$/, 'a URL that begins with http:// or https://'),
    description:
      'Where OpenTelemetry traces are sent to, with OTLP over HTTP, such as `http://localhost:4318/v1/traces`. The variable `OTEL_EXPORTER_OTLP_HEADERS` may have headers for it. Default: nothing is traced.',
  }),
  /** The share of the requests that are traced, from 0 to 1. */
  tracesRatio: setting({
    key: 'operations.traces.ratio',
    env: 'EDGE_TRACES_RATIO',
    default: 1,
    ...number(0, 1),
    description:
      'The share of the requests that are traced, from 0 to 1. A client cannot raise it. A request whose `traceparent` is not sampled is not traced.',
  }),
};
