export type { JwtIssuerOptions, TestJwtIssuer } from './jwt-issuer.ts';
export { startTestController } from './start-test-controller.ts';
export type { TestClock } from './test-clock.ts';
export type { TestController, TestControllerOptions } from './test-controller.ts';
export type { NewIdentity, TestIdentity } from './test-identities.ts';
