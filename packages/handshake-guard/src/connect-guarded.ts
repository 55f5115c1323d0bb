import { constants } from 'node:crypto';
import type { TcpNetConnectOpts } from 'node:net';
import { connect as connectTcp } from 'node:net';
import type { ConnectionOptions, TLSSocket } from 'node:tls';
import { connect } from 'node:tls';
import { GuardedStream } from './guarded-stream.ts';
import { readKeyLog } from './key-log.ts';
import { PeerFlight } from './peer-flight.ts';

/**
 * Opens a TLS connection to a server that may be hostile: its certificates are read before OpenSSL verifies them. The connection
 * fails with a `RefusedHandshake` when that would take long.
 */
export function connectGuarded(options: TcpNetConnectOpts & Omit<ConnectionOptions, 'socket'>): TLSSocket {
  const flight = new PeerFlight('server');
  const stream = new GuardedStream(connectTcp(options), { flight, run: (step) => step() });
  // In TLS 1.2 a renegotiation would bring other certificates.
  const socket = connect({ ...options, socket: stream, secureOptions: constants.SSL_OP_NO_RENEGOTIATION });
  socket.on('keylog', (line) => {
    const { label, secret } = readKeyLog(line);
    if (label !== 'SERVER_HANDSHAKE_TRAFFIC_SECRET') return;
    flight.decryptWith(secret, socket.getCipher().name);
    stream.advance();
  });
  return socket;
}
