import { copyArguments } from '../lib/copy-arguments.ts';
import { memberProxy } from '../lib/member-proxy.ts';

interface Called {
  readonly resource: string;
  readonly verb: string;
}

/** The calls of one API: resource → verb → function. Which of them exist is known when one is called. */
export function clientCalls<C>(perform: (called: Called, args: readonly unknown[]) => Promise<unknown>): C {
  return memberProxy((resource) =>
    memberProxy(
      (verb) =>
        async (...args: unknown[]) =>
          perform({ resource, verb }, copyArguments(args)),
    ),
  ) as C;
}
