import https from 'node:https';
import { TLSSocket } from 'node:tls';

/** Milliseconds. The longest time in which a proxy may open a connection. */
const tunnelTimeout = 30_000;

/** Waits until a request may begin. Call the result when it has ended. */
type Queue = (origin: string, signal: AbortSignal) => Promise<() => void>;

const queues = new WeakMap<object, Queue>();

/** There is no connection to the controller through the proxy. Node has the same code for the refusals of a proxy. */
class TunnelError extends Error {
  readonly code = 'ERR_PROXY_TUNNEL';
}

/** An agent that uses the proxy which Node itself uses (`NODE_USE_ENV_PROXY`, `--use-env-proxy`), or none. */
export function createHttpsAgent(options: https.AgentOptions): https.Agent {
  // Node < 22.21 and < 24.5 has no such setting.
  const { proxyEnv } = (https.globalAgent as { options?: https.AgentOptions }).options ?? {};
  if (proxyEnv === undefined) return new https.Agent(options);
  const agent = new https.Agent({ ...options, proxyEnv });
  closeRefusedConnections(agent);
  queues.set(agent, createQueue(agent.maxSockets));
  return agent;
}

/**
 * Waits until a request may use the agent. The agent counts a connection through a proxy only when it is ready, so a
 * thousand requests at once would open a thousand.
 *
 * @returns what to call when the request has ended
 */
export async function enterQueue(agent: object, origin: string, signal: AbortSignal): Promise<() => void> {
  return (await queues.get(agent)?.(origin, signal)) ?? (() => {});
}

/** Node leaves a connection open after the proxy has refused, and waits without end for a proxy and for the server behind it. */
function closeRefusedConnections(agent: https.Agent): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, done) => {
    let isConnected = false;
    const expire = () => socket?.destroy(new TunnelError('the controller does not respond through the proxy'));
    const timer = setTimeout(expire, tunnelTimeout);
    const socket = connect({ ...options, timeout: tunnelTimeout }, (error, tunnel) => {
      clearTimeout(timer);
      if (error) socket?.destroy();
      const isReached = error === null || isConnected;
      done?.(
        isReached ? error : new TunnelError(`the proxy cannot be reached: ${error.message}`, { cause: error }),
        tunnel,
      );
    });
    socket?.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
      isConnected = true;
    });
    return socket;
  };
}

function createQueue(limit: number): Queue {
  const origins = new Map<string, { free: number; waiting: Set<() => void> }>();
  return async (origin, signal) => {
    const state = origins.get(origin) ?? { free: limit, waiting: new Set() };
    origins.set(origin, state);
    if (state.free > 0) state.free -= 1;
    else await turn(state.waiting, signal);
    return () => {
      const [next] = state.waiting;
      if (next === undefined) state.free += 1;
      else next();
    };
  };
}

function turn(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = () => {
      end();
      resolve();
    };
    const abort = () => {
      end();
      reject(signal.reason);
    };
    function end(): void {
      waiting.delete(begin);
      signal.removeEventListener('abort', abort);
    }
    waiting.add(begin);
    signal.addEventListener('abort', abort, { once: true });
  });
}
