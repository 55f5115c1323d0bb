/** By their numbers. */
export type Headers = ReadonlyMap<number, Uint8Array>;

/** A message to a router. */
export interface Message {
  readonly type: number;
  readonly headers?: Headers;
  readonly body?: Uint8Array;
}
