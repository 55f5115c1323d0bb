import { isEdgeCrossSiteError, isWrongCredentials } from '@edge-controller/sdk/backend';
import { redirectTo, sessions } from '../../sessions';

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData();
  const credentials = { username: String(form.get('username')), password: String(form.get('password')) };
  try {
    const { headers } = await sessions.signIn(request, credentials);
    return redirectTo('/', headers);
  } catch (error) {
    if (isWrongCredentials(error)) return redirectTo('/?problem=credentials');
    if (isEdgeCrossSiteError(error)) return new Response(error.message, { status: 403 });
    throw error;
  }
}
