'use client';

export { EdgeProvider, type EdgeProviderProps } from './edge-provider.ts';
export { type AnswerActions, type AuthQueriesSnapshot, useAuthQueries } from './use-auth-queries.ts';
export { useEdge } from './use-edge.ts';
export { type SessionSnapshot, useSession } from './use-session.ts';
