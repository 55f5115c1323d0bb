import type { PreparedCall } from './calls.ts';
import { copyArguments } from './copy-arguments.ts';
import { memberProxy } from './member-proxy.ts';
import type { Api } from './transport.ts';

/** The calls of one API. The table of its operations is loaded at the first call. `perform` sends one call. */
export function lazyCalls<C>(api: Api, perform: (api: Api, call: PreparedCall) => Promise<unknown>): C {
  return memberProxy((resource) =>
    memberProxy((verb) => async (...given: unknown[]) => {
      const args = copyArguments(given);
      const { prepareCall } = await import('./prepare-call.ts');
      return perform(api, prepareCall({ api, resource, verb }, args));
    }),
  ) as C;
}
