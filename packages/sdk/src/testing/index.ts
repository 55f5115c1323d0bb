export type { JwtIssuerOptions, TestJwtIssuer } from './jwt-issuer.ts';
export { startTestController } from './start-test-controller.ts';
export type { TestClock } from './test-clock.ts';
export type { TestController, TestControllerOptions } from './test-controller.ts';
export type { NewIdentity, TestIdentity } from './test-identities.ts';
export type { NewRouter, TestRouter, TestRouterState } from './test-router.ts';
export type { NewService, TestService } from './test-services.ts';
