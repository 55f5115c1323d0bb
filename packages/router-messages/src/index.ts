export type { DescMessage, MessageShape } from './codec.ts';
export { decode, encode } from './codec.ts';
export * from './generated/router_pb.js';
