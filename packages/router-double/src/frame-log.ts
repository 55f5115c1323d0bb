import type { Frame } from '@edge-controller/shared-types/channel';

/** A frame that a router has sent or received. */
export interface SeenFrame {
  /** Between the router and the controller, or between an application and the router. */
  readonly channel: 'control' | 'edge';
  readonly direction: 'sent' | 'received';
  readonly frame: Frame;
}

/** Shows the frames of a router to those who want to see them. Nothing is kept. */
export class FrameLog {
  readonly #listeners = new Set<(seen: SeenFrame) => void>();

  /** Returns a function that ends it. */
  on(listener: (seen: SeenFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  add(seen: SeenFrame): void {
    for (const listener of this.#listeners) listener(seen);
  }
}
