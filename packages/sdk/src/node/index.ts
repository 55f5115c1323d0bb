export * from '../index.ts';
export { createEdgeClient, type NodeEdgeClientOptions } from './create-node-edge-client.ts';
export { fileStorage } from './file-storage.ts';
export { nodeFetch } from './node-fetch.ts';
