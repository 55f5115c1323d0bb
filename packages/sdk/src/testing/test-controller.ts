import type { Controller, Settings } from '@edge-controller/server';
import type { NodeEdgeClient, NodeEdgeClientOptions } from '../node/create-node-edge-client.ts';
import type { CertificateIdentity } from '../node/identity-file.ts';
import type { JwtIssuerOptions, TestJwtIssuer } from './jwt-issuer.ts';
import type { TestClock } from './test-clock.ts';
import type { NewIdentity, TestIdentity } from './test-identities.ts';
import type { NewRouter, TestRouter } from './test-router.ts';
import type { NewService, TestService } from './test-services.ts';

/**
 * Settings of the controller, as in its documentation: `sessionTimeout` (milliseconds), `corsOrigins`, `databaseUrl`,
 * `redisUrl` and so on. These defaults differ:
 *
 * - `host` `127.0.0.1`, `port` 0 (any free port), `routersBind` `127.0.0.1:0`, `logLevel` `silent`
 * - `dataDir`: a new directory in the temporary directory of the system, which the disposal removes
 * - `adminPassword`: a random one
 * - `signInRate` 0, `passwordAttempts` 0 and `hashQueue` 1000: sign-ins are not limited
 *
 * @example
 * const options: TestControllerOptions = { sessionTimeout: 60_000, corsOrigins: ['https://app.example.com'] };
 * await using controller = await startTestController(options);
 */
export type TestControllerOptions = Partial<Settings>;

/** A controller in this process, for tests. `await using` stops it. */
export interface TestController extends AsyncDisposable {
  /** `https://localhost:<port>` */
  readonly url: string;
  /** Where routers connect to: `tls:127.0.0.1:<port>`. It stays over a restart. */
  readonly routersAddress: string;
  /** Path of the file with the CA certificates that clients must trust. */
  readonly caFile: string;
  /** These certificates in PEM. */
  readonly ca: string;
  /** A client of the default administrator. It is signed in, and signs in again when its session has ended. */
  readonly admin: NodeEdgeClient;
  /** User name and password of the default administrator. */
  readonly adminCredentials: { readonly username: string; readonly password: string };
  /** The clock of the controller, and of the clients that it creates. */
  readonly clock: TestClock;
  /** The events of the controller. Listeners stay over a restart. */
  readonly events: Pick<Controller['events'], 'on'>;
  /** Creates a client that trusts the controller and has its clock. Nobody is signed in. */
  client(options?: NodeEdgeClientOptions): NodeEdgeClient;
  /**
   * Creates an identity that can sign in with a password. Every member has a default.
   *
   * @example
   * const ada = await controller.createIdentity({ name: 'Ada', isAdmin: true });
   * const edge = await ada.signIn();
   */
  createIdentity(identity?: NewIdentity): Promise<TestIdentity>;
  /**
   * Gives an identity a key and a client certificate of the network: it redeems an enrollment `ott`.
   *
   * @example
   * const edge = controller.client({ fetch: mtls(await controller.clientCertificate(ada)) });
   * await edge.signIn.certificate();
   */
  clientCertificate(identity: Pick<TestIdentity, 'id'>): Promise<CertificateIdentity>;
  /**
   * Returns the next code of a TOTP, which no call has returned before. After up to three codes at the same time it
   * advances the clock, by 30 seconds at most.
   *
   * @param secretOrUrl the base32 secret or the `otpauth://` URL
   * @throws TypeError when it is neither
   * @example
   * const { provisioningUrl, verify } = await edge.mfa.enroll();
   * await verify(controller.totp(provisioningUrl));
   */
  totp(secretOrUrl: string): string;
  /**
   * Starts an issuer of JWTs and registers it as an external JWT signer, with an auth policy for the identities.
   *
   * @example
   * const issuer = await controller.jwtIssuer();
   * const ada = await controller.createIdentity({ authPolicyId: issuer.authPolicyId });
   * await controller.client().signIn.extJwt({ token: issuer.sign({ sub: ada.id }) });
   */
  jwtIssuer(options?: JwtIssuerOptions): Promise<TestJwtIssuer>;
  /**
   * Creates a service that identities can dial and host, with a policy for each. Every member has a default.
   *
   * @example
   * await controller.startRouter();
   * const { name } = await controller.createService();
   * const connection = await edge.dial(name);
   */
  createService(service?: NewService): Promise<TestService>;
  /**
   * Starts a router in this process, and resolves when applications can use it. It is a small double of a router: it speaks the
   * protocols of real routers of version 1.7, with the controller and with applications.
   *
   * Creates the edge router, and with the first one two policies, so that every identity may use every router, and every service is
   * reached through every router. `createService` creates services.
   *
   * @throws Error when the router is not online within 10 seconds
   * @example
   * const router = await controller.startRouter();
   * await router.restart();
   */
  startRouter(router?: NewRouter): Promise<TestRouter>;
  /** Ends the API sessions of one identity, or all but that of `admin`. */
  revokeSessions(identity?: Pick<TestIdentity, 'id'>): Promise<void>;
  /** Stops the controller and starts it again with the same data at the same address. Connections break. */
  restart(): Promise<void>;
}
