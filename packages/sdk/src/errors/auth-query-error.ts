import type { AuthQueryCode, EdgeApiError } from './errors.ts';
import { EdgeAuthQueryError } from './errors.ts';

const texts: Readonly<Record<AuthQueryCode, string>> = {
  NO_SESSION: 'there is no session, or it ended or was replaced before the sign-in was complete',
  STILL_ASKED: 'the controller accepted an answer and asked again; the sign-in stopped',
  OUTSTANDING: 'the call needs a full session, and the session has outstanding authentication queries',
  NOT_ASKED: 'the session has no such query',
};

/** The text is not in the class, because most pages never need it. */
export function authQueryError(code: AuthQueryCode, cause?: EdgeApiError): EdgeAuthQueryError {
  return new EdgeAuthQueryError(code, cause, texts[code]);
}
