import type { CallOptions } from './call-options.ts';
import type { ClientServicesCalls } from './generated/calls.ts';
import type { ServiceDetail } from './generated/entities.ts';
import type { ListPage } from './list-page.ts';

/**
 * Options of `edge.services.changes`.
 *
 * @example
 * const options: ServiceChangesOptions = { interval: 15_000 };
 * for await (const services of edge.services.changes(options)) render(services);
 */
export interface ServiceChangesOptions {
  /** Ends the iteration, which then throws the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two polls, at least 5000. Default 60000. Of several iterations of one client, the shortest counts. */
  readonly interval?: number | undefined;
}

/** The services that the identity of the session may use or offer: `edge.services`. */
export interface Services {
  /**
   * Lists services, as `edge.client.services.list` does. With the option `posture`, it first answers the posture queries of these
   * services, as far as the answers differ from those that this session has sent, and lists again when it has sent some. The
   * `timeout` applies to each request.
   *
   * @example
   * const { data } = await edge.services.list({ filter: filter`name = ${name}` });
   */
  list(query?: Parameters<ClientServicesCalls['list']>[0], options?: CallOptions): Promise<ListPage<ServiceDetail>>;
  /**
   * Iterates over the whole list of services: at once, and again whenever it has changed. It polls
   * `GET /current-api-session/service-updates`, once for all iterations of a client, and only while one of them waits. An iteration
   * whose loop is slow gets the newest list, not all.
   *
   * - With `keepAlive`, a poll is a use of the session. Without it, a poll does not extend the session (`touch=false`), so a
   *   forgotten page still signs out. To read a list that has changed is a use.
   * - In a hidden page it waits until the page is shown, unless `keepAlive` is `'always'`. Offline it waits for the network. After
   *   both, and after a sleep of the machine, it polls within a second, but not twice in five seconds. The first list is also read in a
   *   hidden page.
   * - After a network error, 429 or 5xx it waits for `Retry-After`, or for growing pauses of about 1 to 60 seconds, and goes on. While
   *   the session is partial, it waits for the answers to the authentication queries. With `reauthenticate` it goes on in the new session.
   * - With the option `posture`, it asks its functions at each poll, sends the answers that differ from those that this session has
   *   sent, and then looks whether the list has changed.
   * - A sign-out ends it without an error, also one in another tab. `break` ends it, too. Nothing is left behind.
   * - Its timer does not keep a Node process alive: a script that does nothing else ends.
   *
   * The same list goes to all iterations: do not change it.
   *
   * @throws EdgeAuthQueryError `NO_SESSION` without a session, and when it ends otherwise than by a sign-out; the error of
   *   `reauthenticate`; the reason of `signal`; TypeError at `dispose` and for an invalid `interval`; EdgeApiError when the controller
   *   refuses a request for another reason
   * @example
   * for await (const services of edge.services.changes({ signal })) render(services.map(({ name }) => name));
   */
  changes(options?: ServiceChangesOptions): AsyncIterable<readonly ServiceDetail[]>;
}
