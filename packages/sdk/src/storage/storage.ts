/** Stores the token of the API session of a client. Values are secrets. Each function may be asynchronous. */
export interface Storage {
  readonly get: (key: string) => string | null | Promise<string | null>;
  readonly set: (key: string, value: string) => void | Promise<void>;
  readonly remove: (key: string) => void | Promise<void>;
}
