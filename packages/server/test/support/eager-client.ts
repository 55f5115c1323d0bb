// A client in a thread of its own. It sends each request of a connection as soon as it has the response before.
import { connect } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';

interface Work {
  readonly port: number;
  readonly ca: string;
  readonly request: string;
  readonly connections: number;
  /** On each connection. */
  readonly requests: number;
}

const { port, ca, request, connections, requests } = workerData as Work;

async function send(): Promise<number> {
  let responses = 0;
  const socket = connect({ host: 'localhost', port, ca }, () => socket.write(request));
  for await (const chunk of socket.setEncoding('utf8')) {
    // The end of an envelope.
    if (!chunk.endsWith('}\n')) continue;
    responses += 1;
    if (responses === requests) break;
    socket.write(request);
  }
  return responses;
}

const responses = await Promise.all(Array.from({ length: connections }, send));
parentPort?.postMessage(responses.reduce((sum, count) => sum + count));
