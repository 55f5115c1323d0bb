import type { Context } from './request-state.ts';

/** What changes nothing: the methods that a file has. */
export const isRead = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD';
