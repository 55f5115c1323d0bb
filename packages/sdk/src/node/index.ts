export * from '../client/index.ts';
export type { AuthenticationOptions } from '../edge-routers/authentication/authentication-options.ts';
export type { ExpectedPeer, PeerIdentity } from '../edge-routers/authentication/peer-identity.ts';
export type { BindOptions, Hosting, Precedence } from '../edge-routers/bind-options.ts';
export {
  type ConnectionErrorCode,
  EdgeConnectionError,
  isEdgeConnectionError,
} from '../edge-routers/connection-error.ts';
export type { DialOptions } from '../edge-routers/dial-options.ts';
export type { EdgeConnection } from '../edge-routers/edge-connection.ts';
export type { EdgeSocket } from '../edge-routers/edge-socket.ts';
export type { ServiceBinding } from '../edge-routers/service-binding.ts';
export { createCsr } from '../enrollment/csr.ts';
export { createEdgeClient, type NodeEdgeClient, type NodeEdgeClientOptions } from './create-node-edge-client.ts';
export { enroll, type NodeEnrollOptions } from './enroll.ts';
export type { ExtendOptions } from './extend-certificate.ts';
export { fileStorage } from './file-storage.ts';
export { type CertificateIdentity, loadIdentity, saveIdentity } from './identity-file.ts';
export { type Mtls, mtls } from './mtls.ts';
export { type ConnectionOptions, type NodeFetch, type NodeFetchOptions, nodeFetch } from './node-fetch.ts';
export { devicePosture } from './posture/device-posture.ts';
export type { ServiceAgent, ServiceAgentOptions } from './service-agent.ts';
export type { ServiceConnections } from './service-connections.ts';
export type { ServiceHandler, ServiceServer } from './service-server.ts';
export type { ServiceSocket } from './service-socket.ts';
