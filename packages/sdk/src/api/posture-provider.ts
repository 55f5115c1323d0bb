import type { PostureQueryProcess } from './generated/entities.ts';

/** What the client says when it asks a function of a `PostureProvider`. */
export interface PostureRequest {
  /** Aborts after 10 seconds, and when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** The process that a posture query asks for. */
export interface ProcessRequest extends PostureRequest, PostureQueryProcess {}

/** The operating system of a device. */
export interface DeviceOs {
  /** Posture checks know `Linux`, `Windows`, `WindowsServer`, `macOS`, `iOS` and `Android`, in any case. */
  readonly type: string;
  /** A full semantic version: `10.0.19045`. Another text is in no range. */
  readonly version: string;
  /** More about the version, for administrators to read. */
  readonly build?: string | undefined;
}

/** A process of a device. */
export interface DeviceProcess {
  readonly isRunning: boolean;
  /** SHA-512 of the program, in hex. */
  readonly hash?: string | undefined;
  /** Of the certificates that have signed the program. */
  readonly signerFingerprints?: readonly string[] | undefined;
}

/** What a function of a `PostureProvider` returns, at once or later. `null` or `undefined`: it is not known. */
export type PostureAnswer<T> = T | null | undefined | Promise<T | null | undefined>;

/**
 * What the client can say about its device: a function for each kind of posture queries. A function is called when a query of
 * its kind asks, once for all queries of all services that are looked at together (`process`: once for each path). When it returns
 * `null` or `undefined`, when it throws, and when it takes more than 10 seconds, nothing is sent about this kind, and what was sent
 * before counts on. What it throws goes to `reportError` of the platform and, without its text, to the `logger`.
 *
 * Queries of the kind `MFA` are answered with `edge.answer.totp(code)`.
 *
 * @example
 * const posture: PostureProvider = {
 *   os: () => ({ type: 'Linux', version: '6.1.0' }),
 *   mac: () => ['00:1b:44:11:3a:b7'],
 *   process: ({ path }) => ({ isRunning: path === process.execPath }),
 * };
 */
export interface PostureProvider {
  /** Answers queries of the kind `OS`. */
  readonly os?: ((request: PostureRequest) => PostureAnswer<DeviceOs>) | undefined;
  /** Answers queries of the kind `DOMAIN`: the Windows domain of the device, `''` when it has none. */
  readonly domain?: ((request: PostureRequest) => PostureAnswer<string>) | undefined;
  /** Answers queries of the kind `MAC`: addresses with or without separators, in any case. */
  readonly mac?: ((request: PostureRequest) => PostureAnswer<readonly string[]>) | undefined;
  /** Answers queries of the kinds `PROCESS` and `PROCESS_MULTI`. */
  readonly process?: ((request: ProcessRequest) => PostureAnswer<DeviceProcess>) | undefined;
}
