export { presentedCertificates, sentCertificates } from './client-certificates.ts';
export { connectGuarded } from './connect-guarded.ts';
export { guards } from './connection-guard.ts';
export { guardHandshakes } from './guard-handshakes.ts';
export { RefusedHandshake } from './refused-handshake.ts';
export { peerOf, UnfinishedHandshakes } from './unfinished-handshakes.ts';
