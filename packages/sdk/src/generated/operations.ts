// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.mjs.
import type { OperationTable } from '../operation-row.ts';

export const clientOperations: OperationTable = {
  authentication: {
    authenticate: { method: 'POST', path: '/authenticate', access: 'anyone', answer: 'detail', query: true, body: true },
    mfa: { method: 'POST', path: '/authenticate/mfa', access: 'partial', answer: 'empty', body: true },
  },
  currentApiSession: {
    get: { method: 'GET', path: '/current-api-session', access: 'partial', answer: 'detail' },
    delete: { method: 'DELETE', path: '/current-api-session', access: 'partial', answer: 'empty' },
  },
  currentIdentity: {
    get: { method: 'GET', path: '/current-identity', access: 'full', answer: 'detail' },
  },
  currentIdentityAuthenticators: {
    list: { method: 'GET', path: '/current-identity/authenticators', access: 'full', answer: 'list', query: true },
    get: { method: 'GET', path: '/current-identity/authenticators/{id}', access: 'full', answer: 'detail' },
    update: { method: 'PUT', path: '/current-identity/authenticators/{id}', access: 'full', answer: 'empty', body: true },
    patch: { method: 'PATCH', path: '/current-identity/authenticators/{id}', access: 'full', answer: 'empty', body: true },
  },
  currentIdentityMfa: {
    create: { method: 'POST', path: '/current-identity/mfa', access: 'partial', answer: 'create' },
    get: { method: 'GET', path: '/current-identity/mfa', access: 'partial', answer: 'detail' },
    delete: { method: 'DELETE', path: '/current-identity/mfa', access: 'full', answer: 'empty', headers: true },
    verify: { method: 'POST', path: '/current-identity/mfa/verify', access: 'partial', answer: 'empty', body: true },
    qrCode: { method: 'GET', path: '/current-identity/mfa/qr-code', access: 'partial', answer: 'png' },
    recoveryCodes: { method: 'GET', path: '/current-identity/mfa/recovery-codes', access: 'full', answer: 'detail', headers: true },
    createRecoveryCodes: { method: 'POST', path: '/current-identity/mfa/recovery-codes', access: 'full', answer: 'empty', body: true },
  },
  enroll: {
    enroll: { method: 'POST', path: '/enroll', access: 'anyone', answer: 'empty', query: true, body: true },
    updb: { method: 'POST', path: '/enroll/updb', access: 'anyone', answer: 'empty', query: true, body: true },
  },
  specs: {
    list: { method: 'GET', path: '/specs', access: 'anyone', answer: 'list' },
    get: { method: 'GET', path: '/specs/{id}', access: 'anyone', answer: 'detail' },
  },
  version: {
    get: { method: 'GET', path: '/version', access: 'anyone', answer: 'detail' },
    root: { method: 'GET', path: '/', access: 'anyone', answer: 'detail' },
  },
};

export const managementOperations: OperationTable = {
  apiSessions: {
    list: { method: 'GET', path: '/api-sessions', access: 'admin', answer: 'list', query: true },
    get: { method: 'GET', path: '/api-sessions/{id}', access: 'admin', answer: 'detail' },
    delete: { method: 'DELETE', path: '/api-sessions/{id}', access: 'admin', answer: 'empty' },
  },
  authentication: {
    authenticate: { method: 'POST', path: '/authenticate', access: 'anyone', answer: 'detail', query: true, body: true },
    mfa: { method: 'POST', path: '/authenticate/mfa', access: 'partial', answer: 'empty', body: true },
  },
  authPolicies: {
    list: { method: 'GET', path: '/auth-policies', access: 'admin', answer: 'list', query: true },
    get: { method: 'GET', path: '/auth-policies/{id}', access: 'admin', answer: 'detail' },
    create: { method: 'POST', path: '/auth-policies', access: 'admin', answer: 'create', body: true },
    update: { method: 'PUT', path: '/auth-policies/{id}', access: 'admin', answer: 'empty', body: true },
    patch: { method: 'PATCH', path: '/auth-policies/{id}', access: 'admin', answer: 'empty', body: true },
    delete: { method: 'DELETE', path: '/auth-policies/{id}', access: 'admin', answer: 'empty' },
  },
  authenticators: {
    list: { method: 'GET', path: '/authenticators', access: 'admin', answer: 'list', query: true },
    get: { method: 'GET', path: '/authenticators/{id}', access: 'admin', answer: 'detail' },
    create: { method: 'POST', path: '/authenticators', access: 'admin', answer: 'create', body: true },
    update: { method: 'PUT', path: '/authenticators/{id}', access: 'admin', answer: 'empty', body: true },
    patch: { method: 'PATCH', path: '/authenticators/{id}', access: 'admin', answer: 'empty', body: true },
    delete: { method: 'DELETE', path: '/authenticators/{id}', access: 'admin', answer: 'empty' },
  },
  currentApiSession: {
    get: { method: 'GET', path: '/current-api-session', access: 'partial', answer: 'detail' },
    delete: { method: 'DELETE', path: '/current-api-session', access: 'partial', answer: 'empty' },
  },
  currentIdentity: {
    get: { method: 'GET', path: '/current-identity', access: 'full', answer: 'detail' },
  },
  currentIdentityAuthenticators: {
    list: { method: 'GET', path: '/current-identity/authenticators', access: 'full', answer: 'list', query: true },
    get: { method: 'GET', path: '/current-identity/authenticators/{id}', access: 'full', answer: 'detail' },
    update: { method: 'PUT', path: '/current-identity/authenticators/{id}', access: 'full', answer: 'empty', body: true },
    patch: { method: 'PATCH', path: '/current-identity/authenticators/{id}', access: 'full', answer: 'empty', body: true },
  },
  currentIdentityMfa: {
    create: { method: 'POST', path: '/current-identity/mfa', access: 'partial', answer: 'create' },
    get: { method: 'GET', path: '/current-identity/mfa', access: 'partial', answer: 'detail' },
    delete: { method: 'DELETE', path: '/current-identity/mfa', access: 'full', answer: 'empty', headers: true },
    verify: { method: 'POST', path: '/current-identity/mfa/verify', access: 'partial', answer: 'empty', body: true },
    qrCode: { method: 'GET', path: '/current-identity/mfa/qr-code', access: 'partial', answer: 'png' },
    recoveryCodes: { method: 'GET', path: '/current-identity/mfa/recovery-codes', access: 'full', answer: 'detail', headers: true },
    createRecoveryCodes: { method: 'POST', path: '/current-identity/mfa/recovery-codes', access: 'full', answer: 'empty', body: true },
  },
  identities: {
    list: { method: 'GET', path: '/identities', access: 'admin', answer: 'list', query: true },
    get: { method: 'GET', path: '/identities/{id}', access: 'admin', answer: 'detail' },
    create: { method: 'POST', path: '/identities', access: 'admin', answer: 'create', body: true },
    update: { method: 'PUT', path: '/identities/{id}', access: 'admin', answer: 'empty', body: true },
    patch: { method: 'PATCH', path: '/identities/{id}', access: 'admin', answer: 'empty', body: true },
    delete: { method: 'DELETE', path: '/identities/{id}', access: 'admin', answer: 'empty' },
    disable: { method: 'POST', path: '/identities/{id}/disable', access: 'admin', answer: 'empty', body: true },
    enable: { method: 'POST', path: '/identities/{id}/enable', access: 'admin', answer: 'empty' },
    authenticators: { method: 'GET', path: '/identities/{id}/authenticators', access: 'admin', answer: 'list', query: true },
    removeMfa: { method: 'DELETE', path: '/identities/{id}/mfa', access: 'admin', answer: 'empty' },
  },
  specs: {
    list: { method: 'GET', path: '/specs', access: 'anyone', answer: 'list' },
    get: { method: 'GET', path: '/specs/{id}', access: 'anyone', answer: 'detail' },
  },
  version: {
    get: { method: 'GET', path: '/version', access: 'anyone', answer: 'detail' },
    root: { method: 'GET', path: '/', access: 'anyone', answer: 'detail' },
  },
};
