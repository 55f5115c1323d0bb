export type { SignInActions } from '../bindings/sign-in-actions.ts';
export { type EdgePluginOptions, edgePlugin } from './edge-plugin.ts';
export { useEdge } from './use-edge.ts';
export { useSession } from './use-session.ts';
export { type SignInRefs, useSignIn } from './use-sign-in.ts';
