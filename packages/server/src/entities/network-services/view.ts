import type { Caller, View } from '../dependencies.ts';

/** As whom a caller sees services. `null`: the controller itself sees them as nobody. */
export function viewOf({ view, session }: Caller): View | null {
  if (view) return view;
  return session ? { identityId: session.principal.id, configTypes: session.stored.configTypes } : null;
}

/** The same call, which sees services in another way. */
export function withView<C extends object>(call: C, view: View): C & { readonly view: View } {
  return Object.assign(Object.create(call), { view });
}
