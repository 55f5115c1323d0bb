export { decode, encode } from './codec.ts';
export * from './generated/router_pb.js';
