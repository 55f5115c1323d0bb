import type { AuthenticationOptions } from './authentication/authentication-options.ts';

/** Which of several hosts gets a connection: all `required` ones before `default` ones before `failed` ones, then by cost. */
export type Precedence = 'default' | 'required' | 'failed';

/**
 * How a host is weighed against others of the service.
 *
 * @example
 * const hosting: Hosting = { cost: 100, precedence: 'required' };
 * await binding.update(hosting);
 */
export interface Hosting {
  /** 0 to 65535. A host with a higher cost gets fewer connections. Default 0. */
  readonly cost?: number | undefined;
  /** Default `default`. */
  readonly precedence?: Precedence | undefined;
}

/**
 * Options of `edge.bind` and `edge.server`.
 *
 * @example
 * const options: BindOptions = { cost: 10, identity: 'printer-4' };
 * await using binding = await edge.bind('printers', options);
 */
export interface BindOptions extends Hosting, AuthenticationOptions {
  /** Ends the bind, also later. Connections that are open stay. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds until the first edge router must have the bind. Default: that of the client, 30000. */
  readonly timeout?: number | undefined;
  /**
   * The name of this host, so that `edge.dial(service, { identity })` reaches it alone. While an identity hosts the service with a name,
   * the controller refuses the name to others. Default: any host gets the connection.
   */
  readonly identity?: string | undefined;
  /** How many connections may wait until the application takes them. More are refused. Default 128. */
  readonly backlog?: number | undefined;
  /** Whether a connection stays open for writing when its other end has ended its side. Default true. */
  readonly allowHalfOpen?: boolean | undefined;
}

/** Throws `TypeError` for what the wire cannot carry. */
export function checkHosting({ cost, precedence }: Hosting): void {
  if (cost !== undefined && !(Number.isInteger(cost) && cost >= 0 && cost <= 65_535)) {
    throw new TypeError(`cost must be an integer from 0 to 65535, got ${cost}`);
  }
  if (precedence !== undefined && !['default', 'required', 'failed'].includes(precedence)) {
    throw new TypeError(`precedence must be "default", "required" or "failed", got "${precedence}"`);
  }
}
