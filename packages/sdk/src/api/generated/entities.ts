// Generated from @edge-controller/shared-types by scripts/generate-sdk-types.ts. Do not edit.

/** What happened to the account of the caller. */
export interface AccountEvent {
  /** When it happened, RFC 3339, UTC. */
  createdAt: string;
  /** The name of the entry of the audit log, such as `authentication.failed`. docs/events.md has all of them. */
  event: string;
  /** Whether it was done, or refused. */
  outcome: 'success' | 'failure';
  /** True when it was done in the name of the caller. False: by an administrator, or by somebody who was refused. */
  byOwner: boolean;
  /** The address that it came from. Null: the controller did it, or an administrator. */
  ipAddress: string | null;
}

/** Where an API of a controller is. */
export interface ApiAddress {
  url?: string | undefined;
  version?: string | undefined;
}

/** `error` of the error envelope. */
export interface ApiError {
  /** Code of the error catalogue. */
  code: string;
  /** All errors with one code have the same message. */
  message: string;
  /** The id of the request in the logs of the controller. */
  requestId: string;
  cause?: ApiErrorCause | undefined;
}

/** Why a request was refused: a field with a reason, or an inner error with a code and a message. */
export interface ApiErrorCause {
  /** The refused member of the request. */
  field?: string | undefined;
  /** Why it was refused. */
  reason?: string | undefined;
  /** What was sent. */
  value?: string | undefined;
  code?: string | undefined;
  message?: string | undefined;
  data?: unknown;
}

/** The body of every error response. */
export interface ApiErrorEnvelope {
  error: ApiError;
  meta: { apiEnrollmentVersion: string; apiVersion: string };
}

/** An API session: the proof that an identity has signed in. */
export interface ApiSessionDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /**
   * Secret. Empty in lists of a caller's own sessions, and for a caller who is no administrator and reads those of
   * all.
   */
  token: string;
  /** Outstanding authentication queries. While there is one, the session is partial. */
  authQueries: AuthQueryDetail[];
  /** The credential of the sign-in. */
  authenticatorId: string;
  cachedLastActivityAt: string;
  /** The last request of the session, RFC 3339. */
  lastActivityAt: string;
  /** Config types that the client has asked for at the sign-in. */
  configTypes: string[];
  identity: EntityRef;
  identityId: string;
  /** The address of the client at the sign-in. */
  ipAddress: string;
  /** Whether the session needs a second factor: TOTP, or the JWT of a signer. */
  isMfaRequired: boolean;
  /** Whether it needs one and none is outstanding. */
  isMfaComplete: boolean;
  /** Whether the certificate of the sign-in was issued by the network, so that it can be extended. */
  isCertExtendable: boolean;
  /** Whether the administrator has asked for a new certificate. */
  isCertExtendRequested?: boolean | undefined;
  /** Whether the new certificate must have a new key. */
  isCertKeyRollRequested?: boolean | undefined;
  /** True when the client presented too few intermediates to reach a root. */
  improperClientCertChain?: boolean | undefined;
}

/** What is known of the device in one API session. */
export interface ApiSessionPostureData {
  mfa: PostureDataMfa;
  endpointState?: PostureDataEndpointState | null | undefined;
  sdkInfo?: SdkInfo | null | undefined;
}

/** What a controller has signed about the audit log: that it had this entry with this hash. */
export interface AuditCheckpointDetail {
  /**
   * `checkpoint`: the last entry at that time. `anchor`: the last of the entries that were removed because of
   * their age.
   */
  kind: 'checkpoint' | 'anchor';
  sequence: number;
  /** The hash of this entry, in hex. */
  hash: string;
  /** When it was signed. RFC 3339, UTC. */
  createdAt: string;
  /** The signed text: a JWS in the compact form, whose header has the certificate of the controller. */
  jws: string;
}

/** An entry of the audit log: one act, who did it, and what became of it. */
export interface AuditEntryDetail {
  /** 1, 2, 3 … without gaps, over all controllers of the network. */
  sequence: number;
  /** When the act happened, by the clock of the controller that wrote the entry. RFC 3339, UTC. */
  createdAt: string;
  /** The name of the act, such as `entity.updated`. docs/events.md has all of them. */
  event: string;
  /** Whether the act was done, or refused. */
  outcome: 'success' | 'failure';
  /** The identity that acted. Null: the controller itself, or nobody whom it knows. */
  identityId: string | null;
  /** The kind of what was acted on, singular in camel case: `authPolicy`. Null: nothing in particular. */
  entityType: string | null;
  entityId: string | null;
  /** What belongs to the act. docs/events.md has the members of each event. It has no secrets. */
  details: Record<string, unknown>;
  /** The address of the client. Null: no request asked for the act. */
  ipAddress: string | null;
  /** The id of the request in the logs and in error responses. Null: no request asked for the act. */
  requestId: string | null;
  /** SHA-256 over the hash of the entry before and the members of this one, in hex. */
  hash: string;
}

/** The body that creates an auth policy. */
export interface AuthPolicyCreate {
  name: string;
  primary: AuthPolicyPrimary;
  secondary: AuthPolicySecondary;
  tags?: Tags | null | undefined;
}

/** Which credentials identities may use, and which second factors they need. */
export interface AuthPolicyDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  primary: AuthPolicyPrimary;
  secondary: AuthPolicySecondary;
}

/** The body that changes fields of an auth policy. What is absent or null stays as it is. */
export interface AuthPolicyPatch {
  name?: string | null | undefined;
  primary?: AuthPolicyPrimaryPatch | null | undefined;
  secondary?: AuthPolicySecondaryPatch | null | undefined;
  tags?: Tags | null | undefined;
}

/** Rules for the first credential of a sign-in, by its kind. */
export interface AuthPolicyPrimary {
  cert: AuthPolicyPrimaryCert;
  extJwt: AuthPolicyPrimaryExtJwt;
  updb: AuthPolicyPrimaryUpdb;
  /**
   * Minutes after the sign-in when an API session ends, however much it is used. When the controller has such a
   * limit, too, the shorter one counts. 0 stands for no limit, the default.
   */
  maxSessionMinutes?: number | null | undefined;
}

/** Rules for X.509 client certificates. A certificate that is not valid yet is never allowed. */
export interface AuthPolicyPrimaryCert {
  allowed: boolean;
  allowExpiredCerts: boolean;
  /**
   * Binds API sessions to certificates. A session that a certificate has opened then works only on connections
   * with a certificate of this session: that of the sign-in, its replacement, or one that was issued in the
   * session. Default: false.
   */
  bindSessions?: boolean | null | undefined;
}

/** Rules for X.509 client certificates. A certificate that is not valid yet is never allowed. */
export interface AuthPolicyPrimaryCertPatch {
  allowed?: boolean | null | undefined;
  allowExpiredCerts?: boolean | null | undefined;
  /**
   * Binds API sessions to certificates. A session that a certificate has opened then works only on connections
   * with a certificate of this session: that of the sign-in, its replacement, or one that was issued in the
   * session. Default: false.
   */
  bindSessions?: boolean | null | undefined;
}

/** Rules for JWTs of external signers. When `allowedSigners` is empty, all enabled signers are allowed. */
export interface AuthPolicyPrimaryExtJwt {
  allowed: boolean;
  allowedSigners: string[];
}

/** Rules for JWTs of external signers. When `allowedSigners` is empty, all enabled signers are allowed. */
export interface AuthPolicyPrimaryExtJwtPatch {
  allowed?: boolean | null | undefined;
  allowedSigners?: string[] | null | undefined;
}

/** Rules for the first credential of a sign-in, by its kind. */
export interface AuthPolicyPrimaryPatch {
  cert?: AuthPolicyPrimaryCertPatch | null | undefined;
  extJwt?: AuthPolicyPrimaryExtJwtPatch | null | undefined;
  updb?: AuthPolicyPrimaryUpdbPatch | null | undefined;
  /**
   * Minutes after the sign-in when an API session ends, however much it is used. When the controller has such a
   * limit, too, the shorter one counts. 0 stands for no limit, the default.
   */
  maxSessionMinutes?: number | null | undefined;
}

/**
 * Rules for user names and passwords. A `minPasswordLength` below 5 is stored as 5. After `maxAttempts` wrong
 * passwords in a row, the identity is disabled for `lockoutDurationMinutes`. With 0 attempts it is never
 * disabled. With 0 minutes it stays disabled until an administrator enables it.
 */
export interface AuthPolicyPrimaryUpdb {
  allowed: boolean;
  /** 5 to 100. A lower value is stored as 5. */
  minPasswordLength: number;
  requireSpecialChar: boolean;
  requireNumberChar: boolean;
  requireMixedCase: boolean;
  /** Wrong passwords in a row that disable the identity. 0: never. */
  maxAttempts: number;
  /** 0: until an administrator enables the identity. */
  lockoutDurationMinutes: number;
}

/**
 * Rules for user names and passwords. A `minPasswordLength` below 5 is stored as 5. After `maxAttempts` wrong
 * passwords in a row, the identity is disabled for `lockoutDurationMinutes`. With 0 attempts it is never
 * disabled. With 0 minutes it stays disabled until an administrator enables it.
 */
export interface AuthPolicyPrimaryUpdbPatch {
  allowed?: boolean | null | undefined;
  /** 5 to 100. A lower value is stored as 5. */
  minPasswordLength?: number | null | undefined;
  requireSpecialChar?: boolean | null | undefined;
  requireNumberChar?: boolean | null | undefined;
  requireMixedCase?: boolean | null | undefined;
  /** Wrong passwords in a row that disable the identity. 0: never. */
  maxAttempts?: number | null | undefined;
  /** 0: until an administrator enables the identity. */
  lockoutDurationMinutes?: number | null | undefined;
}

/** Required second factors. `requireExtJwtSigner` is the id of a signer; an empty one removes the requirement. */
export interface AuthPolicySecondary {
  requireTotp: boolean;
  requireExtJwtSigner?: string | null | undefined;
}

/** Required second factors. `requireExtJwtSigner` is the id of a signer; an empty one removes the requirement. */
export interface AuthPolicySecondaryPatch {
  requireTotp?: boolean | null | undefined;
  requireExtJwtSigner?: string | null | undefined;
}

/** The body that replaces every writable field of an auth policy. */
export interface AuthPolicyUpdate {
  name: string;
  primary: AuthPolicyPrimary;
  secondary: AuthPolicySecondary;
  tags?: Tags | null | undefined;
}

/**
 * One outstanding authentication query of an API session. `typeId` distinguishes the kinds. A newer controller
 * may send further ones.
 */
export type AuthQueryDetail = MfaAuthQuery | ExtJwtAuthQuery | NewPasswordAuthQuery;

/** The body of a sign-in. Certificates and JWTs need neither user name nor password. */
export interface Authenticate {
  username?: string | null | undefined;
  password?: string | null | undefined;
  /** Config types that the session can read. */
  configTypes?: string[] | null | undefined;
  envInfo?: EnvInfo | null | undefined;
  sdkInfo?: SdkInfo | null | undefined;
}

/** The body that creates an authenticator. */
export interface AuthenticatorCreate {
  /** `updb` or `cert`. */
  method: 'updb' | 'cert';
  identityId: string;
  /** The user name of `updb`, 4 to 100 characters. */
  username?: string | null | undefined;
  /** The password of `updb`, 5 to 100 characters; the auth policy may require more. */
  password?: string | null | undefined;
  /** The certificate of `cert`, in PEM. */
  certPem?: string | null | undefined;
  tags?: Tags | null | undefined;
}

/** A credential of an identity: a password (`updb`) or a certificate (`cert`). */
export interface AuthenticatorDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /** `updb` or `cert`. */
  method: 'updb' | 'cert';
  identityId: string;
  identity: EntityRef;
  /** The user name of `updb`, 4 to 100 characters. */
  username?: string | undefined;
  /** The certificate of `cert`, in PEM. */
  certPem?: string | undefined;
  /** SHA-1 of the certificate, in lower-case hex. */
  fingerprint?: string | undefined;
  /** Whether the controller has issued the certificate, so that its owner can renew it. */
  isIssuedByNetwork?: boolean | undefined;
  /** Whether its owner is asked to renew the certificate. */
  isExtendRequested?: boolean | undefined;
  /** Whether the new certificate must have a new key. */
  isKeyRollRequested?: boolean | undefined;
  extendRequestedAt?: string | undefined;
  /** Whether the last renewal changed the key. */
  lastExtendRolledKeys?: boolean | undefined;
  /** Whether the certificates of the last sign-in led to a root. */
  lastAuthResolvedToRoot?: boolean | undefined;
}

/** The body that changes fields of an authenticator. What is absent or null stays as it is. */
export interface AuthenticatorPatch {
  /** The user name of `updb`, 4 to 100 characters. */
  username?: string | null | undefined;
  /** The password of `updb`, 5 to 100 characters; the auth policy may require more. */
  password?: string | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that changes user name or password of the caller. What is absent or null stays as it is. */
export interface AuthenticatorPatchWithCurrent {
  /** The user name of `updb`, 4 to 100 characters. */
  username?: string | null | undefined;
  /** The password of `updb`, 5 to 100 characters; the auth policy may require more. */
  password?: string | null | undefined;
  tags?: Tags | null | undefined;
  currentPassword: string;
  /** Ends all other API sessions of the caller. Default: false. */
  endOtherSessions?: boolean | null | undefined;
}

/** The body that replaces every writable field of an authenticator. */
export interface AuthenticatorUpdate {
  /** The user name of `updb`, 4 to 100 characters. */
  username: string;
  /** The password of `updb`, 5 to 100 characters; the auth policy may require more. */
  password: string;
  tags?: Tags | null | undefined;
}

/** The body that replaces user name and password of the caller. */
export interface AuthenticatorUpdateWithCurrent {
  /** The user name of `updb`, 4 to 100 characters. */
  username: string;
  /** The password of `updb`, 5 to 100 characters; the auth policy may require more. */
  password: string;
  tags?: Tags | null | undefined;
  currentPassword: string;
  /** Ends all other API sessions of the caller. Default: false. */
  endOtherSessions?: boolean | null | undefined;
}

/** The body that creates a CA. */
export interface CaCreate {
  name: string;
  /** The certificate of the CA, in PEM. */
  certPem: string;
  /** Whether its certificates can enroll without an enrollment. */
  isAutoCaEnrollmentEnabled: boolean;
  /** Whether its certificates can redeem enrollments of method `ottca`. */
  isOttCaEnrollmentEnabled: boolean;
  /** Whether its certificates can sign in. */
  isAuthEnabled: boolean;
  /** Role attributes of identities that enroll themselves. */
  identityRoles: string[];
  /** Name of identities that enroll themselves: `[caName]-[commonName]`. */
  identityNameFormat?: string | null | undefined;
  /** Where a certificate has the external id of an identity. Default: certificates have none. */
  externalIdClaim?: ExternalIdClaimCreate | null | undefined;
  tags?: Tags | null | undefined;
}

/** A certificate authority of another organisation. Its certificates can enroll and sign in. */
export interface CaDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** The certificate of the CA, in PEM. */
  certPem: string;
  /** SHA-1 of the certificate, in lower-case hex. */
  fingerprint: string;
  /** Whether its owner has proved to have the key. An unverified CA is not used. */
  isVerified: boolean;
  /** The common name of the certificate that verifies the CA. */
  verificationToken?: string | undefined;
  /** Whether its certificates can enroll without an enrollment. */
  isAutoCaEnrollmentEnabled: boolean;
  /** Whether its certificates can redeem enrollments of method `ottca`. */
  isOttCaEnrollmentEnabled: boolean;
  /** Whether its certificates can sign in. */
  isAuthEnabled: boolean;
  /** Role attributes of identities that enroll themselves. */
  identityRoles: string[] | null;
  /** Name of identities that enroll themselves: `[caName]-[commonName]`. */
  identityNameFormat: string;
  /** Where a certificate has the external id of an identity. Default: certificates have none. */
  externalIdClaim?: ExternalIdClaim | undefined;
}

/** The body that changes fields of a CA. What is absent or null stays as it is. */
export interface CaPatch {
  name?: string | null | undefined;
  /** Whether its certificates can enroll without an enrollment. */
  isAutoCaEnrollmentEnabled?: boolean | null | undefined;
  /** Whether its certificates can redeem enrollments of method `ottca`. */
  isOttCaEnrollmentEnabled?: boolean | null | undefined;
  /** Whether its certificates can sign in. */
  isAuthEnabled?: boolean | null | undefined;
  /** Role attributes of identities that enroll themselves. */
  identityRoles?: string[] | null | undefined;
  /** Name of identities that enroll themselves: `[caName]-[commonName]`. */
  identityNameFormat?: string | null | undefined;
  /** Where a certificate has the external id of an identity. Default: certificates have none. */
  externalIdClaim?: ExternalIdClaimPatch | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a CA. */
export interface CaUpdate {
  name: string;
  /** Whether its certificates can enroll without an enrollment. */
  isAutoCaEnrollmentEnabled: boolean;
  /** Whether its certificates can redeem enrollments of method `ottca`. */
  isOttCaEnrollmentEnabled: boolean;
  /** Whether its certificates can sign in. */
  isAuthEnabled: boolean;
  /** Role attributes of identities that enroll themselves. */
  identityRoles: string[];
  /** Name of identities that enroll themselves: `[caName]-[commonName]`. */
  identityNameFormat: string;
  /** Where a certificate has the external id of an identity. Default: certificates have none. */
  externalIdClaim?: ExternalIdClaimCreate | null | undefined;
  tags?: Tags | null | undefined;
}

/** A feature that `capabilities` of a version can name. */
export type Capabilities = 'OIDC_AUTH' | 'HA_CONTROLLER';

/**
 * A connection of an application to a service, through one or more routers. `updatedAt`: when its path has
 * changed.
 */
export interface CircuitDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /** The identity that dialed. */
  clientId: string;
  service: EntityRef;
  terminator: EntityRef;
  path: CircuitPath;
}

/** The way of a circuit. Each link leads from one node to the next. */
export interface CircuitPath {
  /** The routers. The first one is that of the dialer, the last one that of the terminator. */
  nodes: EntityRef[];
  links: EntityRef[];
}

/** The public part of a signer: how a client gets a JWT. A member without a value is absent or null. */
export interface ClientExternalJwtSignerDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  externalAuthUrl: string | null;
  clientId?: string | undefined;
  audience?: string | undefined;
  scopes: string[] | null;
  targetToken: 'ACCESS' | 'ID';
  enrollToCertEnabled?: boolean | undefined;
  enrollToTokenEnabled?: boolean | undefined;
}

/** What applications see of an edge router. */
export interface CommonEdgeRouterProperties {
  name: string;
  /** Where the router can be reached. Empty while it is offline. */
  hostname: string;
  isOnline: boolean;
  /** Protocol → address. `{}` while the router is offline. */
  supportedProtocols: Record<string, string>;
  /** How far the router knows the API sessions. */
  syncStatus: string;
  /** 0 to 65535. A path through a router with a higher cost is chosen less often. */
  cost: number;
  noTraversal: boolean;
  /** A disabled router cannot connect. */
  disabled: boolean;
}

/** The body that creates a config. */
export interface ConfigCreate {
  name: string;
  /** It never changes. */
  configTypeId: string;
  /** What the schema of the type describes, at most 64 KiB as JSON. Every PATCH has to send all of it. */
  data: Record<string, unknown>;
  tags?: Tags | null | undefined;
}

/** Settings for the applications that use or offer a service, or for routers. */
export interface ConfigDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** It never changes. */
  configTypeId: string;
  configType: EntityRef;
  /** What the schema of the type describes, at most 64 KiB as JSON. Every PATCH has to send all of it. */
  data: Record<string, unknown>;
}

/** The body that changes fields of a config. What is absent or null stays as it is. */
export interface ConfigPatch {
  name?: string | null | undefined;
  /** What the schema of the type describes, at most 64 KiB as JSON. Every PATCH has to send all of it. */
  data?: Record<string, unknown> | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that creates a config type. */
export interface ConfigTypeCreate {
  /** Unique, at most 500 characters. `all` is reserved. */
  name: string;
  /** A JSON schema whose root type is `object`, at most 64 KiB as JSON. Null: configs may have any data. */
  schema?: Record<string, unknown> | null | undefined;
  /** What configs of this type are for. It never changes. Default: `service`. */
  target?: 'service' | 'router' | null | undefined;
  tags?: Tags | null | undefined;
}

/** A type of configs: what their data must look like. */
export interface ConfigTypeDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /** Unique, at most 500 characters. `all` is reserved. */
  name: string;
  /** A JSON schema whose root type is `object`, at most 64 KiB as JSON. Null: configs may have any data. */
  schema: Record<string, unknown> | null;
  /** What configs of this type are for. It never changes. Default: `service`. */
  target: 'service' | 'router';
}

/** The body that changes fields of a config type. What is absent or null stays as it is. */
export interface ConfigTypePatch {
  /** Unique, at most 500 characters. `all` is reserved. */
  name?: string | null | undefined;
  /** A JSON schema whose root type is `object`, at most 64 KiB as JSON. Null: configs may have any data. */
  schema?: Record<string, unknown> | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a config type. */
export interface ConfigTypeUpdate {
  /** Unique, at most 500 characters. `all` is reserved. */
  name: string;
  /** A JSON schema whose root type is `object`, at most 64 KiB as JSON. Null: configs may have any data. */
  schema?: Record<string, unknown> | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a config. */
export interface ConfigUpdate {
  name: string;
  /** What the schema of the type describes, at most 64 KiB as JSON. Every PATCH has to send all of it. */
  data: Record<string, unknown>;
  tags?: Tags | null | undefined;
}

/** A controller of a cluster. */
export interface ControllerDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** Its certificate. */
  certPem: string;
  /** SHA-1 of its certificate. */
  fingerprint: string;
  isOnline: boolean;
  isPreferredLeader?: boolean | undefined;
  lastJoinedAt: string;
  /** Where routers connect. */
  ctrlAddress?: string | null | undefined;
  /** By the name of the API, as in the version. */
  apiAddresses?: Record<string, ApiAddress[]> | undefined;
}

/** The data of a response to create: the id of the new entity and its link. */
export interface CreateLocation {
  _links: Links;
  id: string;
}

/** The body that asks for a certificate of the API session. */
export interface CurrentApiSessionCertificateCreate {
  /** PKCS#10 in PEM. */
  csr: string;
}

/** A new certificate of the API session, and the trusted CA certificates, in PEM. */
export interface CurrentApiSessionCertificateCreateResponse {
  _links: Links;
  id: string;
  certificate: string;
  cas: string;
}

/** A certificate that belongs to one API session and ends with it. */
export interface CurrentApiSessionCertificateDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  subject: string;
  fingerprint: string;
  validFrom: string;
  validTo: string;
  certificate: string;
}

/** The API session of the caller. */
export interface CurrentApiSessionDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /**
   * Secret. Empty in lists of a caller's own sessions, and for a caller who is no administrator and reads those of
   * all.
   */
  token: string;
  /** Outstanding authentication queries. While there is one, the session is partial. */
  authQueries: AuthQueryDetail[];
  /** The credential of the sign-in. */
  authenticatorId: string;
  cachedLastActivityAt: string;
  /** The last request of the session, RFC 3339. */
  lastActivityAt: string;
  /** Config types that the client has asked for at the sign-in. */
  configTypes: string[];
  identity: EntityRef;
  identityId: string;
  /** The address of the client at the sign-in. */
  ipAddress: string;
  /** Whether the session needs a second factor: TOTP, or the JWT of a signer. */
  isMfaRequired: boolean;
  /** Whether it needs one and none is outstanding. */
  isMfaComplete: boolean;
  /** Whether the certificate of the sign-in was issued by the network, so that it can be extended. */
  isCertExtendable: boolean;
  /** Whether the administrator has asked for a new certificate. */
  isCertExtendRequested?: boolean | undefined;
  /** Whether the new certificate must have a new key. */
  isCertKeyRollRequested?: boolean | undefined;
  /** True when the client presented too few intermediates to reach a root. */
  improperClientCertChain?: boolean | undefined;
  /** The seconds without a call after which the session ends: the session timeout, or less before `endsAt`. */
  expirationSeconds: number;
  /** When the session ends if no further call is made, RFC 3339. */
  expiresAt: string;
  /** When it ends however much it is used, RFC 3339. Absent: nothing but its timeout ends it. */
  endsAt?: string | undefined;
}

/** When the services of the caller changed last. */
export interface CurrentApiSessionServiceUpdateList {
  /** RFC 3339. Another value than before, and a later one: `GET /services` may have another response. */
  lastChangeAt: string;
}

/** An edge router that the identity of the session may use. */
export interface CurrentIdentityEdgeRouterDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** Where the router can be reached. Empty while it is offline. */
  hostname: string;
  isOnline: boolean;
  /** Protocol → address. `{}` while the router is offline. */
  supportedProtocols: Record<string, string>;
  /** How far the router knows the API sessions. */
  syncStatus: string;
  /** 0 to 65535. A path through a router with a higher cost is chosen less often. */
  cost: number;
  noTraversal: boolean;
  /** A disabled router cannot connect. */
  disabled: boolean;
}

/**
 * The TOTP of the caller. Only an unverified TOTP has `provisioningUrl` (with the secret) and the recovery
 * codes.
 */
export interface DetailMfa {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  isVerified: boolean;
  recoveryCodes: string[] | null;
  provisioningUrl?: string | undefined;
}

/** The recovery codes that are not used yet. */
export interface DetailMfaRecoveryCodes {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  recoveryCodes: string[];
}

/** The body that disables an identity. */
export interface DisableParams {
  /** 0 or less: for ever. */
  durationMinutes: number;
}

/** The body that creates an edge router. */
export interface EdgeRouterCreate {
  name: string;
  cost?: number | null | undefined;
  noTraversal?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
  configs?: string[] | null | undefined;
  ctrlChanListeners?: Record<string, string[]> | null | undefined;
  roleAttributes?: string[] | null | undefined;
  /** Whether the router dials and hosts services itself. It then has an identity with its id and name. */
  isTunnelerEnabled?: boolean | null | undefined;
  /** Data of the application. The controller does not read it. */
  appData?: Tags | null | undefined;
  tags?: Tags | null | undefined;
}

/** A router that applications connect to. */
export interface EdgeRouterDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  cost: number;
  noTraversal: boolean;
  disabled: boolean;
  configs: string[] | null;
  ctrlChanListeners: Record<string, string[]> | null;
  isVerified: boolean;
  fingerprint?: string | undefined;
  unverifiedFingerprint: string | null;
  unverifiedCertPem: string | null;
  isOnline: boolean;
  enrollmentToken?: string | null | undefined;
  enrollmentJwt?: string | null | undefined;
  enrollmentCreatedAt?: string | null | undefined;
  enrollmentExpiresAt?: string | null | undefined;
  interfaces: NetworkInterface[] | null;
  roleAttributes: string[] | null;
  /** Whether the router dials and hosts services itself. It then has an identity with its id and name. */
  isTunnelerEnabled: boolean;
  /** Data of the application. The controller does not read it. */
  appData: Tags;
  /** Its client certificate with its chain, in PEM. */
  certPem: string | null;
  /** Where the router can be reached. Empty while it is offline. */
  hostname: string;
  /** Protocol → address. `{}` while the router is offline. */
  supportedProtocols: Record<string, string>;
  /** How far the router knows the API sessions. */
  syncStatus: string;
  /** What the router runs. Empty texts while it is offline. */
  versionInfo: { version: string; revision: string; buildDate: string; os: string; arch: string };
}

/** The body that changes fields of an edge router. What is absent or null stays as it is. */
export interface EdgeRouterPatch {
  name?: string | null | undefined;
  cost?: number | null | undefined;
  noTraversal?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
  configs?: string[] | null | undefined;
  ctrlChanListeners?: Record<string, string[]> | null | undefined;
  roleAttributes?: string[] | null | undefined;
  /** Whether the router dials and hosts services itself. It then has an identity with its id and name. */
  isTunnelerEnabled?: boolean | null | undefined;
  /** Data of the application. The controller does not read it. */
  appData?: Tags | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that creates an edge router policy. */
export interface EdgeRouterPolicyCreate {
  name: string;
  semantic: 'AllOf' | 'AnyOf';
  identityRoles?: string[] | null | undefined;
  edgeRouterRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** Which identities may use which edge routers. */
export interface EdgeRouterPolicyDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  semantic: 'AllOf' | 'AnyOf';
  identityRoles: string[] | null;
  identityRolesDisplay: NamedRole[];
  edgeRouterRoles: string[] | null;
  edgeRouterRolesDisplay: NamedRole[];
  /** Whether the controller has made it, for the identity of a router. Nobody else can change or delete it. */
  isSystem: boolean;
}

/** The body that changes fields of an edge router policy. What is absent or null stays as it is. */
export interface EdgeRouterPolicyPatch {
  name?: string | null | undefined;
  semantic?: 'AllOf' | 'AnyOf' | null | undefined;
  identityRoles?: string[] | null | undefined;
  edgeRouterRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of an edge router policy. */
export interface EdgeRouterPolicyUpdate {
  name: string;
  semantic: 'AllOf' | 'AnyOf';
  identityRoles?: string[] | null | undefined;
  edgeRouterRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of an edge router. */
export interface EdgeRouterUpdate {
  name: string;
  cost?: number | null | undefined;
  noTraversal?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
  configs?: string[] | null | undefined;
  ctrlChanListeners?: Record<string, string[]> | null | undefined;
  roleAttributes?: string[] | null | undefined;
  /** Whether the router dials and hosts services itself. It then has an identity with its id and name. */
  isTunnelerEnabled?: boolean | null | undefined;
  /** Data of the application. The controller does not read it. */
  appData?: Tags | null | undefined;
  tags?: Tags | null | undefined;
}

/**
 * What a redeemed enrollment brings.
 *
 * - `ott`: the certificate, then its intermediates, in PEM; the trusted CA certificates are at
 * `/.well-known/est/cacerts`
 * - `erott`, `trott`: the same for a router, its server certificate, and the trusted CA certificates in PEM
 * - `updb`: the user name to sign in with
 * - `ottca`, `ca`: nothing, because the client has its certificate already
 * - `token`: with a CSR as `ott`, and the trusted CA certificates in PEM; without one nothing
 */
export interface EnrollmentCerts {
  username?: string | undefined;
  cert?: string | undefined;
  serverCert?: string | undefined;
  ca?: string | undefined;
}

/** The body that creates an enrollment. */
export interface EnrollmentCreate {
  /**
   * `ott`: the identity gets a certificate. `ottca`: it already has one of a CA. `updb`: it sets a password.
   * `erott` and `trott`: the router gets its certificates.
   */
  method: 'ott' | 'ottca' | 'updb';
  /** The identity. Absent when it is a router that enrolls. */
  identityId: string;
  /** The CA of `ottca`. */
  caId?: string | null | undefined;
  /** The user name of `updb`. */
  username?: string | null | undefined;
  /** RFC 3339. */
  expiresAt: string;
  tags?: Tags | null | undefined;
}

/** The right of an identity or a router to get its first credential, once, with a token. */
export interface EnrollmentDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /**
   * `ott`: the identity gets a certificate. `ottca`: it already has one of a CA. `updb`: it sets a password.
   * `erott` and `trott`: the router gets its certificates.
   */
  method: 'ott' | 'ottca' | 'updb' | 'erott' | 'trott';
  /** The identity. Absent when it is a router that enrolls. */
  identityId?: string | undefined;
  identity?: EntityRef | undefined;
  /** The edge router of `erott`. */
  edgeRouterId?: string | undefined;
  edgeRouter?: EntityRef | undefined;
  /** The transit router of `trott`. */
  transitRouterId?: string | undefined;
  transitRouter?: EntityRef | undefined;
  /** The CA of `ottca`. */
  caId?: string | undefined;
  /** The user name of `updb`. */
  username?: string | undefined;
  /** RFC 3339. */
  expiresAt: string;
  /** Secret. It redeems the enrollment once. Empty for a caller who may not make enrollments. */
  token: string;
  /**
   * The token with the address of the controller, signed by it. Give this to the device or the router. Empty as
   * `token`.
   */
  jwt: string;
}

/** The body that renews an enrollment. */
export interface EnrollmentRefresh {
  /** The new expiry, RFC 3339. */
  expiresAt: string;
}

/** A reference to another entity. `entity` is the name of its collection. */
export interface EntityRef {
  _links: Links;
  entity: string;
  id: string;
  name?: string | undefined;
}

/** The environment of a client. The client sends it when it authenticates. */
export interface EnvInfo {
  arch?: string | undefined;
  domain?: string | undefined;
  hostname?: string | undefined;
  os?: string | undefined;
  osRelease?: string | undefined;
  osVersion?: string | undefined;
}

/** Body of `erott`: the token, and both CSRs of the router. */
export interface ErOttEnrollmentRequest {
  token?: string | null | undefined;
  /** For the certificate with which the router connects. */
  clientCsr?: string | null | undefined;
  /** For the certificate that its clients meet. */
  serverCsr?: string | null | undefined;
}

/** Asks for a JWT of an external signer. */
export interface ExtJwtAuthQuery {
  typeId: 'EXT-JWT';
  provider: 'url';
  /** The id of the signer. */
  id: string;
  /** Where the person logs in. */
  httpUrl?: string | undefined;
  /** The client of the signer at its provider. */
  clientId?: string | undefined;
  /** The scopes to ask the provider for. */
  scopes: string[] | null;
}

/** Where the external id of an identity is in a certificate. */
export interface ExternalIdClaim {
  /** The part of the certificate. */
  location: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL';
  /** Which values of this part count. */
  matcher: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME';
  /** The prefix, suffix or scheme. */
  matcherCriteria: string;
  /** How the id is cut out of the value. */
  parser: 'NONE' | 'SPLIT';
  /** The text between the parts of `SPLIT`. */
  parserCriteria: string;
  /** Which of the found values is the id. The first one is 0. */
  index: number;
}

/** `externalIdClaim` in a request. All members are required. Those that the claim does not use may be null. */
export interface ExternalIdClaimCreate {
  /** The part of the certificate. */
  location: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL';
  /** Which values of this part count. */
  matcher: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME';
  /** The prefix, suffix or scheme. */
  matcherCriteria: string | null;
  /** How the id is cut out of the value. */
  parser: 'NONE' | 'SPLIT';
  /** The text between the parts of `SPLIT`. */
  parserCriteria: string | null;
  /** Which of the found values is the id. The first one is 0. */
  index: number | null;
}

/** Where the external id of an identity is in a certificate. */
export interface ExternalIdClaimPatch {
  /** The part of the certificate. */
  location?: 'COMMON_NAME' | 'SAN_URI' | 'SAN_EMAIL' | null | undefined;
  /** Which values of this part count. */
  matcher?: 'ALL' | 'PREFIX' | 'SUFFIX' | 'SCHEME' | null | undefined;
  /** The prefix, suffix or scheme. */
  matcherCriteria?: string | null | undefined;
  /** How the id is cut out of the value. */
  parser?: 'NONE' | 'SPLIT' | null | undefined;
  /** The text between the parts of `SPLIT`. */
  parserCriteria?: string | null | undefined;
  /** Which of the found values is the id. The first one is 0. */
  index?: number | null | undefined;
}

/** One check of a JWT. `expected` and `received` have values of claims and header members, never the token. */
export interface ExternalJwtCheck {
  check: 'form' | 'header' | 'issuer' | 'enabled' | 'key' | 'algorithm' | 'signature' | 'claims' | 'expiry' | 'notBefore' | 'issuedAt' | 'lifetime' | 'audience' | 'tokenKind' | 'acr' | 'amr' | 'authTime' | 'identityClaim' | 'identity' | 'policy';
  passed: boolean;
  expected?: string | undefined;
  received?: string | undefined;
}

/** The body that creates an external JWT signer. */
export interface ExternalJwtSignerCreate {
  name: string;
  /** While it is false, every JWT of the signer is refused. */
  enabled: boolean;
  /** The exact claim `iss` of its JWTs. */
  issuer: string;
  /** The claim `aud` of a JWT must contain it. An empty text is stored as null. */
  audience: string;
  /** A certificate with its public key, in PEM. A signer has either this or `jwksEndpoint`. */
  certPem?: string | null | undefined;
  /** The URL of its keys: a JWK set (RFC 7517). */
  jwksEndpoint?: string | null | undefined;
  /** The header `kid` of JWTs that the key in `certPem` signs. Default: the fingerprint of the certificate. */
  kid?: string | null | undefined;
  /**
   * Which claim has the id of the identity: a JSON pointer, which begins with `/`, or the name of a root member,
   * such as `https://claims.example/id`. Default: `/sub`.
   */
  claimsProperty?: string | null | undefined;
  /** Whether this claim has the external id of the identity. Default: false, it has the id. */
  useExternalId?: boolean | null | undefined;
  /** Where users log in. */
  externalAuthUrl?: string | null | undefined;
  /** For the log-in by OpenID Connect. */
  clientId?: string | null | undefined;
  /** Scopes that a client asks the provider for. */
  scopes?: string[] | null | undefined;
  /**
   * Which token of the provider clients send: the access token or the id token. A JWT that is clearly the other
   * one is refused. Default: `ACCESS`.
   */
  targetToken?: '' | 'ACCESS' | 'ID' | null | undefined;
  /**
   * The claim `acr` of a JWT must be one of these: how sure the provider is of the person. An empty list stands
   * for none.
   */
  requiredAcr?: string[] | null | undefined;
  /** The claim `amr` of a JWT must have all of these, such as `otp` or `hwk`: how the person has signed in. */
  requiredAmr?: string[] | null | undefined;
  /** Minutes that the sign-in at the provider may be old, by the claim `auth_time` of a JWT. 0 stands for no limit. */
  maxAuthAgeMinutes?: number | null | undefined;
  /**
   * What ends an API session that a JWT has opened, however much it is used: `EXP`, the claim `exp` of this JWT;
   * `AUTH_AGE`, that its sign-in at the provider is older than `maxAuthAgeMinutes`. An empty text stands for
   * neither, the default.
   */
  sessionsEndAt?: '' | 'EXP' | 'AUTH_AGE' | null | undefined;
  /** Whether the holder of a JWT may enroll with a certificate. */
  enrollToCertEnabled?: boolean | null | undefined;
  /** Whether the holder of a JWT may enroll without a certificate. */
  enrollToTokenEnabled?: boolean | null | undefined;
  /** The auth policy of identities that enroll with a JWT of the signer. Default: `default`. */
  enrollAuthPolicyId?: string | null | undefined;
  /** Which claim has the name of an identity that enrolls, as in `claimsProperty`. Default: `/sub`. */
  enrollNameClaimsSelector?: string | null | undefined;
  /** Which claim has the role attributes of an identity that enrolls, as in `claimsProperty`. */
  enrollAttributeClaimsSelector?: string | null | undefined;
  tags?: Tags | null | undefined;
}

/** An issuer whose JWTs sign identities in: an identity provider, or whoever has the private key of `certPem`. */
export interface ExternalJwtSignerDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** While it is false, every JWT of the signer is refused. */
  enabled: boolean;
  /** The exact claim `iss` of its JWTs. */
  issuer: string;
  /** The claim `aud` of a JWT must contain it. An empty text is stored as null. */
  audience: string | null;
  /** A certificate with its public key, in PEM. A signer has either this or `jwksEndpoint`. */
  certPem: string | null;
  /** The URL of its keys: a JWK set (RFC 7517). */
  jwksEndpoint: string | null;
  /** The header `kid` of JWTs that the key in `certPem` signs. Default: the fingerprint of the certificate. */
  kid: string | null;
  /**
   * Which claim has the id of the identity: a JSON pointer, which begins with `/`, or the name of a root member,
   * such as `https://claims.example/id`. Default: `/sub`.
   */
  claimsProperty: string;
  /** Whether this claim has the external id of the identity. Default: false, it has the id. */
  useExternalId: boolean;
  /** Where users log in. */
  externalAuthUrl: string | null;
  /** For the log-in by OpenID Connect. */
  clientId: string | null;
  /** Scopes that a client asks the provider for. */
  scopes: string[] | null;
  /**
   * Which token of the provider clients send: the access token or the id token. A JWT that is clearly the other
   * one is refused. Default: `ACCESS`.
   */
  targetToken: 'ACCESS' | 'ID';
  /**
   * The claim `acr` of a JWT must be one of these: how sure the provider is of the person. An empty list stands
   * for none.
   */
  requiredAcr?: string[] | undefined;
  /** The claim `amr` of a JWT must have all of these, such as `otp` or `hwk`: how the person has signed in. */
  requiredAmr?: string[] | undefined;
  /** Minutes that the sign-in at the provider may be old, by the claim `auth_time` of a JWT. 0 stands for no limit. */
  maxAuthAgeMinutes?: number | undefined;
  /**
   * What ends an API session that a JWT has opened, however much it is used: `EXP`, the claim `exp` of this JWT;
   * `AUTH_AGE`, that its sign-in at the provider is older than `maxAuthAgeMinutes`. An empty text stands for
   * neither, the default.
   */
  sessionsEndAt?: 'EXP' | 'AUTH_AGE' | undefined;
  /** Whether the holder of a JWT may enroll with a certificate. */
  enrollToCertEnabled?: boolean | undefined;
  /** Whether the holder of a JWT may enroll without a certificate. */
  enrollToTokenEnabled?: boolean | undefined;
  /** The auth policy of identities that enroll with a JWT of the signer. Default: `default`. */
  enrollAuthPolicyId: string;
  /** Which claim has the name of an identity that enrolls, as in `claimsProperty`. Default: `/sub`. */
  enrollNameClaimsSelector: string;
  /** Which claim has the role attributes of an identity that enrolls, as in `claimsProperty`. */
  enrollAttributeClaimsSelector?: string | undefined;
  /** Subject and dates of the certificate. Without a certificate: an empty text, and the start of the year 1. */
  commonName: string;
  fingerprint: string | null;
  notBefore: string;
  notAfter: string;
}

/** The body that changes fields of an external JWT signer. What is absent or null stays as it is. */
export interface ExternalJwtSignerPatch {
  name?: string | null | undefined;
  /** While it is false, every JWT of the signer is refused. */
  enabled?: boolean | null | undefined;
  /** The exact claim `iss` of its JWTs. */
  issuer?: string | null | undefined;
  /** The claim `aud` of a JWT must contain it. An empty text is stored as null. */
  audience?: string | null | undefined;
  /** A certificate with its public key, in PEM. A signer has either this or `jwksEndpoint`. */
  certPem?: string | null | undefined;
  /** The URL of its keys: a JWK set (RFC 7517). */
  jwksEndpoint?: string | null | undefined;
  /** The header `kid` of JWTs that the key in `certPem` signs. Default: the fingerprint of the certificate. */
  kid?: string | null | undefined;
  /**
   * Which claim has the id of the identity: a JSON pointer, which begins with `/`, or the name of a root member,
   * such as `https://claims.example/id`. Default: `/sub`.
   */
  claimsProperty?: string | null | undefined;
  /** Whether this claim has the external id of the identity. Default: false, it has the id. */
  useExternalId?: boolean | null | undefined;
  /** Where users log in. */
  externalAuthUrl?: string | null | undefined;
  /** For the log-in by OpenID Connect. */
  clientId?: string | null | undefined;
  /** Scopes that a client asks the provider for. */
  scopes?: string[] | null | undefined;
  /**
   * Which token of the provider clients send: the access token or the id token. A JWT that is clearly the other
   * one is refused. Default: `ACCESS`.
   */
  targetToken?: '' | 'ACCESS' | 'ID' | null | undefined;
  /**
   * The claim `acr` of a JWT must be one of these: how sure the provider is of the person. An empty list stands
   * for none.
   */
  requiredAcr?: string[] | null | undefined;
  /** The claim `amr` of a JWT must have all of these, such as `otp` or `hwk`: how the person has signed in. */
  requiredAmr?: string[] | null | undefined;
  /** Minutes that the sign-in at the provider may be old, by the claim `auth_time` of a JWT. 0 stands for no limit. */
  maxAuthAgeMinutes?: number | null | undefined;
  /**
   * What ends an API session that a JWT has opened, however much it is used: `EXP`, the claim `exp` of this JWT;
   * `AUTH_AGE`, that its sign-in at the provider is older than `maxAuthAgeMinutes`. An empty text stands for
   * neither, the default.
   */
  sessionsEndAt?: '' | 'EXP' | 'AUTH_AGE' | null | undefined;
  /** Whether the holder of a JWT may enroll with a certificate. */
  enrollToCertEnabled?: boolean | null | undefined;
  /** Whether the holder of a JWT may enroll without a certificate. */
  enrollToTokenEnabled?: boolean | null | undefined;
  /** The auth policy of identities that enroll with a JWT of the signer. Default: `default`. */
  enrollAuthPolicyId?: string | null | undefined;
  /** Which claim has the name of an identity that enrolls, as in `claimsProperty`. Default: `/sub`. */
  enrollNameClaimsSelector?: string | null | undefined;
  /** Which claim has the role attributes of an identity that enrolls, as in `claimsProperty`. */
  enrollAttributeClaimsSelector?: string | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body with a JWT to test. */
export interface ExternalJwtSignerTest {
  token: string;
}

/** What a sign-in with this JWT would find. Without `identity`, the sign-in would be refused. */
export interface ExternalJwtSignerTestResult {
  isAccepted: boolean;
  checks: ExternalJwtCheck[];
  identity?: EntityRef | undefined;
}

/** The body that replaces every writable field of an external JWT signer. */
export interface ExternalJwtSignerUpdate {
  name: string;
  /** While it is false, every JWT of the signer is refused. */
  enabled: boolean;
  /** The exact claim `iss` of its JWTs. */
  issuer: string;
  /** The claim `aud` of a JWT must contain it. An empty text is stored as null. */
  audience: string;
  /** A certificate with its public key, in PEM. A signer has either this or `jwksEndpoint`. */
  certPem?: string | null | undefined;
  /** The URL of its keys: a JWK set (RFC 7517). */
  jwksEndpoint?: string | null | undefined;
  /** The header `kid` of JWTs that the key in `certPem` signs. Default: the fingerprint of the certificate. */
  kid?: string | null | undefined;
  /**
   * Which claim has the id of the identity: a JSON pointer, which begins with `/`, or the name of a root member,
   * such as `https://claims.example/id`. Default: `/sub`.
   */
  claimsProperty?: string | null | undefined;
  /** Whether this claim has the external id of the identity. Default: false, it has the id. */
  useExternalId?: boolean | null | undefined;
  /** Where users log in. */
  externalAuthUrl?: string | null | undefined;
  /** For the log-in by OpenID Connect. */
  clientId?: string | null | undefined;
  /** Scopes that a client asks the provider for. */
  scopes?: string[] | null | undefined;
  /**
   * Which token of the provider clients send: the access token or the id token. A JWT that is clearly the other
   * one is refused. Default: `ACCESS`.
   */
  targetToken?: '' | 'ACCESS' | 'ID' | null | undefined;
  /**
   * The claim `acr` of a JWT must be one of these: how sure the provider is of the person. An empty list stands
   * for none.
   */
  requiredAcr?: string[] | null | undefined;
  /** The claim `amr` of a JWT must have all of these, such as `otp` or `hwk`: how the person has signed in. */
  requiredAmr?: string[] | null | undefined;
  /** Minutes that the sign-in at the provider may be old, by the claim `auth_time` of a JWT. 0 stands for no limit. */
  maxAuthAgeMinutes?: number | null | undefined;
  /**
   * What ends an API session that a JWT has opened, however much it is used: `EXP`, the claim `exp` of this JWT;
   * `AUTH_AGE`, that its sign-in at the provider is older than `maxAuthAgeMinutes`. An empty text stands for
   * neither, the default.
   */
  sessionsEndAt?: '' | 'EXP' | 'AUTH_AGE' | null | undefined;
  /** Whether the holder of a JWT may enroll with a certificate. */
  enrollToCertEnabled?: boolean | null | undefined;
  /** Whether the holder of a JWT may enroll without a certificate. */
  enrollToTokenEnabled?: boolean | null | undefined;
  /** The auth policy of identities that enroll with a JWT of the signer. Default: `default`. */
  enrollAuthPolicyId?: string | null | undefined;
  /** Which claim has the name of an identity that enrolls, as in `claimsProperty`. Default: `/sub`. */
  enrollNameClaimsSelector?: string | null | undefined;
  /** Which claim has the role attributes of an identity that enrolls, as in `claimsProperty`. */
  enrollAttributeClaimsSelector?: string | null | undefined;
  tags?: Tags | null | undefined;
}

/** A session that was refused because the device does not pass the posture checks. */
export interface FailedServiceRequest {
  when: string;
  apiSessionId: string;
  serviceId: string;
  serviceName: string;
  sessionType: 'Dial' | 'Bind' | 'Invalid';
  policyFailures: PolicyFailure[];
}

/**
 * Body of an enrollment: the CSR for `ott`, the password for `updb` (the enrollment already has the user name),
 * the wanted name of the identity for `ca`, both CSRs of a router for `erott` and `trott`.
 */
export interface GenericEnroll {
  username?: string | null | undefined;
  password?: string | null | undefined;
  clientCsr?: string | null | undefined;
  /** Of a router: for the certificate with which it connects. Its common name is the id of the router. */
  certCsr?: string | null | undefined;
  /** Of a router: for the certificate that its clients meet. */
  serverCertCsr?: string | null | undefined;
  name?: string | null | undefined;
}

/** The body that creates an identity. */
export interface IdentityCreate {
  /** Unique, at most 500 characters. */
  name: string;
  /** `User`, `Device` and `Service` are stored as `Default`. */
  type: 'User' | 'Device' | 'Service' | 'Router' | 'Default';
  /** Policies select the identity by them. */
  roleAttributes?: string[] | null | undefined;
  /** Unique id of another system, for JWTs and third-party certificates. */
  externalId?: string | null | undefined;
  /**
   * The external JWT signer that alone may name the identity by its external id; certificates of CAs may not then.
   * Default: any may. An empty text removes it.
   */
  externalIdSignerId?: string | null | undefined;
  /** Which credentials the identity may use. Default: `default`. */
  authPolicyId?: string | null | undefined;
  /** Administrators have every permission. */
  isAdmin: boolean;
  /**
   * `admin_readonly`, an entity (`service`), or an entity and an action (`service.read`). Only administrators may
   * set them.
   */
  permissions?: Permissions | null | undefined;
  /** 0 to 65535. Default: 0. */
  defaultHostingCost?: number | null | undefined;
  defaultHostingPrecedence?: 'default' | 'required' | 'failed' | null | undefined;
  /** By the id of a service. */
  serviceHostingCosts?: Record<string, number> | null | undefined;
  /** By the id of a service. */
  serviceHostingPrecedences?: Record<string, 'default' | 'required' | 'failed'> | null | undefined;
  /** Data of the application, at most 64 KiB as JSON. The controller does not read it. */
  appData?: Record<string, unknown> | null | undefined;
  /**
   * How it gets its first credential. `ott`: a certificate of the network. `ottca`: a certificate of the CA with
   * this id. `updb`: a password for this user name.
   */
  enrollment?: { ott?: boolean | null | undefined; ottca?: string | null | undefined; updb?: string | null | undefined } | null | undefined;
  tags?: Tags | null | undefined;
}

/** A person, a device or a service that can sign in. */
export interface IdentityDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /** Unique, at most 500 characters. */
  name: string;
  typeId: 'User' | 'Device' | 'Service' | 'Router' | 'Default';
  /** `User`, `Device` and `Service` are stored as `Default`. */
  type: EntityRef;
  /** Policies select the identity by them. */
  roleAttributes: string[];
  /** Unique id of another system, for JWTs and third-party certificates. */
  externalId: string | null;
  /**
   * The external JWT signer that alone may name the identity by its external id; certificates of CAs may not then.
   * Default: any may. An empty text removes it.
   */
  externalIdSignerId?: string | undefined;
  externalIdSigner?: EntityRef | undefined;
  /** Which credentials the identity may use. Default: `default`. */
  authPolicyId: string;
  authPolicy: EntityRef;
  /** Administrators have every permission. */
  isAdmin: boolean;
  /**
   * `admin_readonly`, an entity (`service`), or an entity and an action (`service.read`). Only administrators may
   * set them.
   */
  permissions: Permissions | null;
  /** Whether it is the administrator that the first start created. */
  isDefaultAdmin: boolean;
  /** 0 to 65535. Default: 0. */
  defaultHostingCost: number;
  defaultHostingPrecedence: 'default' | 'required' | 'failed';
  /** By the id of a service. */
  serviceHostingCosts: Record<string, number>;
  /** By the id of a service. */
  serviceHostingPrecedences: Record<string, 'default' | 'required' | 'failed'>;
  /** Data of the application, at most 64 KiB as JSON. The controller does not read it. */
  appData: Record<string, unknown>;
  /**
   * How it gets its first credential. `ott`: a certificate of the network. `ottca`: a certificate of the CA with
   * this id. `updb`: a password for this user name.
   */
  enrollment: { ott?: { id: string; token: string; jwt: string; expiresAt: string } | undefined; ottca?: { id: string; token: string; jwt: string; expiresAt: string; caId: string; ca: EntityRef } | undefined; updb?: { id: string; token: string; jwt: string; expiresAt: string } | undefined };
  /** Its credentials by kind. */
  authenticators: { cert?: { id: string; fingerprint: string } | undefined; updb?: { id: string; username: string } | undefined };
  /** A disabled identity cannot sign in. */
  disabled: boolean;
  disabledAt?: string | undefined;
  /** RFC 3339. Absent while the identity is disabled for ever. */
  disabledUntil?: string | undefined;
  /** What its client sent at the last sign-in. */
  envInfo: EnvInfo;
  /** What its client sent at the last sign-in. */
  sdkInfo: SdkInfo;
  /** Whether it has a verified TOTP. */
  isMfaEnabled: boolean;
  /**
   * True when it has rights, and neither a verified TOTP nor an auth policy or a setting that asks for a second
   * factor.
   */
  lacksSecondFactor?: boolean | undefined;
  hasApiSession: boolean;
  hasEdgeRouterConnection: boolean;
  edgeRouterConnectionStatus: 'online' | 'offline' | 'unknown';
  interfaces: NetworkInterface[] | null;
}

/** A new certificate with its intermediates, and the trusted CA certificates, in PEM. */
export interface IdentityExtendCerts {
  clientCert: string;
  ca: string;
}

/** The body that asks for a new certificate. */
export interface IdentityExtendEnrollmentRequest {
  /** PKCS#10 in PEM. */
  clientCertCsr: string;
}

/** The body that confirms a new certificate. */
export interface IdentityExtendValidateEnrollmentRequest {
  clientCert: string;
}

/** The body that changes fields of an identity. What is absent or null stays as it is. */
export interface IdentityPatch {
  /** Unique, at most 500 characters. */
  name?: string | null | undefined;
  /** `User`, `Device` and `Service` are stored as `Default`. */
  type?: 'User' | 'Device' | 'Service' | 'Router' | 'Default' | null | undefined;
  /** Policies select the identity by them. */
  roleAttributes?: string[] | null | undefined;
  /** Unique id of another system, for JWTs and third-party certificates. */
  externalId?: string | null | undefined;
  /**
   * The external JWT signer that alone may name the identity by its external id; certificates of CAs may not then.
   * Default: any may. An empty text removes it.
   */
  externalIdSignerId?: string | null | undefined;
  /** Which credentials the identity may use. Default: `default`. */
  authPolicyId?: string | null | undefined;
  /** Administrators have every permission. */
  isAdmin?: boolean | null | undefined;
  /**
   * `admin_readonly`, an entity (`service`), or an entity and an action (`service.read`). Only administrators may
   * set them.
   */
  permissions?: Permissions | null | undefined;
  /** 0 to 65535. Default: 0. */
  defaultHostingCost?: number | null | undefined;
  defaultHostingPrecedence?: 'default' | 'required' | 'failed' | null | undefined;
  /** By the id of a service. */
  serviceHostingCosts?: Record<string, number> | null | undefined;
  /** By the id of a service. */
  serviceHostingPrecedences?: Record<string, 'default' | 'required' | 'failed'> | null | undefined;
  /** Data of the application, at most 64 KiB as JSON. The controller does not read it. */
  appData?: Record<string, unknown> | null | undefined;
  tags?: Tags | null | undefined;
}

/**
 * A type of identities. There are two: `Default`, and `Router` for identities that the controller makes for
 * routers.
 */
export interface IdentityTypeDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
}

/** The body that replaces every writable field of an identity. */
export interface IdentityUpdate {
  /** Unique, at most 500 characters. */
  name: string;
  /** `User`, `Device` and `Service` are stored as `Default`. */
  type: 'User' | 'Device' | 'Service' | 'Router' | 'Default';
  /** Policies select the identity by them. */
  roleAttributes?: string[] | null | undefined;
  /** Unique id of another system, for JWTs and third-party certificates. */
  externalId?: string | null | undefined;
  /**
   * The external JWT signer that alone may name the identity by its external id; certificates of CAs may not then.
   * Default: any may. An empty text removes it.
   */
  externalIdSignerId?: string | null | undefined;
  /** Which credentials the identity may use. Default: `default`. */
  authPolicyId?: string | null | undefined;
  /** Administrators have every permission. */
  isAdmin: boolean;
  /**
   * `admin_readonly`, an entity (`service`), or an entity and an action (`service.read`). Only administrators may
   * set them.
   */
  permissions?: Permissions | null | undefined;
  /** 0 to 65535. Default: 0. */
  defaultHostingCost?: number | null | undefined;
  defaultHostingPrecedence?: 'default' | 'required' | 'failed' | null | undefined;
  /** By the id of a service. */
  serviceHostingCosts?: Record<string, number> | null | undefined;
  /** By the id of a service. */
  serviceHostingPrecedences?: Record<string, 'default' | 'required' | 'failed'> | null | undefined;
  /** Data of the application, at most 64 KiB as JSON. The controller does not read it. */
  appData?: Record<string, unknown> | null | undefined;
  tags?: Tags | null | undefined;
}

/** Where an entity or a list is, relative to the root of the API. */
export interface Link {
  href: string;
}

/** A connection between the two routers of a link. */
export interface LinkConnection {
  type: string;
  /** The address of the router that dialed. */
  source: string;
  /** The address of the other router. */
  dest: string;
}

/** A link between two routers. It carries the data of circuits, both ways. */
export interface LinkDetail {
  id: string;
  /** `tls` */
  protocol: string;
  /** The router that dialed. */
  sourceRouter: EntityRef;
  /** The router that was dialed. */
  destRouter: EntityRef;
  /** A link that is lost is not listed. */
  state: 'Connected';
  /** True: no new path leads over it. */
  down: boolean;
  staticCost: number;
  /** Nanoseconds, as the source measures them; 65 seconds until then. */
  sourceLatency: number;
  /** Nanoseconds, as the destination measures them; 65 seconds until then. */
  destLatency: number;
  /** The static cost and the milliseconds of both latencies. */
  cost: number;
  /** How often the source has dialed the link again. */
  iteration: number;
  connections: LinkConnection[];
}

/** Links by the name of their relation. `self` is the entity itself. */
export type Links = Record<string, Link>;

/** Protocol → address. */
export type ListProtocols = Record<string, Protocol>;

/**
 * Query of every list. `limit`: default 10, maximum 500, -1 for all. With -1 and an `offset` above 0 the list is
 * empty. `filter` and `sort` use the query language.
 */
export interface ListQuery {
  /** Rows of a page. Default 10, maximum 500, -1 for all. */
  limit?: number | undefined;
  /** The first row. Default 0. */
  offset?: number | undefined;
  /** A condition of the query language: `name contains "sensor" and isAdmin = false`. */
  filter?: string | undefined;
  /** Symbols with `asc` (default) or `desc`: `name desc, createdAt`. */
  sort?: string | undefined;
}

/** Name of entities → how many there are. `services.edge` counts the services, `routers.edge` the edge routers. */
export type ListSummaryCounts = Record<string, number>;

/**
 * `meta` of every envelope. Lists have the first two members; a list that does not come from a store may lack
 * one or both. Errors have the other two. `meta` of any other response is empty, or null where its operation
 * says so.
 */
export interface Meta {
  filterableFields?: string[] | undefined;
  pagination?: Pagination | undefined;
  apiEnrollmentVersion?: string | undefined;
  apiVersion?: string | undefined;
}

/** Asks for a TOTP code or a recovery code. */
export interface MfaAuthQuery {
  typeId: 'MFA';
  provider: 'ziti';
  format: 'numeric' | 'alpha' | 'alphaNumeric';
  minLength: number;
  maxLength: number;
  httpMethod: 'POST';
  /** Where the answer goes, relative to the root of the API. */
  httpUrl: string;
  scopes: string[] | null;
  /** Whether the identity has a TOTP. When false, it must enroll one. Older controllers do not send it. */
  isTotpEnrolled?: boolean | undefined;
}

/** A TOTP code (six digits, RFC 6238). Some operations also accept a recovery code. */
export interface MfaCode {
  code: string;
}

/** A role of a policy as people read it. */
export interface NamedRole {
  /** The role as the policy has it. */
  role: string;
  /** `@name` for `@id`, else the role itself. */
  name: string;
}

/** One network interface of a device. */
export interface NetworkInterface {
  name: string;
  hardwareAddress: string;
  mtu: number;
  index: number;
  isUp: boolean;
  isRunning: boolean;
  isLoopback: boolean;
  isBroadcast: boolean;
  isMulticast: boolean;
  addresses?: string[] | null | undefined;
}

/** A JWT with which a device without an enrollment learns the address of the network. It has no secret. */
export interface NetworkJWT {
  name: string;
  /** Signed with the key of the certificate that TLS shows. It never expires. */
  token: string;
}

/** Asks for a new password in place of one that somebody else has set. */
export interface NewPasswordAuthQuery {
  typeId: 'NEW-PASSWORD';
  provider: 'ziti';
  /** The id of the authenticator that has the password. */
  id: string;
  minLength: number;
  maxLength: number;
  httpMethod: 'PATCH';
  /** Where the present and the new password go, relative to the root of the API. */
  httpUrl: string;
  scopes: string[] | null;
}

/** An operating system, with ranges of versions. */
export interface OperatingSystem {
  type: 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';
  /** Ranges of semantic versions: `>=10.0.0 <11.0.0`. Null or empty: any version. */
  versions: string[] | null;
}

/** Body of `ott` and `ottca`, which needs no CSR. */
export interface OttEnrollmentRequest {
  token?: string | null | undefined;
  clientCsr?: string | null | undefined;
}

/** The position of a page in its list. */
export interface Pagination {
  limit: number;
  offset: number;
  /** Rows of the whole list. */
  totalCount: number;
}

/** What an identity may do on the Management API without being an administrator. */
export type Permissions = ('admin_readonly' | 'audit-log' | 'audit-log.read' | 'auth-policy' | 'auth-policy.read' | 'auth-policy.create' | 'auth-policy.update' | 'auth-policy.delete' | 'ca' | 'ca.read' | 'ca.create' | 'ca.update' | 'ca.delete' | 'config' | 'config.read' | 'config.create' | 'config.update' | 'config.delete' | 'config-type' | 'config-type.read' | 'config-type.create' | 'config-type.update' | 'config-type.delete' | 'edge-router-policy' | 'edge-router-policy.read' | 'edge-router-policy.create' | 'edge-router-policy.update' | 'edge-router-policy.delete' | 'enrollment' | 'enrollment.read' | 'enrollment.create' | 'enrollment.update' | 'enrollment.delete' | 'external-jwt-signer' | 'external-jwt-signer.read' | 'external-jwt-signer.create' | 'external-jwt-signer.update' | 'external-jwt-signer.delete' | 'identity' | 'identity.read' | 'identity.create' | 'identity.update' | 'identity.delete' | 'ops' | 'ops.read' | 'ops.update' | 'ops.delete' | 'posture-check' | 'posture-check.read' | 'posture-check.create' | 'posture-check.update' | 'posture-check.delete' | 'router' | 'router.read' | 'router.create' | 'router.update' | 'router.delete' | 'service' | 'service.read' | 'service.create' | 'service.update' | 'service.delete' | 'service-edge-router-policy' | 'service-edge-router-policy.read' | 'service-edge-router-policy.create' | 'service-edge-router-policy.update' | 'service-edge-router-policy.delete' | 'service-policy' | 'service-policy.read' | 'service-policy.create' | 'service-policy.update' | 'service-policy.delete' | 'terminator' | 'terminator.read' | 'terminator.create' | 'terminator.update' | 'terminator.delete')[];

/** Whether an identity can use a service, and what it may lack. What is false or 0 is left out. */
export interface PolicyAdvice {
  identityId: string;
  identity: EntityRef;
  serviceId: string;
  service: EntityRef;
  isBindAllowed?: boolean | undefined;
  isDialAllowed?: boolean | undefined;
  /** How many edge routers the identity may use. */
  identityRouterCount?: number | undefined;
  /** Through how many edge routers the service can be reached. */
  serviceRouterCount?: number | undefined;
  /** The edge routers through which the identity reaches the service. Null: none. */
  commonRouters: RouterEntityRef[] | null;
}

/** A policy with posture checks that did not pass. */
export interface PolicyFailure {
  policyId: string;
  policyName: string;
  checks: PostureCheckFailure[];
}

/** The body that creates a posture check. */
export interface PostureCheckCreate {
  name: string;
  /**
   * The kind. Each request must send it, and it never changes: a request with another kind changes no member of a
   * kind.
   */
  typeId: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  roleAttributes?: string[] | null | undefined;
  /** Of `OS`: the device must have one of them. */
  operatingSystems?: OperatingSystem[] | null | undefined;
  /** Of `DOMAIN`: the device must be in one of these Windows domains. */
  domains?: string[] | null | undefined;
  /** Of `MAC`: the device must have one of these addresses. They are shown as 12 lower-case hex digits. */
  macAddresses?: string[] | null | undefined;
  /** Of `PROCESS`. */
  process?: Process | null | undefined;
  /** Of `PROCESS_MULTI`: whether all of the processes must run. */
  semantic?: 'AllOf' | 'AnyOf' | null | undefined;
  /** Of `PROCESS_MULTI`. */
  processes?: ProcessMulti[] | null | undefined;
  /** Of `MFA`: seconds after which another TOTP code is needed. -1: never. */
  timeoutSeconds?: number | null | undefined;
  /** Of `MFA`: another code is needed after the device woke. */
  promptOnWake?: boolean | null | undefined;
  /** Of `MFA`: another code is needed after the device was unlocked. */
  promptOnUnlock?: boolean | null | undefined;
  /** Of `MFA`: clients that cannot ask for a code need none again. */
  ignoreLegacyEndpoints?: boolean | null | undefined;
  tags?: Tags | null | undefined;
}

/**
 * What must be true of a device, or of its user, before a service may be used. The kind says which members it
 * has.
 */
export interface PostureCheckDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /**
   * The kind. Each request must send it, and it never changes: a request with another kind changes no member of a
   * kind.
   */
  typeId: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  roleAttributes: string[];
  version: number;
  /** Of `OS`: the device must have one of them. */
  operatingSystems?: OperatingSystem[] | undefined;
  /** Of `DOMAIN`: the device must be in one of these Windows domains. */
  domains?: string[] | undefined;
  /** Of `MAC`: the device must have one of these addresses. They are shown as 12 lower-case hex digits. */
  macAddresses?: string[] | undefined;
  /** Of `PROCESS`. */
  process?: Process | undefined;
  /** Of `PROCESS_MULTI`: whether all of the processes must run. */
  semantic?: 'AllOf' | 'AnyOf' | undefined;
  /** Of `PROCESS_MULTI`. */
  processes?: ProcessMulti[] | undefined;
  /** Of `MFA`: seconds after which another TOTP code is needed. -1: never. */
  timeoutSeconds?: number | undefined;
  /** Of `MFA`: another code is needed after the device woke. */
  promptOnWake?: boolean | undefined;
  /** Of `MFA`: another code is needed after the device was unlocked. */
  promptOnUnlock?: boolean | undefined;
  /** Of `MFA`: clients that cannot ask for a code need none again. */
  ignoreLegacyEndpoints?: boolean | undefined;
}

/** A posture check that did not pass: what the device had, and what it must have. The kind says their types. */
export interface PostureCheckFailure {
  postureCheckId: string;
  postureCheckName: string;
  postureCheckType: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  actualValue?: unknown;
  expectedValue?: unknown;
  /** Of `MFA`. */
  criteria?: PostureChecksFailureMfaCriteria | undefined;
  /** Of `PROCESS_MULTI`: whether all of the processes must run. */
  semantic?: 'AllOf' | 'AnyOf' | undefined;
}

/** The body that changes fields of a posture check. What is absent or null stays as it is. */
export interface PostureCheckPatch {
  name?: string | null | undefined;
  /**
   * The kind. Each request must send it, and it never changes: a request with another kind changes no member of a
   * kind.
   */
  typeId: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  roleAttributes?: string[] | null | undefined;
  /** Of `OS`: the device must have one of them. */
  operatingSystems?: OperatingSystem[] | null | undefined;
  /** Of `DOMAIN`: the device must be in one of these Windows domains. */
  domains?: string[] | null | undefined;
  /** Of `MAC`: the device must have one of these addresses. They are shown as 12 lower-case hex digits. */
  macAddresses?: string[] | null | undefined;
  /** Of `PROCESS`. */
  process?: Process | null | undefined;
  /** Of `PROCESS_MULTI`: whether all of the processes must run. */
  semantic?: 'AllOf' | 'AnyOf' | null | undefined;
  /** Of `PROCESS_MULTI`. */
  processes?: ProcessMulti[] | null | undefined;
  /** Of `MFA`: seconds after which another TOTP code is needed. -1: never. */
  timeoutSeconds?: number | null | undefined;
  /** Of `MFA`: another code is needed after the device woke. */
  promptOnWake?: boolean | null | undefined;
  /** Of `MFA`: another code is needed after the device was unlocked. */
  promptOnUnlock?: boolean | null | undefined;
  /** Of `MFA`: clients that cannot ask for a code need none again. */
  ignoreLegacyEndpoints?: boolean | null | undefined;
  tags?: Tags | null | undefined;
}

/** A kind of posture checks, with the operating systems that it is known for. There is none for `MFA`. */
export interface PostureCheckTypeDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  operatingSystems: OperatingSystem[];
  version: string | null;
}

/** The body that replaces every writable field of a posture check. */
export interface PostureCheckUpdate {
  name: string;
  /**
   * The kind. Each request must send it, and it never changes: a request with another kind changes no member of a
   * kind.
   */
  typeId: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  roleAttributes?: string[] | null | undefined;
  /** Of `OS`: the device must have one of them. */
  operatingSystems?: OperatingSystem[] | null | undefined;
  /** Of `DOMAIN`: the device must be in one of these Windows domains. */
  domains?: string[] | null | undefined;
  /** Of `MAC`: the device must have one of these addresses. They are shown as 12 lower-case hex digits. */
  macAddresses?: string[] | null | undefined;
  /** Of `PROCESS`. */
  process?: Process | null | undefined;
  /** Of `PROCESS_MULTI`: whether all of the processes must run. */
  semantic?: 'AllOf' | 'AnyOf' | null | undefined;
  /** Of `PROCESS_MULTI`. */
  processes?: ProcessMulti[] | null | undefined;
  /** Of `MFA`: seconds after which another TOTP code is needed. -1: never. */
  timeoutSeconds?: number | null | undefined;
  /** Of `MFA`: another code is needed after the device woke. */
  promptOnWake?: boolean | null | undefined;
  /** Of `MFA`: another code is needed after the device was unlocked. */
  promptOnUnlock?: boolean | null | undefined;
  /** Of `MFA`: clients that cannot ask for a code need none again. */
  ignoreLegacyEndpoints?: boolean | null | undefined;
  tags?: Tags | null | undefined;
}

/** When a second factor was proven, and how long that counts. */
export interface PostureChecksFailureMfaCriteria {
  passedMfaAt: string;
  wokenAt: string;
  unlockedAt: string;
  /** -1: it counts for ever. */
  timeoutSeconds: number;
  timeoutRemainingSeconds: number;
}

/** What the client of an identity has said about its device. */
export interface PostureData {
  mac: PostureDataMac;
  domain: PostureDataDomain;
  os: PostureDataOs;
  processes: PostureDataProcess[];
  /** By the id of the API session. */
  apiSessionPostureData: Record<string, ApiSessionPostureData>;
}

/** The Windows domain of a device. */
export interface PostureDataDomain {
  postureCheckId: string;
  timedOut: boolean;
  /** Null: the client has sent nothing. */
  lastUpdatedAt: string | null;
  domain: string | null;
}

/** When a device last woke up and was unlocked. */
export interface PostureDataEndpointState {
  wokenAt: string | null;
  unlockedAt: string | null;
}

/** The MAC addresses of a device. */
export interface PostureDataMac {
  postureCheckId: string;
  timedOut: boolean;
  /** Null: the client has sent nothing. */
  lastUpdatedAt: string | null;
  addresses: string[] | null;
}

/** Whether an API session has proven a second factor. */
export interface PostureDataMfa {
  apiSessionId: string;
  passedMfa: boolean;
  passedOnWake: boolean;
  passedOnUnlock: boolean;
  passedAt: string | null;
}

/** The operating system of a device. */
export interface PostureDataOs {
  postureCheckId: string;
  timedOut: boolean;
  /** Null: the client has sent nothing. */
  lastUpdatedAt: string | null;
  type: string | null;
  version: string | null;
  build: string | null;
}

/** A program that was asked for. */
export interface PostureDataProcess {
  postureCheckId: string;
  timedOut: boolean;
  /** Null: the client has sent nothing. */
  lastUpdatedAt: string | null;
  isRunning: boolean;
  binaryHash?: string | undefined;
  signerFingerprints: string[] | null;
}

/** A policy that lets the caller use a service, with its posture checks. The caller must pass all of them. */
export interface PostureQueries {
  policyId: string;
  policyType: 'Dial' | 'Bind' | 'Invalid';
  isPassing: boolean;
  postureQueries: PostureQuery[];
}

/** A posture check of a policy, and whether the API session of the caller passes it. */
export interface PostureQuery {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  queryType: 'OS' | 'PROCESS' | 'DOMAIN' | 'MAC' | 'MFA' | 'PROCESS_MULTI';
  isPassing: boolean;
  /** Seconds for which a pass counts. -1: for ever. */
  timeout: number;
  /** Seconds after which the check fails. -1: never. */
  timeoutRemaining: number;
  /** When the check fails. RFC 3339, UTC. Absent: never. */
  timeoutAt?: string | undefined;
  /** Of `MFA`. */
  promptOnWake?: boolean | undefined;
  /** Of `MFA`. */
  promptOnUnlock?: boolean | undefined;
  /** Of `MFA`: seconds after waking or unlocking in which a code is not needed yet. */
  promptGracePeriodSeconds?: number | undefined;
  /** Of `PROCESS`. */
  process?: PostureQueryProcess | undefined;
  /** Of `PROCESS_MULTI`, else null. */
  processes: PostureQueryProcess[] | null;
}

/** A program that a device must run. */
export interface PostureQueryProcess {
  osType: 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';
  path: string;
}

/** What a posture response has changed. */
export interface PostureResponse {
  services: PostureResponseService[];
}

/**
 * What a client says about its device, as an answer to a posture query of a service. The kind says which members
 * it has.
 */
export type PostureResponseCreate = { id: string; typeId: 'OS'; type: string; version: string; build?: string | undefined } | { id: string; typeId: 'DOMAIN'; domain: string } | { id: string; typeId: 'MAC'; macAddresses: string[] } | { id: string; typeId: 'PROCESS'; path?: string | undefined; isRunning?: boolean | undefined; hash?: string | undefined; signerFingerprints?: string[] | undefined } | { id: string; typeId: 'ENDPOINT_STATE'; woken?: boolean | undefined; unlocked?: boolean | undefined };

/** A service for which a TOTP code is needed sooner than before. */
export interface PostureResponseService {
  id: string;
  name: string;
  postureQueryType: string;
  /** Seconds for which a code counts. -1: for ever. */
  timeout: number;
  /** Seconds until another code is needed. */
  timeoutRemaining: number;
}

/** A program that must run. */
export interface Process {
  osType: 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';
  path: string;
  /** SHA-512 of its file, in hex: one of them must be right. Empty: any. `PROCESS` shows them in lower case. */
  hashes?: string[] | null | undefined;
  signerFingerprint?: string | null | undefined;
}

/** A program that must run, signed by one of several. */
export interface ProcessMulti {
  osType: 'Windows' | 'WindowsServer' | 'Android' | 'iOS' | 'Linux' | 'macOS';
  path: string;
  /** SHA-512 of its file, in hex: one of them must be right. Empty: any. `PROCESS` shows them in lower case. */
  hashes?: string[] | null | undefined;
  signerFingerprints?: string[] | null | undefined;
}

/** How clients reach the controller with one protocol. */
export interface Protocol {
  /** Host and port. */
  address: string;
}

/** The body that replaces an authenticator by an enrollment. */
export interface ReEnroll {
  /** When the enrollment expires, RFC 3339. */
  expiresAt: string;
}

/** The body that asks for a new certificate. */
export interface RequestExtendAuthenticator {
  /** Whether the new certificate must have a new key. Default: false. */
  rollKeys?: boolean | null | undefined;
}

/**
 * Query of a list of entities that have role attributes. `roleFilter` selects by `#attribute` and `@id`, as the
 * roles of a policy do. `roleSemantic`: `AllOf` (default) or `AnyOf` of the attributes.
 */
export interface RoleListQuery {
  /** Rows of a page. Default 10, maximum 500, -1 for all. */
  limit?: number | undefined;
  /** The first row. Default 0. */
  offset?: number | undefined;
  /** A condition of the query language: `name contains "sensor" and isAdmin = false`. */
  filter?: string | undefined;
  /** Symbols with `asc` (default) or `desc`: `name desc, createdAt`. */
  sort?: string | undefined;
  /** `#attribute` and `@id`. */
  roleFilter?: string[] | undefined;
  /** `AllOf` (default) or `AnyOf` of the attributes. */
  roleSemantic?: 'AllOf' | 'AnyOf' | undefined;
}

/** The body that creates a router. */
export interface RouterCreate {
  name: string;
  cost?: number | null | undefined;
  noTraversal?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
  configs?: string[] | null | undefined;
  ctrlChanListeners?: Record<string, string[]> | null | undefined;
  tags?: Tags | null | undefined;
}

/** A router that only carries circuits between other routers. The list has the edge routers, too. */
export interface RouterDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  cost: number;
  noTraversal: boolean;
  disabled: boolean;
  configs: string[] | null;
  ctrlChanListeners: Record<string, string[]> | null;
  isVerified: boolean;
  /** SHA-1 of its client certificate, lower-case hex. Null: it has not enrolled. */
  fingerprint: string | null;
  unverifiedFingerprint: string | null;
  unverifiedCertPem: string | null;
  isOnline: boolean;
  enrollmentToken?: string | null | undefined;
  enrollmentJwt?: string | null | undefined;
  enrollmentCreatedAt?: string | null | undefined;
  enrollmentExpiresAt?: string | null | undefined;
  interfaces: NetworkInterface[] | null;
}

/** A reference to an edge router. */
export interface RouterEntityRef {
  _links: Links;
  entity: string;
  id: string;
  name?: string | undefined;
  isOnline: boolean;
}

/** Body of the renewal of the certificates of a router. */
export interface RouterExtendEnrollmentRequest {
  /** For the certificate with which the router connects. Its common name is the id of the router. */
  certCsr: string;
  /** For the certificate that its clients meet. */
  serverCertCsr: string;
}

/** The body that changes fields of a router. What is absent or null stays as it is. */
export interface RouterPatch {
  name?: string | null | undefined;
  cost?: number | null | undefined;
  noTraversal?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
  configs?: string[] | null | undefined;
  ctrlChanListeners?: Record<string, string[]> | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a router. */
export interface RouterUpdate {
  name: string;
  cost?: number | null | undefined;
  noTraversal?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
  configs?: string[] | null | undefined;
  ctrlChanListeners?: Record<string, string[]> | null | undefined;
  tags?: Tags | null | undefined;
}

/** The SDK and the application of a client. The client sends it when it authenticates. */
export interface SdkInfo {
  appId?: string | undefined;
  appVersion?: string | undefined;
  branch?: string | undefined;
  revision?: string | undefined;
  type?: string | undefined;
  version?: string | undefined;
}

/** What assigns or removes a service config. */
export interface ServiceConfigAssign {
  serviceId: string;
  configId: string;
}

/** The config that an identity has for a service, instead of the config of the service of the same type. */
export interface ServiceConfigDetail {
  serviceId: string;
  configId: string;
  service: EntityRef;
  config: EntityRef;
}

/** The body that creates a service. */
export interface ServiceCreate {
  name: string;
  /** Whether both ends encrypt what they send. PATCH does not change it. */
  encryptionRequired: boolean;
  roleAttributes?: string[] | null | undefined;
  /** Ids of configs for services, at most one of a type. */
  configs?: string[] | null | undefined;
  /** How a terminator is chosen: `smartrouting` (default), `random`, `sticky` or `weighted`. */
  terminatorStrategy?: string | null | undefined;
  /** Milliseconds after which a circuit without data ends. Default: 0, never. */
  maxIdleTimeMillis?: number | null | undefined;
  tags?: Tags | null | undefined;
}

/** What applications of the network offer and use. */
export interface ServiceDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** Whether both ends encrypt what they send. PATCH does not change it. */
  encryptionRequired: boolean;
  roleAttributes: string[] | null;
  /** Ids of configs for services, at most one of a type. */
  configs: string[] | null;
  /** How a terminator is chosen: `smartrouting` (default), `random`, `sticky` or `weighted`. */
  terminatorStrategy: string;
  /** Milliseconds after which a circuit without data ends. Default: 0, never. */
  maxIdleTimeMillis: number;
  /** What the caller may do with it. `Invalid` alone: nothing. */
  permissions: ('Dial' | 'Bind' | 'Invalid')[];
  /**
   * The data of its configs, by the name of the config type: of those types that the query or the API session asks
   * for.
   */
  config: Record<string, Record<string, unknown>>;
  /** The policies that let the caller use it. */
  postureQueries: PostureQueries[];
}

/** The body that creates a service edge router policy. */
export interface ServiceEdgeRouterPolicyCreate {
  name: string;
  semantic: 'AllOf' | 'AnyOf';
  serviceRoles?: string[] | null | undefined;
  edgeRouterRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** Through which edge routers services can be reached. */
export interface ServiceEdgeRouterPolicyDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  semantic: 'AllOf' | 'AnyOf';
  serviceRoles: string[] | null;
  serviceRolesDisplay: NamedRole[];
  edgeRouterRoles: string[] | null;
  edgeRouterRolesDisplay: NamedRole[];
}

/** The body that changes fields of a service edge router policy. What is absent or null stays as it is. */
export interface ServiceEdgeRouterPolicyPatch {
  name?: string | null | undefined;
  semantic?: 'AllOf' | 'AnyOf' | null | undefined;
  serviceRoles?: string[] | null | undefined;
  edgeRouterRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a service edge router policy. */
export interface ServiceEdgeRouterPolicyUpdate {
  name: string;
  semantic: 'AllOf' | 'AnyOf';
  serviceRoles?: string[] | null | undefined;
  edgeRouterRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** The edge routers through which the identity of the session reaches a service. */
export interface ServiceEdgeRouters {
  edgeRouters: CommonEdgeRouterProperties[];
}

/** The body that changes fields of a service. What is absent or null stays as it is. */
export interface ServicePatch {
  name?: string | null | undefined;
  roleAttributes?: string[] | null | undefined;
  /** Ids of configs for services, at most one of a type. */
  configs?: string[] | null | undefined;
  /** How a terminator is chosen: `smartrouting` (default), `random`, `sticky` or `weighted`. */
  terminatorStrategy?: string | null | undefined;
  /** Milliseconds after which a circuit without data ends. Default: 0, never. */
  maxIdleTimeMillis?: number | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that creates a service policy. */
export interface ServicePolicyCreate {
  name: string;
  /** `Dial`: the identities may use the services. `Bind`: they may offer them. */
  type: 'Dial' | 'Bind';
  semantic: 'AllOf' | 'AnyOf';
  identityRoles?: string[] | null | undefined;
  serviceRoles?: string[] | null | undefined;
  /** All of these posture checks must pass. */
  postureCheckRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** Which identities may use, or offer, which services, and what must be true of their devices. */
export interface ServicePolicyDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
  /** `Dial`: the identities may use the services. `Bind`: they may offer them. */
  type: 'Dial' | 'Bind';
  semantic: 'AllOf' | 'AnyOf';
  identityRoles: string[] | null;
  identityRolesDisplay: NamedRole[];
  serviceRoles: string[] | null;
  serviceRolesDisplay: NamedRole[];
  /** All of these posture checks must pass. */
  postureCheckRoles: string[] | null;
  postureCheckRolesDisplay: NamedRole[];
}

/** The body that changes fields of a service policy. What is absent or null stays as it is. */
export interface ServicePolicyPatch {
  name?: string | null | undefined;
  /** `Dial`: the identities may use the services. `Bind`: they may offer them. */
  type?: 'Dial' | 'Bind' | null | undefined;
  semantic?: 'AllOf' | 'AnyOf' | null | undefined;
  identityRoles?: string[] | null | undefined;
  serviceRoles?: string[] | null | undefined;
  /** All of these posture checks must pass. */
  postureCheckRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a service policy. */
export interface ServicePolicyUpdate {
  name: string;
  /** `Dial`: the identities may use the services. `Bind`: they may offer them. */
  type: 'Dial' | 'Bind';
  semantic: 'AllOf' | 'AnyOf';
  identityRoles?: string[] | null | undefined;
  serviceRoles?: string[] | null | undefined;
  /** All of these posture checks must pass. */
  postureCheckRoles?: string[] | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a service. */
export interface ServiceUpdate {
  name: string;
  /** Whether both ends encrypt what they send. PATCH does not change it. */
  encryptionRequired?: boolean | null | undefined;
  roleAttributes?: string[] | null | undefined;
  /** Ids of configs for services, at most one of a type. */
  configs?: string[] | null | undefined;
  /** How a terminator is chosen: `smartrouting` (default), `random`, `sticky` or `weighted`. */
  terminatorStrategy?: string | null | undefined;
  /** Milliseconds after which a circuit without data ends. Default: 0, never. */
  maxIdleTimeMillis?: number | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that asks for a session. */
export interface SessionCreate {
  serviceId?: string | null | undefined;
  /** Default: `Dial`. */
  type?: 'Dial' | 'Bind' | null | undefined;
  /** At most 1 KiB as JSON text. */
  tags?: Tags | null | undefined;
}

/** The right to dial or to bind one service, which belongs to one API session and ends with it. */
export interface SessionDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  type: 'Dial' | 'Bind';
  /** The JWT for edge routers, in the response that creates the session. Elsewhere the id of the session. */
  token: string;
  apiSessionId: string;
  apiSession: EntityRef;
  identityId: string;
  serviceId: string;
  service: EntityRef;
  /**
   * Those that the identity may use and through which the service can be reached, at most 25, connected ones
   * first.
   */
  edgeRouters: SessionEdgeRouter[];
}

/** An edge router through which a session reaches its service. */
export interface SessionEdgeRouter {
  name: string;
  /** Where the router can be reached. Empty while it is offline. */
  hostname: string;
  isOnline: boolean;
  /** Protocol → address. `{}` while the router is offline. */
  supportedProtocols: Record<string, string>;
  /** How far the router knows the API sessions. */
  syncStatus: string;
  /** 0 to 65535. A path through a router with a higher cost is chosen less often. */
  cost: number;
  noTraversal: boolean;
  /** A disabled router cannot connect. */
  disabled: boolean;
  /** The same as `supportedProtocols`. */
  urls: Record<string, string>;
}

/** A session, with what gives the right. */
export interface SessionManagementDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  type: 'Dial' | 'Bind';
  /** The JWT for edge routers, in the response that creates the session. Elsewhere the id of the session. */
  token: string;
  apiSessionId: string;
  apiSession: EntityRef;
  identityId: string;
  serviceId: string;
  service: EntityRef;
  /**
   * Those that the identity may use and through which the service can be reached, at most 25, connected ones
   * first.
   */
  edgeRouters: SessionEdgeRouter[];
  /** The service policies of its type whose posture checks all pass. */
  servicePolicies: EntityRef[];
}

/** The path that data of a session takes. */
export interface SessionRoutePathDetail {
  /** Ids of routers. Empty while there is no circuit. */
  routePath: string[];
}

/** One API description of the controller. */
export interface SpecDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  name: string;
}

/** Keys and values of an entity, at most 64 KiB. A value is a string, a number, a boolean or null. */
export type Tags = Record<string, unknown>;

/** What applications see of a terminator. */
export interface TerminatorClientDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  serviceId: string;
  service: EntityRef;
  routerId: string;
  /** The name that a caller can dial it by. Empty: none. */
  identity: string;
}

/** The body that creates a terminator. */
export interface TerminatorCreate {
  service: string;
  router: string;
  /** What the router does at the end of the path: `edge`, `transport`, … */
  binding: string;
  /** What the binding needs: the id of the session that hosts, or an address. */
  address: string;
  /**
   * The name that a caller can dial it by. It never changes. All terminators of a service with the same one are of
   * one host.
   */
  identity?: string | null | undefined;
  /** Base64. Where no identity hosts, those with the same `identity` must send the same one. */
  identitySecret?: string | null | undefined;
  /** Added to the cost of the path. Default: 0. */
  cost?: number | null | undefined;
  /** `required` before `default` before `failed`. */
  precedence?: 'default' | 'required' | 'failed' | null | undefined;
  tags?: Tags | null | undefined;
}

/** The end of a path to a service: a router, and how it reaches the application that offers the service. */
export interface TerminatorDetail {
  id: string;
  /** RFC 3339, UTC. */
  createdAt: string;
  /** RFC 3339, UTC. */
  updatedAt: string;
  tags: Tags;
  _links: Links;
  /** PUT must send it. It never changes. */
  serviceId: string;
  service: EntityRef;
  routerId: string;
  router: EntityRef;
  /** What the router does at the end of the path: `edge`, `transport`, … */
  binding: string;
  /** What the binding needs: the id of the session that hosts, or an address. */
  address: string;
  /**
   * The name that a caller can dial it by. It never changes. All terminators of a service with the same one are of
   * one host.
   */
  identity: string;
  /** Added to the cost of the path. Default: 0. */
  cost: number;
  /** `required` before `default` before `failed`. */
  precedence: 'default' | 'required' | 'failed';
  /** What the strategy of the service adds while it runs. */
  dynamicCost: number;
}

/** The body that changes fields of a terminator. What is absent or null stays as it is. */
export interface TerminatorPatch {
  router?: string | null | undefined;
  /** What the router does at the end of the path: `edge`, `transport`, … */
  binding?: string | null | undefined;
  /** What the binding needs: the id of the session that hosts, or an address. */
  address?: string | null | undefined;
  /** Added to the cost of the path. Default: 0. */
  cost?: number | null | undefined;
  /** `required` before `default` before `failed`. */
  precedence?: 'default' | 'required' | 'failed' | null | undefined;
  tags?: Tags | null | undefined;
}

/** The body that replaces every writable field of a terminator. */
export interface TerminatorUpdate {
  service: string;
  router: string;
  /** What the router does at the end of the path: `edge`, `transport`, … */
  binding: string;
  /** What the binding needs: the id of the session that hosts, or an address. */
  address: string;
  /** Added to the cost of the path. Default: 0. */
  cost?: number | null | undefined;
  /** `required` before `default` before `failed`. */
  precedence?: 'default' | 'required' | 'failed' | null | undefined;
  tags?: Tags | null | undefined;
}

/** Body of an enrollment with an external JWT. With a CSR the identity gets a certificate. */
export interface TokenEnrollmentRequest {
  clientCsr?: string | null | undefined;
}

/** The version of the controller, and where its APIs are. */
export interface VersionDetail {
  version: string;
  /** The commit that it was built from. */
  revision: string;
  buildDate: string;
  runtimeVersion: string;
  /** API → version → paths and addresses. */
  apiVersions: Record<string, Record<string, { path: string; apiBaseUrls: string[] }>>;
  /** Features of the controller that a client can use. */
  capabilities: string[];
}
