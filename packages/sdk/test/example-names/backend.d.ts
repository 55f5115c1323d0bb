// Further names for the examples of `@edge-controller/sdk/backend`.
import type { Express } from 'express';
import type { SessionVerifier } from '../../src/backend/index.ts';

export { Hono } from 'hono';
export { default as Koa } from 'koa';
export const app: Express;
export const verifier: SessionVerifier;
export const request: Request;
