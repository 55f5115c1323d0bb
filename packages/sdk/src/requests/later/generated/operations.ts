// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.ts.
import type { OperationTable } from '../../../calls/operation-row.ts';

const inBoth: OperationTable = {
  authentication: {
    mfa: { method: 'POST', path: '/authenticate/mfa', access: 'partial', result: 'empty', body: true },
  },
  currentApiSession: {
    get: { method: 'GET', path: '/current-api-session', access: 'partial', result: 'detail', query: true },
    delete: { method: 'DELETE', path: '/current-api-session', access: 'partial', result: 'empty' },
  },
  currentIdentity: {
    get: { method: 'GET', path: '/current-identity', access: 'full', result: 'detail' },
  },
  currentIdentityAuthenticators: {
    list: { method: 'GET', path: '/current-identity/authenticators', access: 'full', result: 'list', query: true },
    get: { method: 'GET', path: '/current-identity/authenticators/{id}', access: 'full', result: 'detail' },
    update: { method: 'PUT', path: '/current-identity/authenticators/{id}', access: 'full', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/current-identity/authenticators/{id}', access: 'full', result: 'empty', body: true },
    extend: { method: 'POST', path: '/current-identity/authenticators/{id}/extend', access: 'full', result: 'detail', body: true },
    extendVerify: { method: 'POST', path: '/current-identity/authenticators/{id}/extend-verify', access: 'full', result: 'empty', body: true },
  },
  currentIdentityMfa: {
    create: { method: 'POST', path: '/current-identity/mfa', access: 'partial', result: 'create' },
    get: { method: 'GET', path: '/current-identity/mfa', access: 'partial', result: 'detail' },
    delete: { method: 'DELETE', path: '/current-identity/mfa', access: 'full', result: 'empty', headers: true },
    verify: { method: 'POST', path: '/current-identity/mfa/verify', access: 'partial', result: 'empty', body: true },
    qrCode: { method: 'GET', path: '/current-identity/mfa/qr-code', access: 'partial', result: 'document', produces: 'image/png' },
    recoveryCodes: { method: 'GET', path: '/current-identity/mfa/recovery-codes', access: 'full', result: 'detail', headers: true },
    createRecoveryCodes: { method: 'POST', path: '/current-identity/mfa/recovery-codes', access: 'full', result: 'empty', body: true },
  },
  specs: {
    list: { method: 'GET', path: '/specs', access: 'anyone', result: 'list' },
    get: { method: 'GET', path: '/specs/{id}', access: 'anyone', result: 'detail' },
    spec: { method: 'GET', path: '/specs/{id}/spec', access: 'anyone', result: 'document', produces: 'text/yaml' },
    swagger: { method: 'GET', path: '/swagger.json', access: 'anyone', result: 'document', produces: 'application/json' },
  },
  version: {
    get: { method: 'GET', path: '/version', access: 'anyone', result: 'detail' },
    root: { method: 'GET', path: '/', access: 'anyone', result: 'detail' },
  },
  wellKnown: {
    caCertificates: { method: 'GET', path: '/.well-known/est/cacerts', access: 'anyone', result: 'document', produces: 'application/pkcs7-mime' },
  },
};

export const clientOperations: OperationTable = {
  ...inBoth,
  currentApiSessionCertificates: {
    list: { method: 'GET', path: '/current-api-session/certificates', access: 'full', result: 'list', query: true },
    get: { method: 'GET', path: '/current-api-session/certificates/{id}', access: 'full', result: 'detail' },
    create: { method: 'POST', path: '/current-api-session/certificates', access: 'full', result: 'created', body: true },
    delete: { method: 'DELETE', path: '/current-api-session/certificates/{id}', access: 'full', result: 'empty' },
  },
  enroll: {
    enroll: { method: 'POST', path: '/enroll', access: 'anyone', result: 'detail', query: true, body: true },
    ott: { method: 'POST', path: '/enroll/ott', access: 'anyone', result: 'detail', body: true },
    ottca: { method: 'POST', path: '/enroll/ottca', access: 'anyone', result: 'detail', body: true },
    ca: { method: 'POST', path: '/enroll/ca', access: 'anyone', result: 'detail', body: true },
    token: { method: 'POST', path: '/enroll/token', access: 'anyone', result: 'detail', headers: true, body: true },
    updb: { method: 'POST', path: '/enroll/updb', access: 'anyone', result: 'detail', query: true, body: true },
  },
  externalJwtSigners: {
    list: { method: 'GET', path: '/external-jwt-signers', access: 'anyone', result: 'list', query: true },
  },
};

export const managementOperations: OperationTable = {
  ...inBoth,
  authenticators: {
    list: { method: 'GET', path: '/authenticators', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/authenticators/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/authenticators', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/authenticators/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/authenticators/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/authenticators/{id}', access: 'admin', result: 'empty' },
    reEnroll: { method: 'POST', path: '/authenticators/{id}/re-enroll', access: 'admin', result: 'create', body: true },
    requestExtend: { method: 'POST', path: '/authenticators/{id}/request-extend', access: 'admin', result: 'empty', body: true },
  },
  authPolicies: {
    list: { method: 'GET', path: '/auth-policies', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/auth-policies/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/auth-policies', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/auth-policies/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/auth-policies/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/auth-policies/{id}', access: 'admin', result: 'empty' },
  },
  cas: {
    list: { method: 'GET', path: '/cas', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/cas/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/cas', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/cas/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/cas/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/cas/{id}', access: 'admin', result: 'empty' },
    verify: { method: 'POST', path: '/cas/{id}/verify', access: 'admin', result: 'empty', body: true },
    jwt: { method: 'GET', path: '/cas/{id}/jwt', access: 'admin', result: 'document', produces: 'application/jwt' },
  },
  configs: {
    list: { method: 'GET', path: '/configs', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/configs/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/configs', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/configs/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/configs/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/configs/{id}', access: 'admin', result: 'empty' },
  },
  configTypes: {
    list: { method: 'GET', path: '/config-types', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/config-types/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/config-types', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/config-types/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/config-types/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/config-types/{id}', access: 'admin', result: 'empty' },
    configs: { method: 'GET', path: '/config-types/{id}/configs', access: 'admin', result: 'list', query: true },
  },
  enrollments: {
    list: { method: 'GET', path: '/enrollments', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/enrollments/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/enrollments', access: 'admin', result: 'create', body: true },
    delete: { method: 'DELETE', path: '/enrollments/{id}', access: 'admin', result: 'empty' },
    refresh: { method: 'POST', path: '/enrollments/{id}/refresh', access: 'admin', result: 'empty', body: true },
  },
  externalJwtSigners: {
    list: { method: 'GET', path: '/external-jwt-signers', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/external-jwt-signers/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/external-jwt-signers', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/external-jwt-signers/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/external-jwt-signers/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/external-jwt-signers/{id}', access: 'admin', result: 'empty' },
    test: { method: 'POST', path: '/external-jwt-signers/{id}/test', access: 'admin', result: 'detail', body: true },
  },
  identities: {
    list: { method: 'GET', path: '/identities', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/identities/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/identities', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/identities/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/identities/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/identities/{id}', access: 'admin', result: 'empty' },
    disable: { method: 'POST', path: '/identities/{id}/disable', access: 'admin', result: 'empty', body: true },
    enable: { method: 'POST', path: '/identities/{id}/enable', access: 'admin', result: 'empty' },
    removeMfa: { method: 'DELETE', path: '/identities/{id}/mfa', access: 'admin', result: 'empty' },
    authenticators: { method: 'GET', path: '/identities/{id}/authenticators', access: 'admin', result: 'list', query: true },
    enrollments: { method: 'GET', path: '/identities/{id}/enrollments', access: 'admin', result: 'list', query: true },
  },
  identityTypes: {
    list: { method: 'GET', path: '/identity-types', access: 'full', result: 'list', query: true },
    get: { method: 'GET', path: '/identity-types/{id}', access: 'full', result: 'detail' },
  },
  postureChecks: {
    list: { method: 'GET', path: '/posture-checks', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/posture-checks/{id}', access: 'admin', result: 'detail' },
    create: { method: 'POST', path: '/posture-checks', access: 'admin', result: 'create', body: true },
    update: { method: 'PUT', path: '/posture-checks/{id}', access: 'admin', result: 'empty', body: true },
    patch: { method: 'PATCH', path: '/posture-checks/{id}', access: 'admin', result: 'empty', body: true },
    delete: { method: 'DELETE', path: '/posture-checks/{id}', access: 'admin', result: 'empty' },
  },
  postureCheckTypes: {
    list: { method: 'GET', path: '/posture-check-types', access: 'full', result: 'list', query: true },
    get: { method: 'GET', path: '/posture-check-types/{id}', access: 'full', result: 'detail' },
  },
  apiSessions: {
    list: { method: 'GET', path: '/api-sessions', access: 'admin', result: 'list', query: true },
    get: { method: 'GET', path: '/api-sessions/{id}', access: 'admin', result: 'detail' },
    delete: { method: 'DELETE', path: '/api-sessions/{id}', access: 'admin', result: 'empty' },
  },
};
