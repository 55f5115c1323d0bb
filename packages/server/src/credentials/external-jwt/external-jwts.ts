import { isDeepStrictEqual } from 'node:util';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { Logger } from '../../core/log/log.ts';
import type { Meter } from '../../core/meter.ts';
import type { Clock, Machine } from '../../core/time/clock.ts';
import { continueSteadyClock } from '../../core/time/clock.ts';
import type { FetchSettings } from '../jwks/fetch-json.ts';
import { JwksSource } from '../jwks/jwks-source.ts';
import { readKeySet } from '../jwt/key-ring.ts';
import type { RecordRefusal } from './record-refusal.ts';
import { createRefusalRecorder } from './record-refusal.ts';
import type { SecondaryJwt, SecondaryRequest } from './secondary-jwt.ts';
import { answerQuery } from './secondary-jwt.ts';
import { createSignerKeys } from './signer-keys.ts';
import type { FindSigner, SignersOfVersion, TrustedSigner, TrustedSigners } from './trusted-signers.ts';
import type { VerifyToken } from './verify-token.ts';
import { createTokenVerifier } from './verify-token.ts';

/** The JWTs of external signers that requests bring in `Authorization`. */
export interface ExternalJwts {
  /** The signers that are enabled. */
  enabled(version: string): Promise<readonly TrustedSigner[]>;
  readonly find: FindSigner;
  /** Whether a signer still verifies the same JWTs, for the same identities, as when this object was read. */
  isUnchanged(signer: TrustedSigner, version: string): Promise<boolean>;
  readonly verify: VerifyToken;
  /** Says how the tokens of a request answer the JWT that the auth policy of its identity requires. */
  answerQuery(tokens: readonly string[], request: SecondaryRequest): Promise<SecondaryJwt>;
  readonly recordRefusal: RecordRefusal;
  /** Ends the fetches of keys that are under way: they would keep the process alive. */
  close(): void;
}

interface ExternalJwtsOptions {
  readonly signers: TrustedSigners;
  readonly settings: FetchSettings & Pick<Settings, 'jwtClockTolerance' | 'jwtMaxLifetime'>;
  readonly audit: Pick<AuditLog, 'publish'>;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly log: Logger;
  readonly meter: Meter | null;
}

export function createExternalJwts({
  signers,
  settings,
  audit,
  clock,
  machine,
  log,
  meter,
}: ExternalJwtsOptions): ExternalJwts {
  const steady = continueSteadyClock(null, clock, machine);
  const jwks = new JwksSource({
    ...{ read: readKeySet, settings, clock: steady, log },
    ...(meter && { measure: meter.measure({ kind: 'jwks', labels: {} }), headers: () => meter.outgoingHeaders() }),
  });
  let current: SignersOfVersion | null = null;
  /** Also drops the keys of signers that are deleted or disabled. */
  const signersAt = async (version: string): Promise<SignersOfVersion> => {
    const found = await signers.at(version);
    // An older read may lack a new signer, whose keys are being fetched.
    if (current === null || found.order > current.order) {
      current = found;
      jwks.retain(enabledOf(found).map(({ id }) => id));
    }
    return found;
  };

  const find: FindSigner = async (id, version) => (await signersAt(version)).byId.get(id) ?? null;
  const verify = createTokenVerifier({ signersAt, keysOf: createSignerKeys(jwks), settings, clock });
  const recordRefusal = createRefusalRecorder(audit);

  return {
    enabled: async (version) => enabledOf(await signersAt(version)),
    ...{ find, verify, recordRefusal },
    async isUnchanged(signer, version) {
      const now = await find(signer.id, version);
      return now === signer || isDeepStrictEqual({ ...now, ...forClients }, { ...signer, ...forClients });
    },
    answerQuery: (tokens, request) => answerQuery({ find, verify, recordRefusal }, tokens, request),
    close: () => jwks.retain([]),
  };
}

/** What clients get to know. No check depends on it. */
const forClients = { externalAuthUrl: null, clientId: null, scopes: null };

function enabledOf({ byId }: SignersOfVersion): readonly TrustedSigner[] {
  return [...byId.values()].filter(({ enabled }) => enabled);
}
