import type { ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';

/** Work that waits for its turn on a connection. `response` is `null` when it refuses what is not a request. */
interface Turn {
  readonly response: ServerResponse | null;
  readonly begin: () => void;
}

/** Milliseconds in which a client may read its last responses while it still sends requests. */
const lingerTime = 2_000;

/**
 * The requests of all connections of a server. Of one connection it works on one request at a time.
 *
 * A client may send several requests before it has a response (RFC 9112, section 9.3.2). Node would begin to work on all of
 * them. Here they wait, and the queue reads nothing more from the connection meanwhile. So a connection keeps the requests
 * of 16 KiB at most.
 */
export class RequestQueue {
  readonly #current = new Map<Duplex, ServerResponse>();
  readonly #waiting = new Map<Duplex, Turn[]>();

  constructor(server: Server) {
    server.on('secureConnection', (socket) => socket.once('close', () => this.#forget(socket)));
    server.on('dropRequest', (_request, socket) => this.#drop(socket));
  }

  /** Calls `begin` as soon as all earlier responses of the connection are complete or only wait to be sent. */
  add(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const turn = { response, begin };
    if (this.#waiting.has(socket) || !leavesRoom(this.#current.get(socket))) this.#wait(socket, turn);
    else this.#begin(socket, turn);
  }

  /**
   * Calls `refuse` when every request that was complete before the connection failed has its response. `hasBegun`:
   * another response has begun and cannot be completed.
   */
  fail(socket: Duplex, refuse: (hasBegun: boolean) => void): void {
    const turns = this.#waiting.get(socket) ?? [];
    // The failure is in its body.
    if (turns.at(-1)?.response?.req.complete === false) turns.pop();
    const hasBegun = () => isBusy(this.#current.get(socket)) && this.#current.get(socket)?.headersSent === true;
    const turn = { response: null, begin: () => refuse(hasBegun()) };
    const present = this.#current.get(socket);
    if (turns.length > 0 || (isBusy(present) && present?.req.complete)) this.#wait(socket, turn);
    else this.#begin(socket, turn);
  }

  /** Whether no request of any connection waits. */
  isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether other requests of the connection wait. */
  hasWaiting(socket: Duplex): boolean {
    return this.#waiting.has(socket);
  }

  /** Ends each connection with the response to the last request that was read: `Connection: close`. */
  close(): void {
    for (const [socket, response] of this.#current) closeAfter(this.#lastOf(socket) ?? response);
  }

  /** The connections that have had a request, and have none now. */
  idle(): readonly Duplex[] {
    return [...this.#current.keys()].filter(
      (socket) => !isBusy(this.#current.get(socket)) && !this.#waiting.has(socket),
    );
  }

  #begin(socket: Duplex, { response, begin }: Turn): void {
    if (response) this.#current.set(socket, response);
    begin();
  }

  #wait(socket: Duplex, turn: Turn): void {
    const turns = this.#waiting.get(socket);
    if (turns) {
      turns.push(turn);
      return;
    }
    this.#waiting.set(socket, [turn]);
    // With a listener for data, Node parses 16 KiB at a time instead of everything that it has read. Add it before the pause:
    // Node would never read again from a socket that was paused without one.
    if (socket.listenerCount('data') < 2) socket.on('data', ignore);
    socket.pause();
    // Node resumes a socket for reasons of its own, such as the end of a body.
    socket.on('resume', socket.pause);
    // Node calls this after the last response. It would reset a connection on which requests are not read yet.
    (socket as TLSSocket).destroySoon = () => linger(socket);
    this.#beginNextAfter(this.#current.get(socket), socket);
  }

  #beginNextAfter(response: ServerResponse | null | undefined, socket: Duplex): void {
    response?.once('close', () => this.#beginNext(socket));
  }

  #beginNext(socket: Duplex): void {
    const turns = this.#waiting.get(socket);
    const turn = turns?.shift();
    if (!turns || !turn || !socket.writable) return;
    if (turns.length > 0) this.#beginNextAfter(turn.response, socket);
    else {
      this.#waiting.delete(socket);
      socket.off('resume', socket.pause);
      socket.resume();
    }
    this.#begin(socket, turn);
  }

  /** Node refuses what comes after `maxRequestsPerSocket`, but it neither closes the connection nor stops reading. */
  #drop(socket: Duplex): void {
    const present = this.#current.get(socket);
    if (!isBusy(present) || this.#waiting.get(socket)?.at(-1)?.response === null) return;
    closeAfter(this.#lastOf(socket) ?? present);
    this.#wait(socket, { response: null, begin: () => linger(socket) });
  }

  #lastOf(socket: Duplex): ServerResponse | null | undefined {
    return this.#waiting.get(socket)?.findLast(({ response }) => response)?.response;
  }

  #forget(socket: Duplex): void {
    this.#current.delete(socket);
    this.#waiting.delete(socket);
  }
}

function isBusy(response: ServerResponse | undefined): boolean {
  return response !== undefined && !response.writableFinished && !response.destroyed;
}

/**
 * Whether the next request may begin: the response is complete, or only waits to be sent. Node reports the end a turn later,
 * and a client may have sent its next request by then. The next request must wait in two cases, because the response uses
 * memory: it has no socket, so it is behind another one, or it needs a drain, so the client reads slowly.
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
