import type { Caller, View } from '../dependencies.ts';

/** The identity whose view of the services a caller gets. `null`: the controller itself, which has none. */
export function viewOf({ view, session }: Caller): View | null {
  if (view) return view;
  return session ? { identityId: session.principal.id, configTypes: session.stored.configTypes } : null;
}

/** The same call, which sees services in another way. */
export function withView<C extends object>(call: C, view: View): C & { readonly view: View } {
  return Object.assign(Object.create(call), { view });
}
