import { prepareCall } from '../requests/prepare-call.ts';
import { authorization } from '../session/authorization.ts';
import { createClientSession } from '../session/client-session.ts';
import { createSignIn } from '../sign-in/sign-in.ts';

/** What a client loads for a sign-in, and for a call. */
export const session = { prepareCall, authorization, createClientSession, createSignIn };
