import type { Server } from 'node:tls';
import { guardHandshakes } from '@edge-controller/handshake-guard';
import { addressGroup } from '../core/text/address-group.ts';
import { peerAddress } from './middleware/client-address.ts';
import type { OnRefused } from './refused-connection.ts';

/** Puts the guard before the handshakes of a server, by the addresses of its peers. */
export function guardServer(server: Server, onRefused: OnRefused): void {
  guardHandshakes(server, {
    groupOf: (socket) => addressGroup(peerAddress(socket)),
    onRefused,
  });
}
