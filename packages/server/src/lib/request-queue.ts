import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** Work that waits for its turn on a connection. `response` is `null` when it refuses what is not a request. */
interface Turn {
  readonly response: ServerResponse | null;
  readonly begin: () => void;
}

/** The requests of all connections of a server. Of one connection it works on one request at a time. */
export interface RequestQueue {
  /** Calls `begin` as soon as the responses to all earlier requests of the connection need nothing but to be sent. */
  add(response: ServerResponse, begin: () => void): void;
  /**
   * Calls `refuse` when every request that was complete before the connection failed has its response. `hasBegun`:
   * another response has begun and cannot be completed.
   */
  fail(socket: Duplex, refuse: (hasBegun: boolean) => void): void;
  /** Whether no request of any connection waits. */
  isEmpty(): boolean;
  /** Whether other requests of the connection wait. */
  hasWaiting(socket: Duplex): boolean;
  /** Ends each connection with the response to the last request that was read: `Connection: close`. */
  close(): void;
  /** The connections that have had a request, and have none now. */
  idle(): readonly Duplex[];
}

/** Milliseconds in which a client may read its last responses while it still sends requests. */
const lingerTime = 2_000;

/**
 * A client may send requests before it has the responses to earlier ones (RFC 9112, section 9.3.2), and Node would
 * begin to work on all of them. Here they wait, and while one waits, nothing more is read from the connection. So a
 * connection holds the requests of 16 KiB at most.
 */
export function createRequestQueue(server: Server): RequestQueue {
  const current = new Map<Duplex, ServerResponse>();
  const waiting = new Map<Duplex, Turn[]>();

  const begin = (socket: Duplex, { response, begin: work }: Turn) => {
    if (response) current.set(socket, response);
    work();
  };
  const beginNextAfter = (response: ServerResponse | null | undefined, socket: Duplex) =>
    response?.once('close', () => beginNext(socket));

  const wait = (socket: Duplex, turn: Turn) => {
    const turns = waiting.get(socket);
    if (turns) return void turns.push(turn);
    waiting.set(socket, [turn]);
    // With a listener for data, Node parses 16 KiB at a time and not all that it has read. Before the pause: a socket that is
    // paused without it would never be read again.
    if (socket.listenerCount('data') < 2) socket.on('data', ignore);
    socket.pause();
    // Node resumes a socket for reasons of its own, such as the end of a body.
    socket.on('resume', socket.pause);
    // Node calls this after the last response. It would reset a connection on which requests are not read yet.
    (socket as TLSSocket).destroySoon = () => linger(socket);
    beginNextAfter(current.get(socket), socket);
  };
  const beginNext = (socket: Duplex) => {
    const turns = waiting.get(socket);
    const turn = turns?.shift();
    if (!turns || !turn || !socket.writable) return;
    if (turns.length > 0) beginNextAfter(turn.response, socket);
    else {
      waiting.delete(socket);
      socket.off('resume', socket.pause);
      socket.resume();
    }
    begin(socket, turn);
  };

  server.on('secureConnection', (socket) =>
    socket.once('close', () => {
      current.delete(socket);
      waiting.delete(socket);
    }),
  );
  const lastOf = (socket: Duplex) => waiting.get(socket)?.findLast(({ response }) => response)?.response;
  // Node refuses what comes after `maxRequestsPerSocket`, but it neither closes the connection nor stops reading.
  server.on('dropRequest', (_request, socket) => {
    const present = current.get(socket);
    if (!isBusy(present) || waiting.get(socket)?.at(-1)?.response === null) return;
    closeAfter(lastOf(socket) ?? present);
    wait(socket, { response: null, begin: () => linger(socket) });
  });

  return {
    add(response, work) {
      const { socket } = response.req;
      const turn = { response, begin: work };
      if (waiting.has(socket) || !leavesRoom(current.get(socket))) wait(socket, turn);
      else begin(socket, turn);
    },
    fail(socket, refuse) {
      const turns = waiting.get(socket) ?? [];
      // The failure is in its body.
      if (turns.at(-1)?.response?.req.complete === false) turns.pop();
      const hasBegun = () => isBusy(current.get(socket)) && current.get(socket)?.headersSent === true;
      const turn = { response: null, begin: () => refuse(hasBegun()) };
      const present = current.get(socket);
      if (turns.length > 0 || (isBusy(present) && present?.req.complete)) wait(socket, turn);
      else begin(socket, turn);
    },
    isEmpty: () => waiting.size === 0,
    hasWaiting: (socket) => waiting.has(socket),
    close() {
      for (const [socket, response] of current) closeAfter(lastOf(socket) ?? response);
    },
    idle: () => [...current.keys()].filter((socket) => !isBusy(current.get(socket)) && !waiting.has(socket)),
  };
}

function isBusy(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

/**
 * Whether the next request may begin: the response is complete, or nothing is left to do for it but to be sent. Node says a
 * turn later that it is complete, and a client may have sent its next request by then. A response without a socket is
 * behind another one, and one that needs a drain has a slow reader: they use memory here.
 */
function leavesRoom(response: ServerResponse | undefined): boolean {
  if (!response || !isBusy(response)) return true;
  return response.writableEnded && response.socket?.writableNeedDrain === false && keepsConnection(response);
}

/** Whether another request may follow. Where Node decides by other headers, it counts as the last one. */
function keepsConnection(response: ServerResponse): boolean {
  return response.shouldKeepAlive && response.hasHeader('Content-Length') && !response.hasHeader('Connection');
}

function closeAfter(response: ServerResponse | undefined): void {
  if (response) response.shouldKeepAlive = false;
}

function ignore(): void {}

/** Ends a connection and drops what the client still sends. Closing it would make the client lose its last responses. */
function linger(socket: Duplex): void {
  socket.end();
  socket.removeAllListeners('data');
  socket.on('data', ignore);
  socket.off('resume', socket.pause);
  socket.resume();
  const limit = setTimeout(() => socket.destroy(), lingerTime);
  socket.once('close', () => clearTimeout(limit));
}
