import { createHash, randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { EdgeConnection, NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, mtls } from '@edge-controller/sdk/node';
import type { NetworkIdentity } from './network.ts';

const chunkSize = 30_000;

/** A client of this SDK, signed in with the certificate of an identity. It signs in again when its session has ended. */
export async function nodeClient({ file }: NetworkIdentity, url: string): Promise<NodeEdgeClient> {
  const edge = createEdgeClient(url, { fetch: mtls(file), reauthenticate: () => edge.signIn.certificate() });
  await edge.signIn.certificate();
  return edge;
}

/** Hosts a service, and sends back what comes. */
export async function nodeHost(edge: NodeEdgeClient, service: string): Promise<AsyncDisposable> {
  const binding = await edge.bind(service);
  // Why it ends is not asked here.
  echoAll(binding).catch(() => undefined);
  return binding;
}

async function echoAll(connections: AsyncIterable<EdgeConnection>) {
  for await (const connection of connections) connection.pipe(connection);
}

/** What a connection has carried. */
export interface Transfer {
  readonly bytes: number;
  readonly sentSha256: string;
  readonly receivedSha256: string;
}

/** Dials a service that echoes, sends random bytes, ends its side, and reads until the other end ends. */
export async function nodeTransfer(edge: NodeEdgeClient, service: string, bytes: number): Promise<Transfer> {
  const connection = await edge.dial(service);
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  let count = 0;
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      received.update(chunk);
      count += chunk.length;
      done();
    },
  });
  const source = Readable.from(chunks(bytes, (chunk) => sent.update(chunk)));
  await Promise.all([pipeline(source, connection, { end: true }), pipeline(connection, sink)]);
  return { bytes: count, sentSha256: sent.digest('hex'), receivedSha256: received.digest('hex') };
}

function* chunks(bytes: number, onChunk: (chunk: Buffer) => unknown): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= chunkSize) {
    const chunk = randomBytes(Math.min(left, chunkSize));
    onChunk(chunk);
    yield chunk;
  }
}
