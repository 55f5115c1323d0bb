/** The settings of a controller, checked and with their defaults. */
export interface Settings {
  /** Address the listener binds to. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly dataDir: string;
  /** Further DNS names and IP addresses in the server certificate. */
  readonly names: readonly string[];
  /** `host:port` under which clients reach the APIs; `null`: `localhost` and the port in use. */
  readonly address: string | null;
  /** Milliseconds. */
  readonly sessionTimeout: number;
  /** Milliseconds that an enrollment of an identity may be redeemed. */
  readonly enrollmentDuration: number;
  /** Header names that carry the API session token; the first is echoed. Lower case. */
  readonly sessionHeaders: readonly string[];
  readonly corsOrigins: readonly string[];
  /** CIDR list of proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  /** `postgres://…`, or `null`: SQLite in the data directory. */
  readonly databaseUrl: string | null;
  /** `redis://…`, or `null`: SQLite in the data directory. */
  readonly redisUrl: string | null;
  /** 32 bytes that seal tokens at rest; `null`: made on first start and kept in the data directory. */
  readonly sealKey: Buffer | null;
  readonly adminUsername: string | null;
  readonly adminPassword: string | null;
  readonly hashConcurrency: number;
  readonly hashQueue: number;
  /** Sign-in and enrollment attempts per second and client address; 0: no limit. */
  readonly signInRate: number;
  readonly signInBurst: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
}
