import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes, serviceNameEnvDetector } from '@opentelemetry/resources';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from '../../core/log/log.ts';
import type { Measure, MeasuredWork, Meter, RunStatement, WorkKind } from '../../core/meter.ts';
import type { RequestOutcome, RequestSpan, Traces } from './traces.ts';

interface Options {
  /** Where spans are sent to, with OTLP over HTTP. */
  readonly url: string;
  /** The share of the traces that is kept, from 0 to 1. */
  readonly ratio: number;
  /** Of the running program. */
  readonly version: string;
  readonly log: Logger;
}

/** Milliseconds. */
const exportTimeout = 3_000;
const closeTimeout = 4_000;
/** Characters of the text of a statement. */
const maxText = 1_000;

/**
 * Begins to trace. Nothing global is set, so that the tracer of an embedder stays as it is. Spans wait in a queue of 2,048; what
 * does not fit is dropped.
 */
export function openTraces({ url, ratio, version, log }: Options): Traces {
  // A client decides whether a trace is kept, but not that more are kept than an operator wants.
  const remoteParentSampled = new TraceIdRatioBasedSampler(ratio);
  const exporter = logFailures(new OTLPTraceExporter({ url, timeoutMillis: exportTimeout }), log);
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler(), remoteParentSampled }),
    resource: resourceFromAttributes({ 'service.name': 'edge-controller', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector, serviceNameEnvDetector] }),
    ),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return new OpenTelemetryTraces(provider, { version, ratio });
}

class OpenTelemetryTraces implements Traces {
  readonly meter: Meter;
  readonly #provider: TracerProvider;
  readonly #ratio: number;
  readonly #tracer: ReturnType<TracerProvider['getTracer']>;
  readonly #propagator = new W3CTraceContextPropagator();
  /** The span of the work that runs, in the contexts of OpenTelemetry. */
  readonly #active = new AsyncLocalStorage<Context>();

  constructor(provider: TracerProvider, { version, ratio }: Pick<Options, 'version' | 'ratio'>) {
    this.#provider = provider;
    this.#ratio = ratio;
    this.#tracer = provider.getTracer('edge-controller', version);
    this.meter = {
      measure: (work) => this.#measure(work),
      statements: (system) => (statement) => this.#recordStatement(system, statement),
      counter: () => () => undefined,
      outgoingHeaders: () => this.#outgoingHeaders(),
    };
  }

  begin(headers: IncomingHttpHeaders): RequestSpan | null {
    const hasParent = headers.traceparent !== undefined;
    const parent = hasParent ? this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter) : ROOT_CONTEXT;
    // The sampler decides only about traces that others have begun: to ask it costs as much as a span.
    if (parent === ROOT_CONTEXT && Math.random() >= this.#ratio) return null;
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
    if (!span.isRecording()) return null;
    const context = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      run: (work) => this.#active.run(context, work),
      end: (outcome) => endRequest(span, outcome),
    };
  }

  async close(): Promise<void> {
    await Promise.race([this.#provider.shutdown().catch(() => undefined), sleep(closeTimeout, null, { ref: false })]);
  }

  #measure({ kind, labels }: MeasuredWork): Measure {
    const name = nameOf(kind, labels);
    const options = { kind: kinds[kind], attributes: attributesOf(labels) };
    return (work) => {
      const parent = this.#active.getStore();
      return parent ? this.#inSpan(this.#tracer.startSpan(name, options, parent), { parent, work }) : work();
    };
  }

  async #inSpan<T>(span: Span, { parent, work }: { parent: Context; work: () => Promise<T> }): Promise<T> {
    try {
      return await this.#active.run(trace.setSpan(parent, span), work);
    } catch (error) {
      fail(span, error);
      throw error;
    } finally {
      span.end();
    }
  }

  #recordStatement(system: string, { text, milliseconds, hasFailed }: RunStatement): void {
    const parent = this.#active.getStore();
    if (!parent) return;
    const endedAt = performance.timeOrigin + performance.now();
    const verb = text.slice(0, 6).trim().toUpperCase();
    const attributes = { ...attributesOf({ system, operation: verb }), 'db.query.text': text.slice(0, maxText) };
    const startTime = endedAt - milliseconds;
    const span = this.#tracer.startSpan(verb, { kind: SpanKind.CLIENT, startTime, attributes }, parent);
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  #outgoingHeaders(): Record<string, string> {
    const headers: Record<string, string> = {};
    this.#propagator.inject(this.#active.getStore() ?? ROOT_CONTEXT, headers, defaultTextMapSetter);
    return headers;
  }
}

function endRequest(span: Span, { method, route, operation, status, errorCode }: RequestOutcome): void {
  span.updateName(route === null ? method : `${method} ${route}`);
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    ...(route !== null && { 'http.route': route }),
    ...(operation !== null && { 'edge.operation': operation }),
    ...(errorCode !== null && { 'error.type': errorCode }),
  });
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

const kinds: Readonly<Record<WorkKind, SpanKind>> = {
  store: SpanKind.CLIENT,
  jwks: SpanKind.CLIENT,
  passwordWait: SpanKind.INTERNAL,
  passwordHash: SpanKind.INTERNAL,
};
const names: Readonly<Record<Exclude<WorkKind, 'store'>, string>> = {
  jwks: 'fetch JWKS',
  passwordWait: 'wait for password hash',
  passwordHash: 'hash password',
};

function nameOf(kind: WorkKind, { store, operation }: MeasuredWork['labels']): string {
  return kind === 'store' ? `${store} ${operation}` : names[kind];
}

/** By the semantic conventions for databases. */
function attributesOf({ system, operation }: MeasuredWork['labels']): Attributes {
  return {
    ...(system && { 'db.system.name': system === 'postgres' ? 'postgresql' : system }),
    ...(operation && { 'db.operation.name': operation }),
  };
}

/** Says that work has failed. A text may have values, so only the kind of the error is shown. */
function fail(span: Span, error: unknown): void {
  const { code, name }: NodeJS.ErrnoException = error instanceof Error ? error : new Error('not an error');
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.setAttribute('error.type', typeof code === 'string' ? code : name);
}

/** Logs when spans cannot be sent, and when they can be sent again: once each time. */
function logFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, onResult) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== ExportResultCode.SUCCESS;
        if (hasFailed && !isFailing) log.warn({ reason: result.error?.message }, 'traces cannot be sent');
        if (!hasFailed && isFailing) log.info('traces are sent again');
        isFailing = hasFailed;
        onResult(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
