import { programs } from './built.ts';
import type { NetworkIdentity } from './network.ts';
import { Program } from './program.ts';

/** How a client of the Go SDK signs in. Without an identity file it needs the address and the CA certificates. */
export type SignIn =
  | (NetworkIdentity & { readonly totpCode?: string })
  | {
      readonly controller: string;
      readonly caFile: string;
      readonly username?: string;
      readonly password?: string;
      readonly jwt?: string;
    };

interface Dialed {
  readonly service: string;
  /** On each connection. */
  readonly bytes?: number;
  readonly connections?: number;
  /** Sends until the connections end. */
  readonly keepOpen?: boolean;
  /** With `keepOpen`: dials again after the end of a connection, and prints whether it may. */
  readonly redial?: boolean;
}

/** Starts an echo server of the Go SDK. Resolves when a router has its terminator. */
export async function goHost(signIn: SignIn, service: string): Promise<Program> {
  const { args, env } = flagsOf(signIn);
  return listening(new Program(programs.goHost, [...args, '-service', service], { env }));
}

/** Starts a client of the Go SDK that dials a service which echoes. */
export function goDialer(signIn: SignIn, { service, bytes = 0, connections = 1, keepOpen, redial }: Dialed): Program {
  const { args, env } = flagsOf(signIn);
  const options = ['-service', service, '-bytes', String(bytes), '-connections', String(connections)];
  const switches = [...(keepOpen ? ['-keep-open'] : []), ...(redial ? ['-redial'] : [])];
  return new Program(programs.goDialer, [...args, ...options, ...switches], { env });
}

/** Starts an echo server of the C SDK. */
export async function cHost({ file }: NetworkIdentity, service: string): Promise<Program> {
  return listening(new Program(programs.python, [programs.cHost, file, service]));
}

/** Starts a client of the C SDK that sends bytes to a service which echoes. */
export function cDialer({ file }: NetworkIdentity, { service, bytes = 0 }: Dialed): Program {
  return new Program(programs.python, [programs.cDialer, file, service, String(bytes)]);
}

async function listening(host: Program): Promise<Program> {
  try {
    await host.event('listening');
    return host;
  } catch (error) {
    await host.stop('SIGKILL');
    throw error;
  }
}

function flagsOf(signIn: SignIn): { args: string[]; env: Record<string, string> } {
  if ('file' in signIn) {
    const { file, totpCode } = signIn;
    return { args: ['-identity', file], env: totpCode === undefined ? {} : { EDGE_TOTP_CODE: totpCode } };
  }
  const { controller, caFile, username, password, jwt } = signIn;
  const where = ['-controller', `${controller}/edge/client/v1`, '-ca', caFile];
  return {
    args: [...where, ...(username ? ['-username', username] : [])],
    env: { ...(password !== undefined && { EDGE_PASSWORD: password }), ...(jwt !== undefined && { EDGE_JWT: jwt }) },
  };
}
