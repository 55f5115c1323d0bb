import { isEdgeCrossSiteError } from '@edge-controller/sdk/backend';
import { redirectTo, sessions } from '../../sessions';

export async function POST(request: Request): Promise<Response> {
  try {
    const { headers } = await sessions.signOut(request);
    return redirectTo('/', headers);
  } catch (error) {
    if (isEdgeCrossSiteError(error)) return new Response(error.message, { status: 403 });
    throw error;
  }
}
