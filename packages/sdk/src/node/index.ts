export * from '../client/index.ts';
export { createCsr } from '../enrollment/csr.ts';
export { createEdgeClient, type NodeEdgeClient, type NodeEdgeClientOptions } from './create-node-edge-client.ts';
export { enroll, type NodeEnrollOptions } from './enroll.ts';
export type { ExtendOptions } from './extend-certificate.ts';
export { fileStorage } from './file-storage.ts';
export { type CertificateIdentity, loadIdentity, saveIdentity } from './identity-file.ts';
export { type Mtls, mtls } from './mtls.ts';
export { type ConnectionOptions, type NodeFetch, type NodeFetchOptions, nodeFetch } from './node-fetch.ts';
