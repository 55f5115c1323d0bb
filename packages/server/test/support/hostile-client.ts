// A client that means harm, as a process of its own: node hostile-client.ts <kind> <url> <ca file> [session token]
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';

// Its standard input ends with the test, whatever becomes of that.
process.stdin.resume().once('end', () => process.exit());

const [kind = '', url = '', caFile = '', token = ''] = process.argv.slice(2);
const ca = readFileSync(caFile, 'utf8');
const { hostname, port } = new URL(url);
const megabyte = `{${Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`).join(',')}}`.slice(0, 1_000_000);
const agent = new Agent({ ca, keepAlive: true });

/** Sends a body with far too many members, and waits for the response. */
function sendMembers(): void {
  const headers = { 'content-type': 'application/json', ...(token && { 'svc-session': token }) };
  const path = token ? '/edge/management/v1/identities' : '/edge/client/v1/authenticate?method=password';
  const outgoing = request(`${url}${path}`, { method: 'POST', agent, headers }, (incoming) => incoming.resume());
  outgoing.on('error', () => {}).end(megabyte);
}

/**
 * Opens a connection and sends most of a large body under a token that nobody has. Resolves when it is sent, or when the
 * connection is closed.
 */
function sendUnderGarbageToken(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), ca }, () => {
      socket.write(
        `POST /edge/management/v1/identities HTTP/1.1\r\nHost: ${hostname}\r\nsvc-session: ${randomUUID()}\r\n` +
          `Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n${megabyte.slice(0, 950_000)}`,
        () => resolve(),
      );
    });
    socket
      .on('error', () => {})
      .on('close', () => resolve())
      .resume();
  });
}

if (kind === 'members') setInterval(sendMembers, 100);
if (kind === 'garbage-token') setInterval(sendUnderGarbageToken, 20);
if (kind === 'garbage-token-at-once') {
  await Promise.all(Array.from({ length: 300 }, sendUnderGarbageToken));
  process.stdout.write('sent\n');
}
