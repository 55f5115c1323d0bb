// Generated from @edge-controller/shared-types by scripts/generate-sdk-types.ts. Do not edit.
import type { ListPage } from '../list-page.ts';
import type { CallOptions } from '../call-options.ts';
import type {
  AccountEvent,
  ApiSessionDetail,
  AuditCheckpointDetail,
  AuditEntryDetail,
  AuthPolicyCreate,
  AuthPolicyDetail,
  AuthPolicyPatch,
  AuthPolicyUpdate,
  AuthenticatorCreate,
  AuthenticatorDetail,
  AuthenticatorPatch,
  AuthenticatorPatchWithCurrent,
  AuthenticatorUpdate,
  AuthenticatorUpdateWithCurrent,
  CaCreate,
  CaDetail,
  CaPatch,
  CaUpdate,
  Capabilities,
  CircuitDetail,
  ClientExternalJwtSignerDetail,
  ConfigCreate,
  ConfigDetail,
  ConfigPatch,
  ConfigTypeCreate,
  ConfigTypeDetail,
  ConfigTypePatch,
  ConfigTypeUpdate,
  ConfigUpdate,
  ControllerDetail,
  CreateLocation,
  CurrentApiSessionCertificateCreate,
  CurrentApiSessionCertificateCreateResponse,
  CurrentApiSessionCertificateDetail,
  CurrentApiSessionDetail,
  CurrentApiSessionServiceUpdateList,
  CurrentIdentityEdgeRouterDetail,
  DetailMfa,
  DetailMfaRecoveryCodes,
  DisableParams,
  EdgeRouterCreate,
  EdgeRouterDetail,
  EdgeRouterPatch,
  EdgeRouterPolicyCreate,
  EdgeRouterPolicyDetail,
  EdgeRouterPolicyPatch,
  EdgeRouterPolicyUpdate,
  EdgeRouterUpdate,
  EnrollmentCerts,
  EnrollmentCreate,
  EnrollmentDetail,
  EnrollmentRefresh,
  ErOttEnrollmentRequest,
  ExternalJwtSignerCreate,
  ExternalJwtSignerDetail,
  ExternalJwtSignerPatch,
  ExternalJwtSignerTest,
  ExternalJwtSignerTestResult,
  ExternalJwtSignerUpdate,
  FailedServiceRequest,
  GenericEnroll,
  IdentityCreate,
  IdentityDetail,
  IdentityExtendCerts,
  IdentityExtendEnrollmentRequest,
  IdentityExtendValidateEnrollmentRequest,
  IdentityPatch,
  IdentityTypeDetail,
  IdentityUpdate,
  LinkDetail,
  ListProtocols,
  ListQuery,
  ListSummaryCounts,
  MfaCode,
  NetworkJWT,
  OttEnrollmentRequest,
  PolicyAdvice,
  PostureCheckCreate,
  PostureCheckDetail,
  PostureCheckPatch,
  PostureCheckTypeDetail,
  PostureCheckUpdate,
  PostureData,
  PostureResponse,
  PostureResponseCreate,
  ReEnroll,
  RequestExtendAuthenticator,
  RoleListQuery,
  RouterCreate,
  RouterDetail,
  RouterExtendEnrollmentRequest,
  RouterPatch,
  RouterUpdate,
  ServiceConfigAssign,
  ServiceConfigDetail,
  ServiceCreate,
  ServiceDetail,
  ServiceEdgeRouterPolicyCreate,
  ServiceEdgeRouterPolicyDetail,
  ServiceEdgeRouterPolicyPatch,
  ServiceEdgeRouterPolicyUpdate,
  ServiceEdgeRouters,
  ServicePatch,
  ServicePolicyCreate,
  ServicePolicyDetail,
  ServicePolicyPatch,
  ServicePolicyUpdate,
  ServiceUpdate,
  SessionCreate,
  SessionDetail,
  SessionManagementDetail,
  SessionRoutePathDetail,
  SpecDetail,
  TerminatorClientDetail,
  TerminatorCreate,
  TerminatorDetail,
  TerminatorPatch,
  TerminatorUpdate,
  TokenEnrollmentRequest,
  VersionDetail,
} from './entities.ts';

/** Calls below `/services`. */
export interface ClientServicesCalls {
  /**
   * Lists the services of the identity of the session.
   *
   * `GET /services`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: { limit?: number | undefined; offset?: number | undefined; filter?: string | undefined; sort?: string | undefined; configTypes?: string[] | undefined; roleFilter?: string[] | undefined; roleSemantic?: string | undefined }, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
  /**
   * Reads one service of the identity of the session.
   *
   * `GET /services/{id}`. Needs a full session.
   *
   * @param id - The id of the service.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ServiceDetail>;
  /**
   * Reads the edge routers through which the caller reaches one service.
   *
   * `GET /services/{id}/edge-routers`. Needs a full session.
   *
   * @param id - The id of the service.
   * @param headers - Headers of the request.
   * @param options - Signal and timeout of this call.
   */
  edgeRouters(this: void, id: string, headers?: { 'session-token'?: string | undefined }, options?: CallOptions): Promise<ServiceEdgeRouters>;
  /**
   * Lists the terminators of one service of the caller.
   *
   * `GET /services/{id}/terminators`. Needs a full session.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  terminators(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<TerminatorClientDetail>>;
}

/** Calls below `/authenticate`. */
export interface AuthenticationCalls {
  /**
   * Answers the MFA query of the API session with a TOTP code or a recovery code.
   *
   * `POST /authenticate/mfa`. Needs a session, also a partial one.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  mfa(this: void, body: MfaCode, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/controllers`. */
export interface ControllersCalls {
  /**
   * Lists the controllers of a cluster; a controller that stands alone lists none.
   *
   * `GET /controllers`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ControllerDetail>>;
}

/** Calls below `/current-api-session`. */
export interface ClientCurrentApiSessionCalls {
  /**
   * Reads the API session of the caller; `touch=false` does not extend it.
   *
   * `GET /current-api-session`. Needs a session, also a partial one.
   *
   * @param query - The query of the request.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, query?: { touch?: 'true' | 'false' | undefined }, options?: CallOptions): Promise<CurrentApiSessionDetail>;
  /**
   * Ends the API session of the caller.
   *
   * `DELETE /current-api-session`. Needs a session, also a partial one.
   *
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, options?: CallOptions): Promise<undefined>;
  /**
   * Reads when the services of the caller changed last; `touch=false` does not extend its API session.
   *
   * `GET /current-api-session/service-updates`. Needs a full session.
   *
   * @param query - The query of the request.
   * @param options - Signal and timeout of this call.
   */
  serviceUpdates(this: void, query?: { touch?: 'true' | 'false' | undefined }, options?: CallOptions): Promise<CurrentApiSessionServiceUpdateList>;
}

/** Calls below `/current-api-session/certificates`. */
export interface CurrentApiSessionCertificatesCalls {
  /**
   * Lists the certificates of the API session of the caller.
   *
   * `GET /current-api-session/certificates`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<CurrentApiSessionCertificateDetail>>;
  /**
   * Reads one certificate of the API session of the caller.
   *
   * `GET /current-api-session/certificates/{id}`. Needs a full session.
   *
   * @param id - The id of the certificate.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<CurrentApiSessionCertificateDetail>;
  /**
   * Issues a certificate for 12 hours, which belongs to the API session of the caller.
   *
   * `POST /current-api-session/certificates`. Needs a full session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: CurrentApiSessionCertificateCreate, options?: CallOptions): Promise<CurrentApiSessionCertificateCreateResponse>;
  /**
   * Deletes one certificate of the API session of the caller.
   *
   * `DELETE /current-api-session/certificates/{id}`. Needs a full session.
   *
   * @param id - The id of the certificate.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/current-identity`. */
export interface CurrentIdentityCalls {
  /**
   * Reads the identity of the caller.
   *
   * `GET /current-identity`. Needs a full session.
   *
   * @param options - Signal and timeout of this call.
   */
  get(this: void, options?: CallOptions): Promise<IdentityDetail>;
}

/** Calls below `/current-identity/api-sessions`. */
export interface CurrentIdentityApiSessionsCalls {
  /**
   * Lists the API sessions of the caller, without their tokens.
   *
   * `GET /current-identity/api-sessions`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ApiSessionDetail>>;
  /**
   * Reads one API session of the caller, without its token.
   *
   * `GET /current-identity/api-sessions/{id}`. Needs a full session.
   *
   * @param id - The id of the API session.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ApiSessionDetail>;
  /**
   * Ends one API session of the caller and all that is tied to it.
   *
   * `DELETE /current-identity/api-sessions/{id}`. Needs a full session.
   *
   * @param id - The id of the API session.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Ends all API sessions of the caller but the one of this request.
   *
   * `DELETE /current-identity/api-sessions`. Needs a full session.
   *
   * @param options - Signal and timeout of this call.
   */
  endOthers(this: void, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/current-identity/authenticators`. */
export interface CurrentIdentityAuthenticatorsCalls {
  /**
   * Lists the authenticators of the caller.
   *
   * `GET /current-identity/authenticators`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<AuthenticatorDetail>>;
  /**
   * Reads one authenticator of the caller.
   *
   * `GET /current-identity/authenticators/{id}`. Needs a full session.
   *
   * @param id - The id of the authenticator.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<AuthenticatorDetail>;
  /**
   * Replaces user name and password of the caller; asks for the current password.
   *
   * `PUT /current-identity/authenticators/{id}`. Needs a full session.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: AuthenticatorUpdateWithCurrent, options?: CallOptions): Promise<undefined>;
  /**
   * Changes user name or password of the caller; asks for the current password, and answers NEW-PASSWORD.
   *
   * `PATCH /current-identity/authenticators/{id}`. Needs a full session.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body: AuthenticatorPatchWithCurrent, options?: CallOptions): Promise<undefined>;
  /**
   * Issues a new certificate for one authenticator of the caller; it counts after extend-verify.
   *
   * `POST /current-identity/authenticators/{id}/extend`. Needs a full session.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  extend(this: void, id: string, body: IdentityExtendEnrollmentRequest, options?: CallOptions): Promise<IdentityExtendCerts>;
  /**
   * Replaces the certificate of one authenticator of the caller by the one that extend has issued.
   *
   * `POST /current-identity/authenticators/{id}/extend-verify`. Needs a full session.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  extendVerify(this: void, id: string, body: IdentityExtendValidateEnrollmentRequest, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/current-identity/edge-routers`. */
export interface CurrentIdentityEdgeRoutersCalls {
  /**
   * Lists the enrolled edge routers that the caller may use; an administrator gets all.
   *
   * `GET /current-identity/edge-routers`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<CurrentIdentityEdgeRouterDetail>>;
}

/** Calls below `/current-identity/events`. */
export interface CurrentIdentityEventsCalls {
  /**
   * Lists the last 50 sign-ins of the caller, refused ones too, and changes of its credentials; the newest first.
   *
   * `GET /current-identity/events`. Needs a full session.
   *
   * @param options - Signal and timeout of this call.
   */
  list(this: void, options?: CallOptions): Promise<ListPage<AccountEvent>>;
}

/** Calls below `/current-identity/mfa`. */
export interface CurrentIdentityMfaCalls {
  /**
   * Starts the TOTP enrollment of the caller.
   *
   * `POST /current-identity/mfa`. Needs a session, also a partial one.
   *
   * @param options - Signal and timeout of this call.
   */
  create(this: void, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Reads the TOTP of the caller.
   *
   * `GET /current-identity/mfa`. Needs a session, also a partial one.
   *
   * @param options - Signal and timeout of this call.
   */
  get(this: void, options?: CallOptions): Promise<DetailMfa>;
  /**
   * Removes the TOTP of the caller; a verified one asks for a TOTP or recovery code.
   *
   * `DELETE /current-identity/mfa`. Needs a full session.
   *
   * @param headers - Headers of the request.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, headers?: { 'mfa-validation-code'?: string | undefined }, options?: CallOptions): Promise<undefined>;
  /**
   * Completes the TOTP enrollment of the caller with a first code.
   *
   * `POST /current-identity/mfa/verify`. Needs a session, also a partial one.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  verify(this: void, body: MfaCode, options?: CallOptions): Promise<undefined>;
  /**
   * Shows the provisioning URL of an unverified TOTP as a QR code.
   *
   * `GET /current-identity/mfa/qr-code`. Needs a session, also a partial one.
   *
   * @param options - Signal and timeout of this call.
   */
  qrCode(this: void, options?: CallOptions): Promise<Blob>;
  /**
   * Reads the recovery codes that are left; asks for a TOTP code.
   *
   * `GET /current-identity/mfa/recovery-codes`. Needs a full session.
   *
   * @param headers - Headers of the request.
   * @param options - Signal and timeout of this call.
   */
  recoveryCodes(this: void, headers?: { 'mfa-validation-code'?: string | undefined }, options?: CallOptions): Promise<DetailMfaRecoveryCodes>;
  /**
   * Replaces all recovery codes; asks for a TOTP or recovery code.
   *
   * `POST /current-identity/mfa/recovery-codes`. Needs a full session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  createRecoveryCodes(this: void, body: MfaCode, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/enroll`. */
export interface EnrollCalls {
  /**
   * Redeems an enrollment; its token works once.
   *
   * `POST /enroll`. Needs no session.
   *
   * @param query - The query of the request.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  enroll(this: void, query?: { method?: 'ott' | 'ottca' | 'ca' | 'updb' | 'erott' | 'trott' | undefined; token?: string | undefined }, body?: GenericEnroll, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Redeems an enrollment of method ott: issues a certificate.
   *
   * `POST /enroll/ott`. Needs no session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  ott(this: void, body?: OttEnrollmentRequest, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Redeems an enrollment of method ottca with the client certificate of the connection.
   *
   * `POST /enroll/ottca`. Needs no session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  ottca(this: void, body?: OttEnrollmentRequest, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Redeems an enrollment of method erott: issues the certificates of an edge router.
   *
   * `POST /enroll/erott`. Needs no session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  erott(this: void, body?: ErOttEnrollmentRequest, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Replaces the certificates of the router whose client certificate the connection has.
   *
   * `POST /enroll/extend/router`. Needs no session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  extendRouter(this: void, body: RouterExtendEnrollmentRequest, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Creates an identity for the client certificate of the connection, which a verified CA has issued.
   *
   * `POST /enroll/ca`. Needs no session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  ca(this: void, body?: GenericEnroll, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Creates an identity for the JWT of an external signer that allows it.
   *
   * `POST /enroll/token`. Needs no session.
   *
   * @param headers - Headers of the request.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  token(this: void, headers?: { authorization?: string | undefined; 'ziti-token-issuer-id'?: string | undefined }, body?: TokenEnrollmentRequest, options?: CallOptions): Promise<EnrollmentCerts>;
  /**
   * Redeems an enrollment of method updb.
   *
   * `POST /enroll/updb`. Needs no session.
   *
   * @param query - The query of the request.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  updb(this: void, query: { token: string }, body?: GenericEnroll, options?: CallOptions): Promise<EnrollmentCerts>;
}

/** Calls below `/enumerated-capabilities`. */
export interface EnumeratedCapabilitiesCalls {
  /**
   * Lists all features that the version of a controller can name.
   *
   * `GET /enumerated-capabilities`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  list(this: void, options?: CallOptions): Promise<ListPage<Capabilities>>;
}

/** Calls below `/external-jwt-signers`. */
export interface ClientExternalJwtSignersCalls {
  /**
   * Lists the external jwt signers that are enabled.
   *
   * `GET /external-jwt-signers`. Needs no session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ClientExternalJwtSignerDetail>>;
}

/** Calls below `/network-jwts`. */
export interface NetworkJwtsCalls {
  /**
   * Lists the JWTs with which devices without an enrollment find the network.
   *
   * `GET /network-jwts`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  list(this: void, options?: CallOptions): Promise<ListPage<NetworkJWT>>;
}

/** Calls below `/posture-response`. */
export interface PostureResponsesCalls {
  /**
   * Answers one posture query for this API session.
   *
   * `POST /posture-response`. Needs a full session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: PostureResponseCreate, options?: CallOptions): Promise<PostureResponse>;
  /**
   * Answers several posture queries for this API session: all or none.
   *
   * `POST /posture-response-bulk`. Needs a full session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  createBulk(this: void, body: PostureResponseCreate[], options?: CallOptions): Promise<PostureResponse>;
}

/** Calls below `/protocols`. */
export interface ProtocolsCalls {
  /**
   * Reads the protocols that clients can use, and their addresses.
   *
   * `GET /protocols`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  get(this: void, options?: CallOptions): Promise<ListProtocols>;
}

/** Calls below `/sessions`. */
export interface ClientSessionsCalls {
  /**
   * Lists the sessions of the identity of the caller; an administrator gets all.
   *
   * `GET /sessions`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<SessionManagementDetail>>;
  /**
   * Reads one session of the identity of the caller.
   *
   * `GET /sessions/{id}`. Needs a full session.
   *
   * @param id - The id of the session.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<SessionManagementDetail>;
  /**
   * Opens a session for one service, or returns the one of this API session with a new token.
   *
   * `POST /sessions`. Needs a full session.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body?: SessionCreate, options?: CallOptions): Promise<SessionDetail>;
  /**
   * Ends one session of the identity of the caller.
   *
   * `DELETE /sessions/{id}`. Needs a full session.
   *
   * @param id - The id of the session.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/specs`. */
export interface SpecsCalls {
  /**
   * Lists the API descriptions of the controller.
   *
   * `GET /specs`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  list(this: void, options?: CallOptions): Promise<ListPage<SpecDetail>>;
  /**
   * Reads one API description.
   *
   * `GET /specs/{id}`. Needs no session.
   *
   * @param id - The id of the spec.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<SpecDetail>;
  /**
   * Reads the OpenAPI 2.0 document of one API.
   *
   * `GET /specs/{id}/spec`. Needs no session.
   *
   * @param id - The id of the spec.
   * @param options - Signal and timeout of this call.
   */
  spec(this: void, id: string, options?: CallOptions): Promise<string>;
  /**
   * Reads the OpenAPI 3.1 document of this API.
   *
   * `GET /openapi.json`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  openapi(this: void, options?: CallOptions): Promise<Record<string, unknown>>;
  /**
   * Reads the OpenAPI 2.0 document of this API.
   *
   * `GET /swagger.json`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  swagger(this: void, options?: CallOptions): Promise<Record<string, unknown>>;
}

/** Calls below `/version`. */
export interface VersionCalls {
  /**
   * Reads the version of the controller and where its APIs are.
   *
   * `GET /version`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  get(this: void, options?: CallOptions): Promise<VersionDetail>;
  /**
   * The same as /version.
   *
   * `GET /`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  root(this: void, options?: CallOptions): Promise<VersionDetail>;
}

/** Calls below `/.well-known/est/cacerts`. */
export interface WellKnownCalls {
  /**
   * Reads the CA certificates that clients trust: PKCS#7 without signatures, DER in base64 (RFC 7030, 4.1).
   *
   * `GET /.well-known/est/cacerts`. Needs no session.
   *
   * @param options - Signal and timeout of this call.
   */
  caCertificates(this: void, options?: CallOptions): Promise<string>;
}

/** Calls below `/authenticators`. */
export interface AuthenticatorsCalls {
  /**
   * Lists authenticators.
   *
   * `GET /authenticators`. Needs the permission `authenticator.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<AuthenticatorDetail>>;
  /**
   * Reads one authenticator.
   *
   * `GET /authenticators/{id}`. Needs the permission `authenticator.read`.
   *
   * @param id - The id of the authenticator.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<AuthenticatorDetail>;
  /**
   * Creates one authenticator.
   *
   * `POST /authenticators`. Needs an administrator.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: AuthenticatorCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one authenticator.
   *
   * `PUT /authenticators/{id}`. Needs an administrator.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: AuthenticatorUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one authenticator; null counts as not sent.
   *
   * `PATCH /authenticators/{id}`. Needs an administrator.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: AuthenticatorPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one authenticator and all that belongs to it.
   *
   * `DELETE /authenticators/{id}`. Needs an administrator.
   *
   * @param id - The id of the authenticator.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Replaces one authenticator by an enrollment of the same kind and ends its API sessions.
   *
   * `POST /authenticators/{id}/re-enroll`. Needs an administrator.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  reEnroll(this: void, id: string, body: ReEnroll, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Asks the owner of one authenticator to renew its certificate, with a new key if `rollKeys` is true.
   *
   * `POST /authenticators/{id}/request-extend`. Needs an administrator.
   *
   * @param id - The id of the authenticator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  requestExtend(this: void, id: string, body?: RequestExtendAuthenticator, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/auth-policies`. */
export interface AuthPoliciesCalls {
  /**
   * Lists auth policies.
   *
   * `GET /auth-policies`. Needs the permission `auth-policy.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<AuthPolicyDetail>>;
  /**
   * Reads one auth policy.
   *
   * `GET /auth-policies/{id}`. Needs the permission `auth-policy.read`.
   *
   * @param id - The id of the auth policy.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<AuthPolicyDetail>;
  /**
   * Creates one auth policy.
   *
   * `POST /auth-policies`. Needs the permission `auth-policy.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: AuthPolicyCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one auth policy.
   *
   * `PUT /auth-policies/{id}`. Needs the permission `auth-policy.update`.
   *
   * @param id - The id of the auth policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: AuthPolicyUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one auth policy; null counts as not sent.
   *
   * `PATCH /auth-policies/{id}`. Needs the permission `auth-policy.update`.
   *
   * @param id - The id of the auth policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: AuthPolicyPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one auth policy and all that belongs to it.
   *
   * `DELETE /auth-policies/{id}`. Needs the permission `auth-policy.delete`.
   *
   * @param id - The id of the auth policy.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/cas`. */
export interface CasCalls {
  /**
   * Lists cas.
   *
   * `GET /cas`. Needs the permission `ca.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<CaDetail>>;
  /**
   * Reads one ca.
   *
   * `GET /cas/{id}`. Needs the permission `ca.read`.
   *
   * @param id - The id of the CA.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<CaDetail>;
  /**
   * Creates one ca.
   *
   * `POST /cas`. Needs the permission `ca.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: CaCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one ca.
   *
   * `PUT /cas/{id}`. Needs the permission `ca.update`.
   *
   * @param id - The id of the CA.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: CaUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one ca; null counts as not sent.
   *
   * `PATCH /cas/{id}`. Needs the permission `ca.update`.
   *
   * @param id - The id of the CA.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: CaPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one ca and all that belongs to it.
   *
   * `DELETE /cas/{id}`. Needs the permission `ca.delete`.
   *
   * @param id - The id of the CA.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Verifies one CA with a certificate that it has issued; its common name is the verification token.
   *
   * `POST /cas/{id}/verify`. Needs the permission `ca.update`.
   *
   * @param id - The id of the CA.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  verify(this: void, id: string, body: string, options?: CallOptions): Promise<undefined>;
  /**
   * Reads the JWT with which devices of one CA enroll themselves.
   *
   * `GET /cas/{id}/jwt`. Needs the permission `ca.read`.
   *
   * @param id - The id of the CA.
   * @param options - Signal and timeout of this call.
   */
  jwt(this: void, id: string, options?: CallOptions): Promise<string>;
}

/** Calls below `/configs`. */
export interface ConfigsCalls {
  /**
   * Lists configs.
   *
   * `GET /configs`. Needs the permission `config.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ConfigDetail>>;
  /**
   * Reads one config.
   *
   * `GET /configs/{id}`. Needs the permission `config.read`.
   *
   * @param id - The id of the config.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ConfigDetail>;
  /**
   * Creates one config.
   *
   * `POST /configs`. Needs the permission `config.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: ConfigCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one config.
   *
   * `PUT /configs/{id}`. Needs the permission `config.update`.
   *
   * @param id - The id of the config.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: ConfigUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one config; null counts as not sent.
   *
   * `PATCH /configs/{id}`. Needs the permission `config.update`.
   *
   * @param id - The id of the config.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: ConfigPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one config and all that belongs to it.
   *
   * `DELETE /configs/{id}`. Needs the permission `config.delete`.
   *
   * @param id - The id of the config.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the services of one config.
   *
   * `GET /configs/{id}/services`. Needs the permission `service.read`.
   *
   * @param id - The id of the config.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  services(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
}

/** Calls below `/config-types`. */
export interface ConfigTypesCalls {
  /**
   * Lists config types.
   *
   * `GET /config-types`. Needs the permission `config-type.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ConfigTypeDetail>>;
  /**
   * Reads one config type.
   *
   * `GET /config-types/{id}`. Needs the permission `config-type.read`.
   *
   * @param id - The id of the config type.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ConfigTypeDetail>;
  /**
   * Creates one config type.
   *
   * `POST /config-types`. Needs the permission `config-type.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: ConfigTypeCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one config type.
   *
   * `PUT /config-types/{id}`. Needs the permission `config-type.update`.
   *
   * @param id - The id of the config type.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: ConfigTypeUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one config type; null counts as not sent.
   *
   * `PATCH /config-types/{id}`. Needs the permission `config-type.update`.
   *
   * @param id - The id of the config type.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: ConfigTypePatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one config type and all that belongs to it.
   *
   * `DELETE /config-types/{id}`. Needs the permission `config-type.delete`.
   *
   * @param id - The id of the config type.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the configs of one config type.
   *
   * `GET /config-types/{id}/configs`. Needs the permission `config.read`.
   *
   * @param id - The id of the config type.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  configs(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ConfigDetail>>;
}

/** Calls below `/edge-router-policies`. */
export interface EdgeRouterPoliciesCalls {
  /**
   * Lists edge router policies.
   *
   * `GET /edge-router-policies`. Needs the permission `edge-router-policy.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterPolicyDetail>>;
  /**
   * Reads one edge router policy.
   *
   * `GET /edge-router-policies/{id}`. Needs the permission `edge-router-policy.read`.
   *
   * @param id - The id of the edge router policy.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<EdgeRouterPolicyDetail>;
  /**
   * Creates one edge router policy.
   *
   * `POST /edge-router-policies`. Needs the permission `edge-router-policy.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: EdgeRouterPolicyCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one edge router policy.
   *
   * `PUT /edge-router-policies/{id}`. Needs the permission `edge-router-policy.update`.
   *
   * @param id - The id of the edge router policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: EdgeRouterPolicyUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one edge router policy; null counts as not sent.
   *
   * `PATCH /edge-router-policies/{id}`. Needs the permission `edge-router-policy.update`.
   *
   * @param id - The id of the edge router policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: EdgeRouterPolicyPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one edge router policy and all that belongs to it.
   *
   * `DELETE /edge-router-policies/{id}`. Needs the permission `edge-router-policy.delete`.
   *
   * @param id - The id of the edge router policy.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the edge routers of one edge router policy.
   *
   * `GET /edge-router-policies/{id}/edge-routers`. Needs the permission `router.read`.
   *
   * @param id - The id of the edge router policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  edgeRouters(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterDetail>>;
  /**
   * Lists the identities of one edge router policy.
   *
   * `GET /edge-router-policies/{id}/identities`. Needs the permission `identity.read`.
   *
   * @param id - The id of the edge router policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  identities(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<IdentityDetail>>;
}

/** Calls below `/edge-routers`. */
export interface EdgeRoutersCalls {
  /**
   * Lists edge routers.
   *
   * `GET /edge-routers`. Needs the permission `router.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: RoleListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterDetail>>;
  /**
   * Reads one edge router.
   *
   * `GET /edge-routers/{id}`. Needs the permission `router.read`.
   *
   * @param id - The id of the edge router.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<EdgeRouterDetail>;
  /**
   * Creates one edge router.
   *
   * `POST /edge-routers`. Needs the permission `router.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: EdgeRouterCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one edge router.
   *
   * `PUT /edge-routers/{id}`. Needs the permission `router.update`.
   *
   * @param id - The id of the edge router.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: EdgeRouterUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one edge router; null counts as not sent.
   *
   * `PATCH /edge-routers/{id}`. Needs the permission `router.update`.
   *
   * @param id - The id of the edge router.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: EdgeRouterPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one edge router and all that belongs to it.
   *
   * `DELETE /edge-routers/{id}`. Needs the permission `router.delete`.
   *
   * @param id - The id of the edge router.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Revokes the certificates of one edge router and gives it a new enrollment.
   *
   * `POST /edge-routers/{id}/re-enroll`. Needs the permission `router.update`.
   *
   * @param id - The id of the edge router.
   * @param options - Signal and timeout of this call.
   */
  reEnroll(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the role attributes that at least one edge router has.
   *
   * `GET /edge-router-role-attributes`. Needs the permission `router.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  roleAttributes(this: void, query?: { filter?: string | undefined; sort?: string | undefined }, options?: CallOptions): Promise<ListPage<string>>;
  /**
   * Lists the edge router policies of one edge router.
   *
   * `GET /edge-routers/{id}/edge-router-policies`. Needs the permission `edge-router-policy.read`.
   *
   * @param id - The id of the edge router.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  edgeRouterPolicies(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterPolicyDetail>>;
  /**
   * Lists the identities of one edge router.
   *
   * `GET /edge-routers/{id}/identities`. Needs the permission `identity.read`.
   *
   * @param id - The id of the edge router.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  identities(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<IdentityDetail>>;
  /**
   * Lists the service edge router policies of one edge router.
   *
   * `GET /edge-routers/{id}/service-edge-router-policies`. Needs the permission `service-edge-router-policy.read`.
   *
   * @param id - The id of the edge router.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  serviceEdgeRouterPolicies(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceEdgeRouterPolicyDetail>>;
  /**
   * Lists the services of one edge router.
   *
   * `GET /edge-routers/{id}/services`. Needs the permission `service.read`.
   *
   * @param id - The id of the edge router.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  services(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
}

/** Calls below `/enrollments`. */
export interface EnrollmentsCalls {
  /**
   * Lists enrollments.
   *
   * `GET /enrollments`. Needs the permission `enrollment.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<EnrollmentDetail>>;
  /**
   * Reads one enrollment.
   *
   * `GET /enrollments/{id}`. Needs the permission `enrollment.read`.
   *
   * @param id - The id of the enrollment.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<EnrollmentDetail>;
  /**
   * Creates one enrollment.
   *
   * `POST /enrollments`. Needs the permission `enrollment.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: EnrollmentCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Deletes one enrollment and all that belongs to it.
   *
   * `DELETE /enrollments/{id}`. Needs the permission `enrollment.delete`.
   *
   * @param id - The id of the enrollment.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Gives one enrollment a new token and a new expiry; the old token stops working.
   *
   * `POST /enrollments/{id}/refresh`. Needs the permission `enrollment.update`.
   *
   * @param id - The id of the enrollment.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  refresh(this: void, id: string, body: EnrollmentRefresh, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/external-jwt-signers`. */
export interface ManagementExternalJwtSignersCalls {
  /**
   * Lists external jwt signers.
   *
   * `GET /external-jwt-signers`. Needs the permission `external-jwt-signer.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ExternalJwtSignerDetail>>;
  /**
   * Reads one external jwt signer.
   *
   * `GET /external-jwt-signers/{id}`. Needs the permission `external-jwt-signer.read`.
   *
   * @param id - The id of the external JWT signer.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ExternalJwtSignerDetail>;
  /**
   * Creates one external jwt signer.
   *
   * `POST /external-jwt-signers`. Needs the permission `external-jwt-signer.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: ExternalJwtSignerCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one external jwt signer.
   *
   * `PUT /external-jwt-signers/{id}`. Needs the permission `external-jwt-signer.update`.
   *
   * @param id - The id of the external JWT signer.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: ExternalJwtSignerUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one external jwt signer; null counts as not sent.
   *
   * `PATCH /external-jwt-signers/{id}`. Needs the permission `external-jwt-signer.update`.
   *
   * @param id - The id of the external JWT signer.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: ExternalJwtSignerPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one external jwt signer and all that belongs to it.
   *
   * `DELETE /external-jwt-signers/{id}`. Needs the permission `external-jwt-signer.delete`.
   *
   * @param id - The id of the external JWT signer.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the checks of a JWT of one signer with their verdicts; signs nobody in.
   *
   * `POST /external-jwt-signers/{id}/test`. Needs the permission `external-jwt-signer.read`.
   *
   * @param id - The id of the external JWT signer.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  test(this: void, id: string, body: ExternalJwtSignerTest, options?: CallOptions): Promise<ExternalJwtSignerTestResult>;
}

/** Calls below `/identities`. */
export interface IdentitiesCalls {
  /**
   * Lists identities.
   *
   * `GET /identities`. Needs the permission `identity.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: { limit?: number | undefined; offset?: number | undefined; filter?: string | undefined; sort?: string | undefined; roleFilter?: string[] | undefined; roleSemantic?: 'AllOf' | 'AnyOf' | undefined; lacksSecondFactor?: 'true' | 'false' | undefined }, options?: CallOptions): Promise<ListPage<IdentityDetail>>;
  /**
   * Reads one identity.
   *
   * `GET /identities/{id}`. Needs the permission `identity.read`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<IdentityDetail>;
  /**
   * Creates one identity.
   *
   * `POST /identities`. Needs the permission `identity.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: IdentityCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one identity.
   *
   * `PUT /identities/{id}`. Needs an administrator.
   *
   * @param id - The id of the identity.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: IdentityUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one identity; null counts as not sent.
   *
   * `PATCH /identities/{id}`. Needs the permission `identity.update`.
   *
   * @param id - The id of the identity.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: IdentityPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one identity and all that belongs to it.
   *
   * `DELETE /identities/{id}`. Needs the permission `identity.delete`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Disables one identity for some minutes (0 or less: for ever) and ends its API sessions.
   *
   * `POST /identities/{id}/disable`. Needs the permission `identity.update`.
   *
   * @param id - The id of the identity.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  disable(this: void, id: string, body: DisableParams, options?: CallOptions): Promise<undefined>;
  /**
   * Enables one identity.
   *
   * `POST /identities/{id}/enable`. Needs the permission `identity.update`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  enable(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Removes the TOTP of one identity, also when there is none.
   *
   * `DELETE /identities/{id}/mfa`. Needs the permission `identity.update`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  removeMfa(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Reads what the client of one identity has said about its device; also for an unknown identity.
   *
   * `GET /identities/{id}/posture-data`. Needs the permission `identity.read`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  postureData(this: void, id: string, options?: CallOptions): Promise<PostureData>;
  /**
   * Lists the last sessions that posture checks refused to one identity.
   *
   * `GET /identities/{id}/failed-service-requests`. Needs the permission `identity.read`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  failedServiceRequests(this: void, id: string, options?: CallOptions): Promise<ListPage<FailedServiceRequest>>;
  /**
   * Says whether one identity can use a service, and what it may lack.
   *
   * `GET /identities/{id}/policy-advice/{serviceId}`. Needs the permission `service.read`.
   *
   * @param id - The id of the identity.
   * @param serviceId - The serviceId of the policy advice.
   * @param options - Signal and timeout of this call.
   */
  policyAdvice(this: void, id: string, serviceId: string, options?: CallOptions): Promise<PolicyAdvice>;
  /**
   * Lists the service configs of one identity.
   *
   * `GET /identities/{id}/service-configs`. Needs the permission `identity.read`.
   *
   * @param id - The id of the identity.
   * @param options - Signal and timeout of this call.
   */
  serviceConfigs(this: void, id: string, options?: CallOptions): Promise<ListPage<ServiceConfigDetail>>;
  /**
   * Assigns service configs to one identity.
   *
   * `POST /identities/{id}/service-configs`. Needs the permission `identity.update`.
   *
   * @param id - The id of the identity.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  assignServiceConfigs(this: void, id: string, body: ServiceConfigAssign[], options?: CallOptions): Promise<undefined>;
  /**
   * Removes service configs from one identity.
   *
   * `DELETE /identities/{id}/service-configs`. Needs the permission `identity.update`.
   *
   * @param id - The id of the identity.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  removeServiceConfigs(this: void, id: string, body: ServiceConfigAssign[], options?: CallOptions): Promise<undefined>;
  /**
   * Lists the role attributes that at least one identity has.
   *
   * `GET /identity-role-attributes`. Needs the permission `identity.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  roleAttributes(this: void, query?: { filter?: string | undefined; sort?: string | undefined }, options?: CallOptions): Promise<ListPage<string>>;
  /**
   * Lists the authenticators of one identity.
   *
   * `GET /identities/{id}/authenticators`. Needs the permission `authenticator.read`.
   *
   * @param id - The id of the identity.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  authenticators(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<AuthenticatorDetail>>;
  /**
   * Lists the edge router policies of one identity.
   *
   * `GET /identities/{id}/edge-router-policies`. Needs the permission `edge-router-policy.read`.
   *
   * @param id - The id of the identity.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  edgeRouterPolicies(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterPolicyDetail>>;
  /**
   * Lists the edge routers of one identity.
   *
   * `GET /identities/{id}/edge-routers`. Needs the permission `router.read`.
   *
   * @param id - The id of the identity.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  edgeRouters(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterDetail>>;
  /**
   * Lists the enrollments of one identity.
   *
   * `GET /identities/{id}/enrollments`. Needs the permission `enrollment.read`.
   *
   * @param id - The id of the identity.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  enrollments(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EnrollmentDetail>>;
  /**
   * Lists the service policies of one identity.
   *
   * `GET /identities/{id}/service-policies`. Needs the permission `service-policy.read`.
   *
   * @param id - The id of the identity.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  servicePolicies(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServicePolicyDetail>>;
  /**
   * Lists the services of one identity.
   *
   * `GET /identities/{id}/services`. Needs the permission `service.read`.
   *
   * @param id - The id of the identity.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  services(this: void, id: string, query?: { limit?: number | undefined; offset?: number | undefined; filter?: string | undefined; sort?: string | undefined; policyType?: 'dial' | 'bind' | undefined }, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
}

/** Calls below `/identity-types`. */
export interface IdentityTypesCalls {
  /**
   * Lists identity types.
   *
   * `GET /identity-types`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<IdentityTypeDetail>>;
  /**
   * Reads one identity type.
   *
   * `GET /identity-types/{id}`. Needs a full session.
   *
   * @param id - The id of the identity type.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<IdentityTypeDetail>;
}

/** Calls below `/posture-checks`. */
export interface PostureChecksCalls {
  /**
   * Lists posture checks.
   *
   * `GET /posture-checks`. Needs the permission `posture-check.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: RoleListQuery, options?: CallOptions): Promise<ListPage<PostureCheckDetail>>;
  /**
   * Reads one posture check.
   *
   * `GET /posture-checks/{id}`. Needs the permission `posture-check.read`.
   *
   * @param id - The id of the posture check.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<PostureCheckDetail>;
  /**
   * Creates one posture check.
   *
   * `POST /posture-checks`. Needs the permission `posture-check.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: PostureCheckCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one posture check.
   *
   * `PUT /posture-checks/{id}`. Needs the permission `posture-check.update`.
   *
   * @param id - The id of the posture check.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: PostureCheckUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one posture check; null counts as not sent.
   *
   * `PATCH /posture-checks/{id}`. Needs the permission `posture-check.update`.
   *
   * @param id - The id of the posture check.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body: PostureCheckPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one posture check and all that belongs to it.
   *
   * `DELETE /posture-checks/{id}`. Needs the permission `posture-check.delete`.
   *
   * @param id - The id of the posture check.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the role attributes that at least one posture check has.
   *
   * `GET /posture-check-role-attributes`. Needs the permission `posture-check.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  roleAttributes(this: void, query?: { filter?: string | undefined; sort?: string | undefined }, options?: CallOptions): Promise<ListPage<string>>;
}

/** Calls below `/posture-check-types`. */
export interface PostureCheckTypesCalls {
  /**
   * Lists posture check types.
   *
   * `GET /posture-check-types`. Needs a full session.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<PostureCheckTypeDetail>>;
  /**
   * Reads one posture check type.
   *
   * `GET /posture-check-types/{id}`. Needs a full session.
   *
   * @param id - The id of the posture check type.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<PostureCheckTypeDetail>;
}

/** Calls below `/service-edge-router-policies`. */
export interface ServiceEdgeRouterPoliciesCalls {
  /**
   * Lists service edge router policies.
   *
   * `GET /service-edge-router-policies`. Needs the permission `service-edge-router-policy.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceEdgeRouterPolicyDetail>>;
  /**
   * Reads one service edge router policy.
   *
   * `GET /service-edge-router-policies/{id}`. Needs the permission `service-edge-router-policy.read`.
   *
   * @param id - The id of the service edge router policy.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ServiceEdgeRouterPolicyDetail>;
  /**
   * Creates one service edge router policy.
   *
   * `POST /service-edge-router-policies`. Needs the permission `service-edge-router-policy.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: ServiceEdgeRouterPolicyCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one service edge router policy.
   *
   * `PUT /service-edge-router-policies/{id}`. Needs the permission `service-edge-router-policy.update`.
   *
   * @param id - The id of the service edge router policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: ServiceEdgeRouterPolicyUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one service edge router policy; null counts as not sent.
   *
   * `PATCH /service-edge-router-policies/{id}`. Needs the permission `service-edge-router-policy.update`.
   *
   * @param id - The id of the service edge router policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: ServiceEdgeRouterPolicyPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one service edge router policy and all that belongs to it.
   *
   * `DELETE /service-edge-router-policies/{id}`. Needs the permission `service-edge-router-policy.delete`.
   *
   * @param id - The id of the service edge router policy.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the edge routers of one service edge router policy.
   *
   * `GET /service-edge-router-policies/{id}/edge-routers`. Needs the permission `router.read`.
   *
   * @param id - The id of the service edge router policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  edgeRouters(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterDetail>>;
  /**
   * Lists the services of one service edge router policy.
   *
   * `GET /service-edge-router-policies/{id}/services`. Needs the permission `service.read`.
   *
   * @param id - The id of the service edge router policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  services(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
}

/** Calls below `/service-policies`. */
export interface ServicePoliciesCalls {
  /**
   * Lists service policies.
   *
   * `GET /service-policies`. Needs the permission `service-policy.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServicePolicyDetail>>;
  /**
   * Reads one service policy.
   *
   * `GET /service-policies/{id}`. Needs the permission `service-policy.read`.
   *
   * @param id - The id of the service policy.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ServicePolicyDetail>;
  /**
   * Creates one service policy.
   *
   * `POST /service-policies`. Needs the permission `service-policy.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: ServicePolicyCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one service policy.
   *
   * `PUT /service-policies/{id}`. Needs the permission `service-policy.update`.
   *
   * @param id - The id of the service policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: ServicePolicyUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one service policy; null counts as not sent.
   *
   * `PATCH /service-policies/{id}`. Needs the permission `service-policy.update`.
   *
   * @param id - The id of the service policy.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: ServicePolicyPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one service policy and all that belongs to it.
   *
   * `DELETE /service-policies/{id}`. Needs the permission `service-policy.delete`.
   *
   * @param id - The id of the service policy.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the services of one service policy.
   *
   * `GET /service-policies/{id}/services`. Needs the permission `service.read`.
   *
   * @param id - The id of the service policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  services(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
  /**
   * Lists the identities of one service policy.
   *
   * `GET /service-policies/{id}/identities`. Needs the permission `identity.read`.
   *
   * @param id - The id of the service policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  identities(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<IdentityDetail>>;
  /**
   * Lists the posture checks of one service policy.
   *
   * `GET /service-policies/{id}/posture-checks`. Needs the permission `posture-check.read`.
   *
   * @param id - The id of the service policy.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  postureChecks(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<PostureCheckDetail>>;
}

/** Calls below `/services`. */
export interface ManagementServicesCalls {
  /**
   * Lists services.
   *
   * `GET /services`. Needs the permission `service.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: { limit?: number | undefined; offset?: number | undefined; filter?: string | undefined; sort?: string | undefined; roleFilter?: string[] | undefined; roleSemantic?: 'AllOf' | 'AnyOf' | undefined; configTypes?: string[] | undefined; asIdentity?: string | undefined }, options?: CallOptions): Promise<ListPage<ServiceDetail>>;
  /**
   * Reads one service.
   *
   * `GET /services/{id}`. Needs the permission `service.read`.
   *
   * @param id - The id of the service.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ServiceDetail>;
  /**
   * Creates one service.
   *
   * `POST /services`. Needs the permission `service.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: ServiceCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one service.
   *
   * `PUT /services/{id}`. Needs the permission `service.update`.
   *
   * @param id - The id of the service.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: ServiceUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one service; null counts as not sent.
   *
   * `PATCH /services/{id}`. Needs the permission `service.update`.
   *
   * @param id - The id of the service.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: ServicePatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one service and all that belongs to it.
   *
   * `DELETE /services/{id}`. Needs the permission `service.delete`.
   *
   * @param id - The id of the service.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Lists the role attributes that at least one service has.
   *
   * `GET /service-role-attributes`. Needs the permission `service.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  roleAttributes(this: void, query?: { filter?: string | undefined; sort?: string | undefined }, options?: CallOptions): Promise<ListPage<string>>;
  /**
   * Lists the configs of one service.
   *
   * `GET /services/{id}/configs`. Needs the permission `config.read`.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  configs(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ConfigDetail>>;
  /**
   * Lists the edge routers of one service.
   *
   * `GET /services/{id}/edge-routers`. Needs the permission `router.read`.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  edgeRouters(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<EdgeRouterDetail>>;
  /**
   * Lists the identities of one service.
   *
   * `GET /services/{id}/identities`. Needs the permission `identity.read`.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  identities(this: void, id: string, query?: { limit?: number | undefined; offset?: number | undefined; filter?: string | undefined; sort?: string | undefined; policyType?: 'dial' | 'bind' | undefined }, options?: CallOptions): Promise<ListPage<IdentityDetail>>;
  /**
   * Lists the service edge router policies of one service.
   *
   * `GET /services/{id}/service-edge-router-policies`. Needs the permission `service-edge-router-policy.read`.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  serviceEdgeRouterPolicies(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServiceEdgeRouterPolicyDetail>>;
  /**
   * Lists the service policies of one service.
   *
   * `GET /services/{id}/service-policies`. Needs the permission `service-policy.read`.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  servicePolicies(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<ServicePolicyDetail>>;
  /**
   * Lists the terminators of one service.
   *
   * `GET /services/{id}/terminators`. Needs the permission `terminator.read`.
   *
   * @param id - The id of the service.
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  terminators(this: void, id: string, query?: ListQuery, options?: CallOptions): Promise<ListPage<TerminatorDetail>>;
}

/** Calls below `/terminators`. */
export interface TerminatorsCalls {
  /**
   * Lists terminators.
   *
   * `GET /terminators`. Needs the permission `terminator.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<TerminatorDetail>>;
  /**
   * Reads one terminator.
   *
   * `GET /terminators/{id}`. Needs the permission `terminator.read`.
   *
   * @param id - The id of the terminator.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<TerminatorDetail>;
  /**
   * Creates one terminator.
   *
   * `POST /terminators`. Needs the permission `terminator.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: TerminatorCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one terminator.
   *
   * `PUT /terminators/{id}`. Needs the permission `terminator.update`.
   *
   * @param id - The id of the terminator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: TerminatorUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one terminator; null counts as not sent.
   *
   * `PATCH /terminators/{id}`. Needs the permission `terminator.update`.
   *
   * @param id - The id of the terminator.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: TerminatorPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one terminator and all that belongs to it.
   *
   * `DELETE /terminators/{id}`. Needs the permission `terminator.delete`.
   *
   * @param id - The id of the terminator.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/transit-routers`. */
export interface TransitRoutersCalls {
  /**
   * Lists transit routers.
   *
   * `GET /transit-routers`. Needs the permission `router.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<RouterDetail>>;
  /**
   * Reads one router.
   *
   * `GET /transit-routers/{id}`. Needs the permission `router.read`.
   *
   * @param id - The id of the transit router.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<RouterDetail>;
  /**
   * Creates one router.
   *
   * `POST /transit-routers`. Needs the permission `router.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: RouterCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one router.
   *
   * `PUT /transit-routers/{id}`. Needs the permission `router.update`.
   *
   * @param id - The id of the transit router.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: RouterUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one router; null counts as not sent.
   *
   * `PATCH /transit-routers/{id}`. Needs the permission `router.update`.
   *
   * @param id - The id of the transit router.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: RouterPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one router and all that belongs to it.
   *
   * `DELETE /transit-routers/{id}`. Needs the permission `router.delete`.
   *
   * @param id - The id of the transit router.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/api-sessions`. */
export interface ApiSessionsCalls {
  /**
   * Lists API sessions.
   *
   * `GET /api-sessions`. Needs the permission `ops.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<ApiSessionDetail>>;
  /**
   * Reads one API session.
   *
   * `GET /api-sessions/{id}`. Needs the permission `ops.read`.
   *
   * @param id - The id of the API session.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<ApiSessionDetail>;
  /**
   * Removes one API session and all that is tied to it.
   *
   * `DELETE /api-sessions/{id}`. Needs the permission `ops.delete`.
   *
   * @param id - The id of the API session.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/audit-log`. */
export interface AuditLogCalls {
  /**
   * Lists entries of the audit log, the newest first.
   *
   * `GET /audit-log`. Needs the permission `audit-log.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<AuditEntryDetail>>;
  /**
   * Lists what the controllers have signed about the audit log, the newest first.
   *
   * `GET /audit-log/checkpoints`. Needs the permission `audit-log.read`.
   *
   * @param options - Signal and timeout of this call.
   */
  checkpoints(this: void, options?: CallOptions): Promise<ListPage<AuditCheckpointDetail>>;
}

/** Calls below `/circuits`. */
export interface CircuitsCalls {
  /**
   * Lists the open circuits.
   *
   * `GET /circuits`. Needs the permission `ops.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<CircuitDetail>>;
  /**
   * Reads one circuit.
   *
   * `GET /circuits/{id}`. Needs the permission `ops.read`.
   *
   * @param id - The id of the circuit.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<CircuitDetail>;
}

/** Calls below `/current-api-session`. */
export interface ManagementCurrentApiSessionCalls {
  /**
   * Reads the API session of the caller; `touch=false` does not extend it.
   *
   * `GET /current-api-session`. Needs a session, also a partial one.
   *
   * @param query - The query of the request.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, query?: { touch?: 'true' | 'false' | undefined }, options?: CallOptions): Promise<CurrentApiSessionDetail>;
  /**
   * Ends the API session of the caller.
   *
   * `DELETE /current-api-session`. Needs a session, also a partial one.
   *
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/links`. */
export interface LinksCalls {
  /**
   * Lists the links between routers; all of them without a limit.
   *
   * `GET /links`. Needs the permission `ops.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<LinkDetail>>;
  /**
   * Reads one link.
   *
   * `GET /links/{id}`. Needs the permission `ops.read`.
   *
   * @param id - The id of the link.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<LinkDetail>;
  /**
   * Closes one link and gives its circuits another path; the router may dial it again.
   *
   * `DELETE /links/{id}`. Needs the permission `ops.delete`.
   *
   * @param id - The id of the link.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/routers`. */
export interface RoutersCalls {
  /**
   * Lists transit routers.
   *
   * `GET /routers`. Needs the permission `router.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<RouterDetail>>;
  /**
   * Reads one router.
   *
   * `GET /routers/{id}`. Needs the permission `router.read`.
   *
   * @param id - The id of the router.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<RouterDetail>;
  /**
   * Creates one router.
   *
   * `POST /routers`. Needs the permission `router.create`.
   *
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  create(this: void, body: RouterCreate, options?: CallOptions): Promise<CreateLocation>;
  /**
   * Replaces every writable field of one router.
   *
   * `PUT /routers/{id}`. Needs the permission `router.update`.
   *
   * @param id - The id of the router.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  update(this: void, id: string, body: RouterUpdate, options?: CallOptions): Promise<undefined>;
  /**
   * Changes the sent fields of one router; null counts as not sent.
   *
   * `PATCH /routers/{id}`. Needs the permission `router.update`.
   *
   * @param id - The id of the router.
   * @param body - The body of the request.
   * @param options - Signal and timeout of this call.
   */
  patch(this: void, id: string, body?: RouterPatch, options?: CallOptions): Promise<undefined>;
  /**
   * Deletes one router and all that belongs to it.
   *
   * `DELETE /routers/{id}`. Needs the permission `router.delete`.
   *
   * @param id - The id of the router.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
}

/** Calls below `/sessions`. */
export interface ManagementSessionsCalls {
  /**
   * Lists sessions.
   *
   * `GET /sessions`. Needs the permission `ops.read`.
   *
   * @param query - Filter, sort order and page.
   * @param options - Signal and timeout of this call.
   */
  list(this: void, query?: ListQuery, options?: CallOptions): Promise<ListPage<SessionManagementDetail>>;
  /**
   * Reads one session.
   *
   * `GET /sessions/{id}`. Needs the permission `ops.read`.
   *
   * @param id - The id of the session.
   * @param options - Signal and timeout of this call.
   */
  get(this: void, id: string, options?: CallOptions): Promise<SessionManagementDetail>;
  /**
   * Ends one session.
   *
   * `DELETE /sessions/{id}`. Needs the permission `ops.delete`.
   *
   * @param id - The id of the session.
   * @param options - Signal and timeout of this call.
   */
  delete(this: void, id: string, options?: CallOptions): Promise<undefined>;
  /**
   * Reads the path that data of one session takes; empty also for an unknown session.
   *
   * `GET /sessions/{id}/route-path`. Needs the permission `ops.read`.
   *
   * @param id - The id of the session.
   * @param options - Signal and timeout of this call.
   */
  routePath(this: void, id: string, options?: CallOptions): Promise<SessionRoutePathDetail>;
}

/** Calls below `/summary`. */
export interface SummaryCalls {
  /**
   * Counts the entities of each kind.
   *
   * `GET /summary`. Needs the permission `ops.read`.
   *
   * @param options - Signal and timeout of this call.
   */
  get(this: void, options?: CallOptions): Promise<ListSummaryCounts>;
}

/** The calls of the Client API, below `/edge/client/v1`. Applications use it to access services. */
export interface ClientCalls {
  readonly services: ClientServicesCalls;
  readonly authentication: AuthenticationCalls;
  readonly controllers: ControllersCalls;
  readonly currentApiSession: ClientCurrentApiSessionCalls;
  readonly currentApiSessionCertificates: CurrentApiSessionCertificatesCalls;
  readonly currentIdentity: CurrentIdentityCalls;
  readonly currentIdentityApiSessions: CurrentIdentityApiSessionsCalls;
  readonly currentIdentityAuthenticators: CurrentIdentityAuthenticatorsCalls;
  readonly currentIdentityEdgeRouters: CurrentIdentityEdgeRoutersCalls;
  readonly currentIdentityEvents: CurrentIdentityEventsCalls;
  readonly currentIdentityMfa: CurrentIdentityMfaCalls;
  readonly enroll: EnrollCalls;
  readonly enumeratedCapabilities: EnumeratedCapabilitiesCalls;
  readonly externalJwtSigners: ClientExternalJwtSignersCalls;
  readonly networkJwts: NetworkJwtsCalls;
  readonly postureResponses: PostureResponsesCalls;
  readonly protocols: ProtocolsCalls;
  readonly sessions: ClientSessionsCalls;
  readonly specs: SpecsCalls;
  readonly version: VersionCalls;
  readonly wellKnown: WellKnownCalls;
}

/** The calls of the Management API, below `/edge/management/v1`. Administrators use it. */
export interface ManagementCalls {
  readonly authenticators: AuthenticatorsCalls;
  readonly authPolicies: AuthPoliciesCalls;
  readonly cas: CasCalls;
  readonly configs: ConfigsCalls;
  readonly configTypes: ConfigTypesCalls;
  readonly edgeRouterPolicies: EdgeRouterPoliciesCalls;
  readonly edgeRouters: EdgeRoutersCalls;
  readonly enrollments: EnrollmentsCalls;
  readonly externalJwtSigners: ManagementExternalJwtSignersCalls;
  readonly identities: IdentitiesCalls;
  readonly identityTypes: IdentityTypesCalls;
  readonly postureChecks: PostureChecksCalls;
  readonly postureCheckTypes: PostureCheckTypesCalls;
  readonly serviceEdgeRouterPolicies: ServiceEdgeRouterPoliciesCalls;
  readonly servicePolicies: ServicePoliciesCalls;
  readonly services: ManagementServicesCalls;
  readonly terminators: TerminatorsCalls;
  readonly transitRouters: TransitRoutersCalls;
  readonly apiSessions: ApiSessionsCalls;
  readonly auditLog: AuditLogCalls;
  readonly authentication: AuthenticationCalls;
  readonly circuits: CircuitsCalls;
  readonly controllers: ControllersCalls;
  readonly currentApiSession: ManagementCurrentApiSessionCalls;
  readonly currentIdentity: CurrentIdentityCalls;
  readonly currentIdentityAuthenticators: CurrentIdentityAuthenticatorsCalls;
  readonly currentIdentityMfa: CurrentIdentityMfaCalls;
  readonly enumeratedCapabilities: EnumeratedCapabilitiesCalls;
  readonly links: LinksCalls;
  readonly networkJwts: NetworkJwtsCalls;
  readonly routers: RoutersCalls;
  readonly sessions: ManagementSessionsCalls;
  readonly specs: SpecsCalls;
  readonly summary: SummaryCalls;
  readonly version: VersionCalls;
  readonly wellKnown: WellKnownCalls;
}
