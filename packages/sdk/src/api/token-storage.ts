/**
 * Stores the token of the API session of a client. Values are secrets. Each function may be asynchronous. Clients with
 * the same storage object share one session. The optional members let pages or processes share it, too.
 *
 * @example
 * const secrets = new Map<string, string>();
 * const storage: TokenStorage = {
 *   get: (key) => secrets.get(key) ?? null,
 *   set: (key, value) => void secrets.set(key, value),
 *   remove: (key) => void secrets.delete(key),
 * };
 */
export interface TokenStorage {
  /** Resolves to the value, or to `null` when there is none. */
  readonly get: (key: string) => string | null | Promise<string | null>;
  /** Stores the value in the place of an earlier one. */
  readonly set: (key: string, value: string) => void | Promise<void>;
  /** Removes the value, if there is one. */
  readonly remove: (key: string) => void | Promise<void>;
  /**
   * Carries messages between the clients that use this storage under this key: other pages, other processes. A message
   * is plain JSON and contains the token. It must not come back to the listener of its sender. Default: between the
   * clients with the same storage object.
   */
  readonly share?: ((key: string, listener: (message: unknown) => void) => StorageChannel) | undefined;
  /**
   * Runs the section while no other section with this key runs. A section reads and writes this storage and is done
   * within milliseconds. Wait a limited time only, and run the section then. Default: in order for each storage object.
   */
  readonly exclusive?: (<T>(key: string, section: () => Promise<T>) => Promise<T>) | undefined;
}

/**
 * What `share` of a storage returns.
 *
 * @example
 * const pages = new BroadcastChannel('edge');
 * const channel: StorageChannel = { post: (message) => pages.postMessage(message), close: () => pages.close() };
 */
export interface StorageChannel {
  /** Sends a message to all other clients. */
  post(message: unknown): void;
  /** Removes the listener and lets go of all resources. */
  close(): void;
}
