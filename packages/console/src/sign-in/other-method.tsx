import { CertificateForm } from './certificate-form.tsx';
import type { Method } from './method.ts';
import { TokenForm } from './token-form.tsx';

/** The ways to sign in that fewer people use. */
export function OtherMethod({ method }: { readonly method: Exclude<Method, 'password'> }) {
  return method === 'certificate' ? <CertificateForm /> : <TokenForm />;
}
