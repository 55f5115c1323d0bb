// Further names for the examples of `@edge-controller/sdk/backend`.
import type { Express } from 'express';

export { Hono } from 'hono';
export { default as Koa } from 'koa';
export const app: Express;
export const request: Request;
