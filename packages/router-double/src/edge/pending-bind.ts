import type { EdgeConnection } from './edge-connection.ts';

/** A listener whose session is being verified. */
export class PendingBind implements EdgeConnection {
  isClosed = false;

  data(): void {}

  closed(): void {
    this.isClosed = true;
  }
}
