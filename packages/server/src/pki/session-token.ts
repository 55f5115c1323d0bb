/**
 * The id of the session that a client names: by its JWT, or by the id itself. The signature is not looked at, so the id is no proof
 * of anything. `null`: it is neither.
 */
export async function sessionIdOf(token: string): Promise<string | null> {
  if (!token.includes('.')) return token;
  const { decodeJwt } = await import('jose');
  try {
    const { jti }: { readonly jti?: unknown } = decodeJwt(token);
    return typeof jti === 'string' ? jti : null;
  } catch {
    return null;
  }
}
