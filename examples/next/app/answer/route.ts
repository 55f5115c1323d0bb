import { isEdgeCrossSiteError, isWrongCode } from '@edge-controller/sdk/backend';
import { redirectTo, sessions } from '../../sessions';

export async function POST(request: Request): Promise<Response> {
  const form = await request.formData();
  try {
    const { headers } = await sessions.answer(request, { code: String(form.get('code')) });
    return redirectTo('/', headers);
  } catch (error) {
    if (isWrongCode(error)) return redirectTo(`/?problem=code&left=${error.attemptsRemaining}`);
    if (isEdgeCrossSiteError(error)) return new Response(error.message, { status: 403 });
    throw error;
  }
}
