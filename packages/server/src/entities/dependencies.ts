import type { ApiTree } from '@edge-controller/shared-types';
import type { LivePosture } from '../access/service-access/live-posture.ts';
import type { ServiceAccess } from '../access/service-access/service-access.ts';
import type { HandlersWith, SessionCallWith } from '../core/call.ts';
import type { Settings } from '../core/config/schema.ts';
import type { PasswordHasher } from '../core/secrets/password-hash.ts';
import type { Sealer } from '../core/secrets/sealer.ts';
import type { ExternalJwts } from '../credentials/external-jwt/external-jwts.ts';
import type { EndpointPolicy } from '../credentials/jwks/endpoint-problem.ts';
import type { Guessable } from '../credentials/passwords/guessable-passwords.ts';
import type { Rights } from '../credentials/rights/rights.ts';
import type { AuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import type * as crud from '../crud/dependencies.ts';
import type { RouterNetwork } from '../network/router-connections/router-network.ts';
import type { EnrollmentSigner } from '../pki/enrollment-signer.ts';
import type { NetworkPki } from '../pki/network-pki.ts';
import type { ApiSessionRecord, SessionStore } from '../storage/session-store/session-store.ts';
import type { JsonSchemas } from './json-schemas/json-schemas.ts';

/** What the rules and handlers of entities need. */
export interface Dependencies extends crud.Dependencies {
  readonly settings: Pick<
    Settings,
    | 'enrollmentDuration'
    | 'routerEnrollmentDuration'
    | 'enrollmentMaxDuration'
    | 'passwordAttempts'
    | 'adminRequireSecondFactor'
    | 'stepUpMaxAge'
    | 'stepUpAdministration'
    | 'changeInitialPasswords'
  > &
    EndpointPolicy;
  readonly sessions: Pick<SessionStore, 'identitiesWithSessions' | 'list' | 'touch' | 'update'>;
  readonly passwords: PasswordHasher;
  readonly guessable: Guessable;
  readonly sealer: Sealer;
  readonly pki: NetworkPki;
  readonly enrollmentSigner: EnrollmentSigner;
  readonly externalJwts: ExternalJwts;
  readonly jsonSchemas: JsonSchemas;
  readonly serviceAccess: ServiceAccess;
  readonly posture: LivePosture;
  readonly serviceSessions: ServiceSessionLookup;
  readonly routerNetwork: RouterNetwork;
}

/** Whether an API session has this session of a service. */
interface ServiceSessionLookup {
  /** `token`: the JWT or the id of the session. */
  has(session: Session, wanted: { readonly token: string; readonly serviceId: string }): Promise<boolean>;
}

interface Session {
  readonly stored: { readonly id: string; readonly configTypes: readonly string[] };
  readonly record: Pick<ApiSessionRecord, 'tokenHash' | 'createdAt' | 'mfaId' | 'mfaPassedAt' | 'usesRouters'>;
  /** What it must still answer. */
  readonly state: { readonly authQueries: readonly object[] };
  readonly principal: Rights & {
    readonly id: string;
    readonly authPolicyId: string;
    readonly policy: AuthPolicy;
    readonly mfaId: string | null;
  };
}

/** As whom services are shown, and the ids of the types of configs that are shown. */
export interface View {
  readonly identityId: string;
  readonly configTypes: readonly string[];
}

/** Who changes entities: a request with its API session, or the controller itself. */
export interface Caller extends Dependencies {
  readonly session?: Session;
  /** Default: the identity of the session, and the config types that it asked for. */
  readonly view?: View;
}

export type SessionCall = SessionCallWith<Dependencies, Session>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, Session>;
