// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.ts.
import type { OperationTable } from '../../../calls/operation-row.ts';
import { entityOperations, readOperations } from '../entity-operations.ts';

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
    ...readOperations('/current-identity/authenticators', 'full'),
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
  services: {
    ...readOperations('/services', 'full'),
    edgeRouters: { method: 'GET', path: '/services/{id}/edge-routers', access: 'full', result: 'detail', headers: true },
    terminators: { method: 'GET', path: '/services/{id}/terminators', access: 'full', result: 'list', query: true },
  },
  currentApiSessionCertificates: {
    ...readOperations('/current-api-session/certificates', 'full'),
    create: { method: 'POST', path: '/current-api-session/certificates', access: 'full', result: 'created', body: true },
    delete: { method: 'DELETE', path: '/current-api-session/certificates/{id}', access: 'full', result: 'empty' },
  },
  currentIdentityEdgeRouters: {
    list: { method: 'GET', path: '/current-identity/edge-routers', access: 'full', result: 'list', query: true },
  },
  enroll: {
    enroll: { method: 'POST', path: '/enroll', access: 'anyone', result: 'detail', query: true, body: true },
    ott: { method: 'POST', path: '/enroll/ott', access: 'anyone', result: 'detail', body: true },
    ottca: { method: 'POST', path: '/enroll/ottca', access: 'anyone', result: 'detail', body: true },
    erott: { method: 'POST', path: '/enroll/erott', access: 'anyone', result: 'detail', body: true },
    extendRouter: { method: 'POST', path: '/enroll/extend/router', access: 'anyone', result: 'detail', body: true },
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
    ...entityOperations('/authenticators'),
    reEnroll: { method: 'POST', path: '/authenticators/{id}/re-enroll', access: 'admin', result: 'create', body: true },
    requestExtend: { method: 'POST', path: '/authenticators/{id}/request-extend', access: 'admin', result: 'empty', body: true },
  },
  authPolicies: entityOperations('/auth-policies'),
  cas: {
    ...entityOperations('/cas'),
    verify: { method: 'POST', path: '/cas/{id}/verify', access: 'admin', result: 'empty', body: true },
    jwt: { method: 'GET', path: '/cas/{id}/jwt', access: 'admin', result: 'document', produces: 'application/jwt' },
  },
  configs: {
    ...entityOperations('/configs'),
    services: { method: 'GET', path: '/configs/{id}/services', access: 'admin', result: 'list', query: true },
  },
  configTypes: {
    ...entityOperations('/config-types'),
    configs: { method: 'GET', path: '/config-types/{id}/configs', access: 'admin', result: 'list', query: true },
  },
  edgeRouterPolicies: {
    ...entityOperations('/edge-router-policies'),
    edgeRouters: { method: 'GET', path: '/edge-router-policies/{id}/edge-routers', access: 'admin', result: 'list', query: true },
    identities: { method: 'GET', path: '/edge-router-policies/{id}/identities', access: 'admin', result: 'list', query: true },
  },
  edgeRouters: {
    ...entityOperations('/edge-routers'),
    reEnroll: { method: 'POST', path: '/edge-routers/{id}/re-enroll', access: 'admin', result: 'empty' },
    roleAttributes: { method: 'GET', path: '/edge-router-role-attributes', access: 'admin', result: 'list', query: true },
    edgeRouterPolicies: { method: 'GET', path: '/edge-routers/{id}/edge-router-policies', access: 'admin', result: 'list', query: true },
    identities: { method: 'GET', path: '/edge-routers/{id}/identities', access: 'admin', result: 'list', query: true },
    serviceEdgeRouterPolicies: { method: 'GET', path: '/edge-routers/{id}/service-edge-router-policies', access: 'admin', result: 'list', query: true },
    services: { method: 'GET', path: '/edge-routers/{id}/services', access: 'admin', result: 'list', query: true },
  },
  enrollments: {
    ...readOperations('/enrollments', 'admin'),
    create: { method: 'POST', path: '/enrollments', access: 'admin', result: 'create', body: true },
    delete: { method: 'DELETE', path: '/enrollments/{id}', access: 'admin', result: 'empty' },
    refresh: { method: 'POST', path: '/enrollments/{id}/refresh', access: 'admin', result: 'empty', body: true },
  },
  externalJwtSigners: {
    ...entityOperations('/external-jwt-signers'),
    test: { method: 'POST', path: '/external-jwt-signers/{id}/test', access: 'admin', result: 'detail', body: true },
  },
  identities: {
    ...entityOperations('/identities'),
    disable: { method: 'POST', path: '/identities/{id}/disable', access: 'admin', result: 'empty', body: true },
    enable: { method: 'POST', path: '/identities/{id}/enable', access: 'admin', result: 'empty' },
    removeMfa: { method: 'DELETE', path: '/identities/{id}/mfa', access: 'admin', result: 'empty' },
    roleAttributes: { method: 'GET', path: '/identity-role-attributes', access: 'admin', result: 'list', query: true },
    authenticators: { method: 'GET', path: '/identities/{id}/authenticators', access: 'admin', result: 'list', query: true },
    edgeRouterPolicies: { method: 'GET', path: '/identities/{id}/edge-router-policies', access: 'admin', result: 'list', query: true },
    edgeRouters: { method: 'GET', path: '/identities/{id}/edge-routers', access: 'admin', result: 'list', query: true },
    enrollments: { method: 'GET', path: '/identities/{id}/enrollments', access: 'admin', result: 'list', query: true },
    servicePolicies: { method: 'GET', path: '/identities/{id}/service-policies', access: 'admin', result: 'list', query: true },
    services: { method: 'GET', path: '/identities/{id}/services', access: 'admin', result: 'list', query: true },
    serviceConfigs: { method: 'GET', path: '/identities/{id}/service-configs', access: 'admin', result: 'list' },
    assignServiceConfigs: { method: 'POST', path: '/identities/{id}/service-configs', access: 'admin', result: 'empty', body: true },
    removeServiceConfigs: { method: 'DELETE', path: '/identities/{id}/service-configs', access: 'admin', result: 'empty', body: true },
  },
  identityTypes: readOperations('/identity-types', 'full'),
  postureChecks: {
    ...entityOperations('/posture-checks'),
    roleAttributes: { method: 'GET', path: '/posture-check-role-attributes', access: 'admin', result: 'list', query: true },
  },
  postureCheckTypes: readOperations('/posture-check-types', 'full'),
  serviceEdgeRouterPolicies: {
    ...entityOperations('/service-edge-router-policies'),
    edgeRouters: { method: 'GET', path: '/service-edge-router-policies/{id}/edge-routers', access: 'admin', result: 'list', query: true },
    services: { method: 'GET', path: '/service-edge-router-policies/{id}/services', access: 'admin', result: 'list', query: true },
  },
  servicePolicies: {
    ...entityOperations('/service-policies'),
    services: { method: 'GET', path: '/service-policies/{id}/services', access: 'admin', result: 'list', query: true },
    identities: { method: 'GET', path: '/service-policies/{id}/identities', access: 'admin', result: 'list', query: true },
    postureChecks: { method: 'GET', path: '/service-policies/{id}/posture-checks', access: 'admin', result: 'list', query: true },
  },
  services: {
    ...entityOperations('/services'),
    roleAttributes: { method: 'GET', path: '/service-role-attributes', access: 'admin', result: 'list', query: true },
    configs: { method: 'GET', path: '/services/{id}/configs', access: 'admin', result: 'list', query: true },
    edgeRouters: { method: 'GET', path: '/services/{id}/edge-routers', access: 'admin', result: 'list', query: true },
    identities: { method: 'GET', path: '/services/{id}/identities', access: 'admin', result: 'list', query: true },
    serviceEdgeRouterPolicies: { method: 'GET', path: '/services/{id}/service-edge-router-policies', access: 'admin', result: 'list', query: true },
    servicePolicies: { method: 'GET', path: '/services/{id}/service-policies', access: 'admin', result: 'list', query: true },
    terminators: { method: 'GET', path: '/services/{id}/terminators', access: 'admin', result: 'list', query: true },
  },
  terminators: entityOperations('/terminators'),
  transitRouters: entityOperations('/transit-routers'),
  apiSessions: {
    ...readOperations('/api-sessions', 'admin'),
    delete: { method: 'DELETE', path: '/api-sessions/{id}', access: 'admin', result: 'empty' },
  },
  routers: entityOperations('/routers'),
};
