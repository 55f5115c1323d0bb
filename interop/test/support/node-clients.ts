import { createHash, randomBytes } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BindOptions, EdgeConnection, NodeEdgeClient, ServiceBinding } from '@edge-controller/sdk/node';
import { createEdgeClient, mtls } from '@edge-controller/sdk/node';
import type { NetworkIdentity } from './network.ts';

const chunkBytes = 30_000;

/** A client of our SDK that has signed in with its certificate. */
export async function nodeClient({ file }: NetworkIdentity, url: string): Promise<NodeEdgeClient> {
  const edge: NodeEdgeClient = createEdgeClient(url, {
    fetch: mtls(file),
    reauthenticate: () => edge.signIn.certificate(),
  });
  await edge.signIn.certificate();
  return edge;
}

/** Hosts a service, and sends back what comes, until the bind ends. */
export async function nodeHost(
  edge: NodeEdgeClient,
  service: string,
  options: BindOptions = {},
): Promise<ServiceBinding> {
  const binding = await edge.bind(service, options);
  void echo(binding);
  return binding;
}

async function echo(binding: ServiceBinding): Promise<void> {
  try {
    for await (const connection of binding) pipeline(connection, connection).catch(() => undefined);
  } catch {
    // The test has ended.
  }
}

/** Sends random bytes, then the end, and compares what comes back until the other end's end. Returns megabytes per second. */
export async function transfer(connection: EdgeConnection, bytes: number): Promise<number> {
  const [sent, received] = [createHash('sha256'), createHash('sha256')];
  let count = 0;
  const startedAt = performance.now();
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      count += chunk.length;
      received.update(chunk);
      done();
    },
  });
  const source = Readable.from(
    randomChunks(bytes, (chunk) => sent.update(chunk)),
    { objectMode: false },
  );
  await Promise.all([pipeline(source, connection), pipeline(connection, sink)]);
  if (count !== bytes) throw new Error(`${count} of ${bytes} bytes came back`);
  if (sent.digest('hex') !== received.digest('hex')) throw new Error('other bytes came back');
  return bytes / 1e3 / (performance.now() - startedAt);
}

/**
 * Sends random bytes, then the end, and compares what comes back until the other end closes the connection. The C SDK and
 * tunnelers close without an end of their data.
 */
export async function transferUntilClosed(connection: EdgeConnection, bytes: number): Promise<void> {
  const data = randomBytes(bytes);
  const received: Buffer[] = [];
  connection.on('data', (chunk: Buffer) => received.push(chunk)).end(data);
  connection.on('error', () => undefined);
  await new Promise((resolve) => connection.once('close', resolve));
  if (!Buffer.concat(received).equals(data)) throw new Error('other bytes came back');
}

function* randomChunks(bytes: number, seen: (chunk: Buffer) => void): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= chunkBytes) {
    const chunk = randomBytes(Math.min(left, chunkBytes));
    seen(chunk);
    yield chunk;
  }
}
