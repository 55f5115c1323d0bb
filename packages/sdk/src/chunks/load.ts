import { loadCode } from '../errors/load-code.ts';

/** A page loads a client in three files: the first has `createEdgeClient`, and loads these two. */
export const loadSession = async () => (await loadCode(() => import('./session.ts'))).session;

export const loadRest = async () => (await loadCode(() => import('./rest.ts'))).rest;
