import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

export interface TraceCollector extends AsyncDisposable {
  /** Where traces are sent to. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** All that was received. */
  readonly text: string;
  /** The name of the service that has sent the last spans. */
  readonly service: string;
}

interface Wire {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}
interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}
interface WireSpan extends Omit<CollectedSpan, 'attributes' | 'failed'> {
  readonly attributes: readonly KeyValue[];
  readonly status: { readonly code?: number };
}

/** A collector of OpenTelemetry: takes OTLP over HTTP, in JSON. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  let text = '';
  let service = '';
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    text += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as Wire).resourceSpans) {
      service = String(attributesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
        spans.push({ ...span, attributes: attributesOf(span.attributes), failed: span.status.code === 2 });
      }
    }
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    get text() {
      return text;
    },
    get service() {
      return service;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function attributesOf(pairs: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
