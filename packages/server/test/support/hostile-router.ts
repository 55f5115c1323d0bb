// A router that means harm, as a process of its own: node hostile-router.ts <kinds, with commas> <host:port> <file> <API session token>
// The file has the identity of the router as JSON.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import type { RouterIdentity } from '@edge-controller/router-double';
import {
  ApiSessionHeartbeatSchema,
  CircuitConfirmationSchema,
  CreateTerminatorRequestSchema,
  ExtendRouterRequestSchema,
  encode,
  FaultSchema,
  FaultSubject,
  RouterInterfacesSchema,
  RouterLinksSchema,
  ValidateSessionsRequestSchema,
  VerifyRouterSchema,
} from '@edge-controller/router-messages';
import { controlHeaders, controlTypes, frameHead, headerValue } from '@edge-controller/shared-types/channel';
import { createRouterCsr } from '../../../router-double/src/router-csr.ts';
import { ended } from './ended.ts';

// Its standard input ends with the test, whatever becomes of that.
process.stdin.resume().once('end', () => process.exit());

const [kinds = '', address = '', file = '', apiSessionToken = ''] = process.argv.slice(2);
const identity: RouterIdentity = JSON.parse(readFileSync(file, 'utf8'));
/** Bytes that are sent at once. */
const chunkLength = 256 * 1_024;

interface Message {
  readonly type: number;
  readonly headers?: ReadonlyMap<number, Uint8Array>;
  readonly body?: Uint8Array;
}

let count = 0;
function invented(length: number): string[] {
  count += 1;
  return Array.from({ length }, (_, at) => `invented-${count}-${at}`);
}
const one = () => invented(1)[0] ?? '';

const csr = await createRouterCsr({ id: identity.id, keyPem: identity.key, names: ['localhost'] });
const dialWith = (sessionToken: string): Message => ({
  type: controlTypes.createCircuit,
  headers: new Map([
    [controlHeaders.sessionToken, headerValue.text(sessionToken)],
    [controlHeaders.apiSessionToken, headerValue.text(apiSessionToken)],
  ]),
});
const bindWith = (sessionToken: string): Message => ({
  type: controlTypes.createTerminator,
  body: encode(CreateTerminatorRequestSchema, { address: 'terminator', sessionToken, apiSessionToken }),
});

/** What it sends, by kinds. Some is more than a controller reads. */
const messages: Readonly<Record<string, () => Message>> = {
  unknown: () => ({ type: 77_777, body: new Uint8Array(100) }),
  ping: () => ({ type: controlTypes.ping }),
  keys: () => ({ type: controlTypes.subscribeToDataModel }),
  verify: () => ({
    type: controlTypes.verifyRouter,
    body: encode(VerifyRouterSchema, { routerId: one(), fingerprints: ['0'.repeat(40)] }),
  }),
  'lost-bind': () => bindWith('lost'),
  'lost-dial': () => dialWith('lost'),
  bind: () => bindWith(one()),
  dial: () => dialWith(one()),
  'client-hello': () => ({ type: controlTypes.clientHello }),
  resync: () => ({ type: controlTypes.requestClientResync }),
  extend: () => ({
    type: controlTypes.extendRouter,
    body: encode(ExtendRouterRequestSchema, { clientCertCsr: csr, serverCertCsr: csr }),
  }),
  heartbeat: () => ({
    type: controlTypes.apiSessionHeartbeat,
    body: encode(ApiSessionHeartbeatSchema, { tokens: invented(10_000) }),
  }),
  validate: () => ({
    type: controlTypes.validateSessions,
    body: encode(ValidateSessionsRequestSchema, { sessionTokens: invented(1_000) }),
  }),
  faults: () => ({
    type: controlTypes.fault,
    body: encode(FaultSchema, { subject: FaultSubject.FORWARD, id: invented(10_000).join(' ') }),
  }),
  confirm: () => ({
    type: controlTypes.circuitConfirmation,
    body: encode(CircuitConfirmationSchema, { circuitIds: invented(10_000) }),
  }),
  interfaces: () => ({
    type: controlTypes.routerInterfaces,
    body: encode(RouterInterfacesSchema, { interfaces: invented(200).map((name) => ({ name, addresses: [name] })) }),
  }),
  links: () => ({
    type: controlTypes.routerLinks,
    body: encode(RouterLinksSchema, { links: invented(1_000).map((id) => ({ id, destRouterId: id, iteration: 1 })) }),
  }),
};

function bytesOf({ type, headers = new Map(), body = new Uint8Array() }: Message, sequence = 1): Buffer {
  return Buffer.concat([frameHead({ type, headers, body, sequence }), body]);
}

/** Frames of all kinds, in turns. */
function nextChunk(): Buffer {
  const made = kinds.split(',').map((kind) => messages[kind]?.() ?? { type: controlTypes.ping });
  const bytes = Buffer.concat(made.map((message) => bytesOf(message)));
  return Buffer.concat(Array.from({ length: Math.max(1, Math.floor(chunkLength / bytes.length)) }, () => bytes));
}

async function greet(): Promise<TLSSocket> {
  const [host = '', port] = address.split(':');
  const { key, cert, id } = identity;
  const socket = connect({
    host,
    port: Number(port),
    key,
    cert,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl'],
  });
  socket.on('error', () => undefined);
  await once(socket, 'secureConnect');
  const headers = new Map([[controlHeaders.versionInfo, headerValue.text('v1.7.2|x|x|linux|amd64')]]);
  socket.write(bytesOf({ type: controlTypes.hello, headers, body: headerValue.text(id) }, -1));
  await once(socket, 'data');
  return socket.resume();
}

process.stdout.write('ready\n');
for (;;) {
  const socket = await greet();
  const over = ended(socket);
  const drained = () => new Promise((resolve) => socket.once('drain', resolve));
  while (!socket.destroyed) if (!socket.write(nextChunk())) await Promise.race([drained(), over]);
}
