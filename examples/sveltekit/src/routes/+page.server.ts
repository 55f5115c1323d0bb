import { isWrongCode, isWrongCredentials } from '@edge-controller/sdk/backend';
import type { Actions, ServerLoad } from '@sveltejs/kit';
import { fail, redirect } from '@sveltejs/kit';
import { sessions } from '../sessions.ts';

export const load: ServerLoad = ({ locals: { session } }) => ({
  state: session?.state ?? 'none',
  name: session?.identity.name ?? '',
});

export const actions: Actions = {
  async signIn({ request, locals }) {
    const form = await request.formData();
    const credentials = { username: String(form.get('username')), password: String(form.get('password')) };
    try {
      locals.sessionHeaders = (await sessions.signIn(request, credentials)).headers;
    } catch (error) {
      if (!isWrongCredentials(error)) throw error;
      return fail(400, { problem: 'User name or password are not right.' });
    }
    return redirect(303, '/');
  },

  async answer({ request, locals }) {
    const form = await request.formData();
    try {
      locals.sessionHeaders = (await sessions.answer(request, { code: String(form.get('code')) })).headers;
    } catch (error) {
      if (!isWrongCode(error)) throw error;
      return fail(400, { problem: `The code is not right. Attempts left: ${error.attemptsRemaining}` });
    }
    return redirect(303, '/');
  },

  async signOut({ request, locals }) {
    locals.sessionHeaders = (await sessions.signOut(request)).headers;
    return redirect(303, '/');
  },
};
