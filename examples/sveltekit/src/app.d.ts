import type { Session } from '@edge-controller/sdk/backend';

declare global {
  namespace App {
    interface Locals {
      /** The session of the request, which may be partial. */
      session: Session | null;
      /** What the response needs for its cookies. */
      sessionHeaders: Headers;
    }
  }
}
