import type { Server } from 'node:http';
import type { SessionVerifier } from '@edge-controller/sdk/backend';
import type { RawData } from 'ws';
import { WebSocketServer } from 'ws';

/** Close codes from 4000 on belong to the application. */
const unauthorized = 4401;
const firstMessageLimit = 5_000;

/**
 * Greets users over WebSockets. A browser sends no headers with a WebSocket, so the token is in the first message. It is
 * never in the URL, which ends up in logs.
 */
export function greetSockets(server: Server, verifier: SessionVerifier): WebSocketServer {
  const sockets = new WebSocketServer({ server, maxPayload: 4_096 });
  sockets.on('connection', (socket) => {
    const limit = setTimeout(() => socket.close(unauthorized, 'no token'), firstMessageLimit);
    socket.on('error', () => socket.terminate());
    socket.once('message', async (message) => {
      clearTimeout(limit);
      try {
        const session = await verifier.verifySession(tokenIn(message, verifier.sessionHeader));
        if (session) socket.send(`Hello ${session.identity.name}`);
        else socket.close(unauthorized, 'no session');
      } catch (error) {
        console.error(error instanceof Error ? error.message : error);
        socket.close(1013, 'try again later');
      }
    });
  });
  return sockets;
}

function tokenIn(message: RawData, name: string): string | null {
  try {
    const token: unknown = JSON.parse(String(message))[name];
    return typeof token === 'string' ? token : null;
  } catch {
    return null;
  }
}
