import { rest } from '../chunks/rest.ts';
import { session } from '../chunks/session.ts';

// The build of `/single` takes this file in the place of `chunks/load.ts`.
export const loadSession = async () => session;

export const loadRest = async () => rest;
