import { authentication } from './flows/authenticate.ts';
import { currentApiSession } from './flows/current-session.ts';
import { enroll } from './flows/enroll.ts';
import { specs, version } from './info.ts';

/** The Client API, below `/edge/client/v1`: used by applications that access services. */
export const clientApi = {
  authentication,
  currentApiSession,
  enroll,
  specs,
  version,
} as const;
