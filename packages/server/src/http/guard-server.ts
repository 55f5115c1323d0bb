import type { Server } from 'node:tls';
import { guardHandshakes } from '../handshakes/guard-handshakes.ts';
import { addressGroup } from '../lib/address-group.ts';
import type { Logger } from '../lib/log.ts';
import { peerAddress } from './middleware/client-address.ts';

/** Puts the guard before the handshakes of a server, by the addresses of its peers. */
export function guardServer(server: Server, log: Logger): void {
  guardHandshakes(server, {
    groupOf: (socket) => addressGroup(peerAddress(socket)),
    onRefused: (error, address) => log.debug({ err: error, address }, 'TLS handshake refused'),
  });
}
