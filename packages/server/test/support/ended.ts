import type { Socket } from 'node:net';

/** Resolves when a connection is over. A reset is an end, too: `once` would reject on its error. */
export function ended(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}
