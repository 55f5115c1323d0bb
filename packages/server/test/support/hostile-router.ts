// A router that means harm, as a process of its own: node hostile-router.ts <kind> <host:port> <file of its identity as JSON> [tokens as JSON]
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:tls';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlHeaders, controlTypes, frameHead, headerValue } from '@edge-controller/shared-types/channel';
import type { RouterIdentity } from '../../src/router-double/index.ts';
import { createRouterCsr } from '../../src/router-double/router-csr.ts';
import { encode } from '../../src/router-messages/codec.ts';
import {
  ApiSessionHeartbeatSchema,
  CircuitConfirmationSchema,
  CreateTerminatorRequestSchema,
  ExtendRouterRequestSchema,
  FaultSchema,
  FaultSubject,
  RouterInterfacesSchema,
  ValidateSessionsRequestSchema,
  VerifyRouterSchema,
} from '../../src/router-messages/generated/router_pb.js';

// Its standard input ends with the test, whatever becomes of that.
process.stdin.resume().once('end', () => process.exit());

const [kind = '', address = '', file = '', tokens = '{}'] = process.argv.slice(2);
const identity: RouterIdentity = JSON.parse(readFileSync(file, 'utf8'));
const { sessionToken = '', apiSessionToken = '' } = JSON.parse(tokens);
const [host = '', port] = address.split(':');

/** Frames of one kind, as many as fit into a large write. */
const chunkLength = 256 * 1_024;

let sequence = 0;
function bytesOf({ type, headers = new Map(), body = new Uint8Array() }: Partial<Frame> & { type: number }): Buffer {
  sequence += 1;
  return Buffer.concat([frameHead({ type, headers, body, sequence }), body]);
}

async function openChannel() {
  const { key, cert } = identity;
  const socket = connect({
    host,
    port: Number(port),
    key,
    cert,
    rejectUnauthorized: false,
    ALPNProtocols: ['ziti-ctrl'],
  });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  return socket;
}

const invented = (count: number) => Array.from({ length: count }, (_, at) => `${'x'.repeat(30)}${at}`);
const messages: Record<string, () => Promise<{ type: number } & Partial<Frame>>> = {
  unknown: async () => ({ type: 77_777, body: new Uint8Array(100) }),
  ping: async () => ({ type: controlTypes.ping }),
  bind: async () => ({
    type: controlTypes.createTerminator,
    body: encode(CreateTerminatorRequestSchema, { address: 'terminator', sessionToken, apiSessionToken }),
  }),
  dial: async () => ({
    type: controlTypes.createCircuit,
    headers: new Map([
      [controlHeaders.sessionToken, headerValue.text(sessionToken)],
      [controlHeaders.apiSessionToken, headerValue.text(apiSessionToken)],
    ]),
  }),
  resync: async () => ({ type: controlTypes.requestClientResync }),
  'client-hello': async () => ({ type: controlTypes.clientHello }),
  heartbeat: async () => ({
    type: controlTypes.apiSessionHeartbeat,
    body: encode(ApiSessionHeartbeatSchema, { tokens: invented(10_000) }),
  }),
  validate: async () => ({
    type: controlTypes.validateSessions,
    body: encode(ValidateSessionsRequestSchema, { sessionTokens: invented(10_000) }),
  }),
  keys: async () => ({ type: controlTypes.subscribeToDataModel }),
  verify: async () => ({
    type: controlTypes.verifyRouter,
    body: encode(VerifyRouterSchema, { routerId: 'x', fingerprints: ['y'] }),
  }),
  faults: async () => ({
    type: controlTypes.fault,
    body: encode(FaultSchema, { subject: FaultSubject.FORWARD, id: invented(10_000).join(' ') }),
  }),
  confirm: async () => ({
    type: controlTypes.circuitConfirmation,
    body: encode(CircuitConfirmationSchema, { circuitIds: invented(10_000) }),
  }),
  interfaces: async () => ({
    type: controlTypes.routerInterfaces,
    body: encode(RouterInterfacesSchema, {
      interfaces: invented(2_000).map((name) => ({ name, addresses: invented(20) })),
    }),
  }),
  extend: async () => {
    const csr = await createRouterCsr({ id: identity.id, keyPem: identity.key, names: ['localhost'] });
    return {
      type: controlTypes.extendRouter,
      body: encode(ExtendRouterRequestSchema, { clientCertCsr: csr, serverCertCsr: csr }),
    };
  },
};

async function flood(): Promise<void> {
  const socket = await openChannel();
  const headers = new Map([[controlHeaders.versionInfo, headerValue.text('v1.7.2|x|x|linux|amd64')]]);
  const hello = { type: controlTypes.hello, sequence: -1, headers, body: headerValue.text(identity.id) };
  socket.write(Buffer.concat([frameHead(hello), hello.body]));
  await once(socket, 'data');
  socket.resume();
  socket.on('close', () => {
    console.log('closed');
    setTimeout(() => void flood(), 200);
  });
  const message = await messages[kind]!();
  const one = bytesOf(message);
  const count = Math.max(1, Math.floor(chunkLength / one.length));
  const chunk = Buffer.concat(Array.from({ length: count }, () => bytesOf(message)));
  let sent = 0;
  const report = setInterval(() => console.log(`${kind} ${sent}`), 1000);
  socket.on('close', () => clearInterval(report));
  for (; !socket.destroyed; ) {
    sent += count;
    if (!socket.write(chunk)) await Promise.race([once(socket, 'drain'), once(socket, 'close')]);
  }
}

if (kind in messages) await flood();
