'use client';

export type { SignInSnapshot } from '../bindings/live.ts';
export type { SignInActions } from '../bindings/sign-in-actions.ts';
export { EdgeProvider, type EdgeProviderProps } from './edge-provider.ts';
export { type AnswerActions, type AuthQueriesSnapshot, useAuthQueries } from './use-auth-queries.ts';
export { useEdge } from './use-edge.ts';
export { useSession } from './use-session.ts';
export { useSignIn } from './use-sign-in.ts';
