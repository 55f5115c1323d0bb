// Further names for the examples of `@edge-controller/sdk/backend`.
import type { Express } from 'express';
import type { CookieSessions, Session } from '../../src/backend/index.ts';

export { Hono } from 'hono';
export { default as Koa } from 'koa';
export const app: Express;
export const request: Request;
export const sessions: CookieSessions;
export const form: FormData;
/** As `next/headers` has it. */
export function headers(): Promise<Headers>;
export const redis: {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, options: { EX: number }): Promise<unknown>;
  del(key: string): Promise<number>;
};
export function signInPage(headers: Headers, problem?: string): Response;
export function codePage(queries: Session['authQueries'], headers: Headers): Response;
export function homePage(name: string, headers: Headers): Response;
