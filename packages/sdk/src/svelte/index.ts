export type { SignInSnapshot } from '../bindings/live.ts';
export type { SignInActions } from '../bindings/sign-in-actions.ts';
export { provideEdge } from './provide-edge.ts';
export { useEdge } from './use-edge.ts';
export { useSession } from './use-session.ts';
export { useSignIn } from './use-sign-in.ts';
