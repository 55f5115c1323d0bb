/** What an application has sent, on its way through a circuit. */
export interface DataItem {
  readonly kind: 'data';
  /** Counts the items of one direction from 1. */
  readonly sequence: number;
  /** The header `flags`. `undefined`: there was none. */
  readonly flags: number | undefined;
  readonly body: Uint8Array;
}

/** What passes a circuit in one direction. */
export type Item =
  | DataItem
  /** The application of this end has taken everything up to this sequence. */
  | { readonly kind: 'acknowledgement'; readonly sequence: number }
  | { readonly kind: 'close' };

/** Where a circuit goes on: its other end, or a link to the next router. */
export interface Destination {
  take(circuitId: string, item: Item): void;
}
