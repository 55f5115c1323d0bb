import type { PreparedCall } from '../calls/prepared-call.ts';
import { copyArguments } from '../lib/copy-arguments.ts';
import { memberProxy } from '../lib/member-proxy.ts';
import type { Api } from './controller-url.ts';

/** Whoever makes calls. */
interface Performer {
  /** Runs an `import()` that a call needs. */
  code<T>(load: () => Promise<T>): Promise<T>;
  perform(api: Api, call: PreparedCall): Promise<unknown>;
}

export const callCode = () => import('./later/prepare-call.ts');

/** The calls of one API. The table of its operations is loaded at the first call. */
export function lazyCalls<C>(api: Api, performer: () => Performer): C {
  return memberProxy((resource) =>
    memberProxy((verb) => async (...given: unknown[]) => {
      const args = copyArguments(given);
      const { prepareCall } = await performer().code(callCode);
      return performer().perform(api, prepareCall({ api, resource, verb }, args));
    }),
  ) as C;
}
