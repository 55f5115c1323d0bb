import type { Semantic } from './plain-roles.ts';
import { selects } from './plain-roles.ts';

// Who may use which service, evaluated plainly: no SQL, no caches, no stores.

export const sessionTypes = ['Dial', 'Bind'] as const;
export type SessionType = (typeof sessionTypes)[number];

export interface ModelPolicy {
  readonly type: SessionType;
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly postureCheckRoles: readonly string[];
}

/** What each check wants. */
export type ModelCheck = { readonly id: string; readonly roleAttributes: readonly string[] } & Wanted;

export type Wanted =
  | { readonly typeId: 'DOMAIN'; readonly domains: readonly string[] }
  | { readonly typeId: 'OS'; readonly least: number }
  | { readonly typeId: 'PROCESS' }
  | { readonly typeId: 'MFA'; readonly timeoutSeconds: number; readonly promptOnWake: boolean };

export interface ModelIdentity {
  readonly roleAttributes: readonly string[];
  /** Which TOTP it has, `null`: none. */
  readonly totp: number | null;
}

/** An API session. Times are in milliseconds since 1970. */
export interface ModelApiSession {
  readonly identity: number;
  /** The TOTP of which it has sent a code last. */
  readonly passed: { readonly totp: number; readonly at: number } | null;
  readonly domain: string | null;
  readonly version: number | null;
  /** The id of the check for which the process runs. */
  readonly runsFor: string | null;
  readonly wokenAt: number | null;
}

/** That of a device of which nothing is known. */
export function noDevice(identity: number): ModelApiSession {
  return { identity, passed: null, domain: null, version: null, runsFor: null, wokenAt: null };
}

/** A session of a service. */
export interface ModelSession {
  readonly apiSession: number;
  readonly service: number;
  readonly type: SessionType;
}

export interface World {
  readonly identities: readonly ModelIdentity[];
  /** Their role attributes. */
  readonly services: readonly (readonly string[])[];
  readonly checks: readonly ModelCheck[];
  readonly policies: readonly ModelPolicy[];
  readonly apiSessions: readonly ModelApiSession[];
  /** Those that live, by their ids. */
  readonly sessions: ReadonlyMap<string, ModelSession>;
}

const gracePeriod = 300_000;

/** Whether an API session has answered all its authentication queries. */
export function isFull(world: World, apiSession: ModelApiSession): boolean {
  const { totp } = identityOf(world, apiSession);
  return totp === null || apiSession.passed?.totp === totp;
}

/** What `POST /sessions` says: `unknown` is 404, `other type` 400, `failing` 409. */
export function judge(
  world: World,
  { apiSession: place, service, type }: ModelSession,
  now: number,
): 'partial' | 'unknown' | 'other type' | 'failing' | 'passing' {
  const apiSession = world.apiSessions[place]!;
  if (!isFull(world, apiSession)) return 'partial';
  const policies = world.policies.filter(
    (one) =>
      selects(one.identityRoles, one.semantic, {
        place: apiSession.identity,
        held: identityOf(world, apiSession).roleAttributes,
      }) && selects(one.serviceRoles, one.semantic, { place: service, held: world.services[service]! }),
  );
  if (policies.length === 0) return 'unknown';
  const ofType = policies.filter((one) => one.type === type);
  if (ofType.length === 0) return 'other type';
  return ofType.some((one) => checksOf(world, one).every((check) => passes(world, check, apiSession, now)))
    ? 'passing'
    : 'failing';
}

/** The world without the sessions whose right is lost now. */
export function withoutLost(world: World, now: number): World {
  return withSessions(world, (session) => judge(world, session, now) === 'passing');
}

/** The world with these of its sessions. */
export function withSessions(world: World, isKept: (session: ModelSession) => boolean): World {
  return { ...world, sessions: new Map([...world.sessions].filter(([, session]) => isKept(session))) };
}

/** What is deleted is in no roles any more. */
export function withoutRole(world: World, field: 'identityRoles' | 'serviceRoles' | 'postureCheckRoles', at: number) {
  const policies = world.policies.map((policy) => ({
    ...policy,
    [field]: policy[field].filter((role) => role !== `@${at}`),
  }));
  return { ...world, policies };
}

function identityOf(world: World, { identity }: ModelApiSession): ModelIdentity {
  return world.identities[identity]!;
}

function checksOf(world: World, policy: ModelPolicy): readonly ModelCheck[] {
  const { postureCheckRoles, semantic } = policy;
  return world.checks.filter((check, place) =>
    selects(postureCheckRoles, semantic, { place, held: check.roleAttributes }),
  );
}

function passes(world: World, check: ModelCheck, apiSession: ModelApiSession, now: number): boolean {
  const { domain, version, runsFor, passed, wokenAt } = apiSession;
  switch (check.typeId) {
    case 'DOMAIN':
      return domain !== null && check.domains.includes(domain);
    case 'OS':
      return version !== null && version >= check.least;
    case 'PROCESS':
      return runsFor === check.id;
    case 'MFA': {
      if (!passed || passed.totp !== identityOf(world, apiSession).totp) return false;
      const asksAgain = check.promptOnWake && wokenAt !== null && wokenAt > passed.at && now >= wokenAt + gracePeriod;
      return !asksAgain && (check.timeoutSeconds <= 0 || now < passed.at + check.timeoutSeconds * 1_000);
    }
  }
}
