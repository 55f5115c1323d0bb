import type { PreparedCall } from '../calls/prepared-call.ts';
import { copyArguments } from '../lib/copy-arguments.ts';
import { memberProxy } from '../lib/member-proxy.ts';
import type { Api } from './controller-url.ts';

/** The calls of one API. The table of its operations is loaded at the first call. `perform` sends one call. */
export function lazyCalls<C>(api: Api, perform: (api: Api, call: PreparedCall) => Promise<unknown>): C {
  return memberProxy((resource) =>
    memberProxy((verb) => async (...given: unknown[]) => {
      const args = copyArguments(given);
      const { prepareCall } = await import('./later/prepare-call.ts');
      return perform(api, prepareCall({ api, resource, verb }, args));
    }),
  ) as C;
}
