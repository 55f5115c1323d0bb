import type { ServerLoad } from '@sveltejs/kit';
import { redirect } from '@sveltejs/kit';
import { sessions } from '../../sessions.ts';

/** A page for full sessions. The server calls the controller with the session of the user. */
export const load: ServerLoad = async ({ locals: { session }, request }) => {
  if (session?.state !== 'full') return redirect(303, '/');
  await using edge = await sessions.client(request);
  const { name, createdAt } = await edge.client.currentIdentity.get();
  return { name, createdAt };
};
