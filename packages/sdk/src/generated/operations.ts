// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.mjs.
import type { OperationTable } from '../operation-row.ts';

export const clientOperations: OperationTable = {
  authentication: {
    authenticate: { method: 'POST', path: '/authenticate', access: 'anyone', answer: 'detail', query: true, body: true },
  },
  currentApiSession: {
    get: { method: 'GET', path: '/current-api-session', access: 'partial', answer: 'detail' },
    delete: { method: 'DELETE', path: '/current-api-session', access: 'partial', answer: 'empty' },
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
  },
  authenticators: {
    list: { method: 'GET', path: '/authenticators', access: 'admin', answer: 'list', query: true },
    get: { method: 'GET', path: '/authenticators/{id}', access: 'admin', answer: 'detail' },
  },
  currentApiSession: {
    get: { method: 'GET', path: '/current-api-session', access: 'partial', answer: 'detail' },
    delete: { method: 'DELETE', path: '/current-api-session', access: 'partial', answer: 'empty' },
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
