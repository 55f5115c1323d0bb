import { prepareData } from './prepared-data.ts';

export * from './index.ts';

// An `import` waits for this, so a start takes little time. `startTestController` reports a failure.
await prepareData().catch(() => undefined);
