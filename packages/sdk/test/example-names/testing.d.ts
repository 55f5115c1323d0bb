// Further names for the examples of `@edge-controller/sdk/testing`.
import type { TestController, TestIdentity, TestJwtIssuer } from '../../src/testing/index.ts';

export const controller: TestController;
export const ada: TestIdentity;
export const identity: TestIdentity;
export const issuer: TestJwtIssuer;
