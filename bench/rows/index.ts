import { sessionPath } from '../call.ts';
import type { Row } from '../row.ts';
import { attributeChanges } from './attribute-changes.ts';
import { auditLog } from './audit-log.ts';
import { certificateSignIns } from './certificate-sign-ins.ts';
import { compare } from './compare.ts';
import { creates } from './creates.ts';
import { currentIdentity } from './current-identity.ts';
import { jwtSignIns, secondaryJwts } from './external-jwts.ts';
import { handshakeAttacks } from './handshake-attacks.ts';
import { lists } from './lists.ts';
import { moreOperations } from './more-operations.ts';
import { operations } from './operations.ts';
import { pagesOfIdentities } from './pages.ts';
import { reads } from './reads.ts';
import { routers } from './routers.ts';
import { serviceSessions } from './service-sessions.ts';
import { services } from './services.ts';
import { signIns } from './sign-ins.ts';
import { storm } from './storm.ts';

/** Measured in this order when none is named. */
export const rows: Readonly<Record<string, Row>> = {
  sessions: reads('session checks: GET current-api-session, 32 connections', sessionPath),
  'more-operations': moreOperations,
  'sign-ins': signIns,
  'certificate-sign-ins': certificateSignIns,
  'audit-log': auditLog,
  'jwt-sign-ins': jwtSignIns,
  'secondary-jwts': secondaryJwts,
  storm,
  'handshake-attacks': handshakeAttacks,
  'current-identity': currentIdentity,
  operations,
  creates,
  pages: pagesOfIdentities,
  lists,
  services,
  'service-sessions': serviceSessions,
  'attribute-changes': attributeChanges,
  routers,
};

/** Measured only when named: these need to be told something. */
export const namedRows: Readonly<Record<string, Row>> = { compare };
