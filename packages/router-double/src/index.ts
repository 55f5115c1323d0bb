export type { Message } from './channel/messages.ts';
export type { RouterEnrollment } from './enroll-router.ts';
export { enrollRouter } from './enroll-router.ts';
export type { SeenFrame } from './frame-log.ts';
export type { HelloChanges, RouterDoubleOptions, RouterTimings, SavedDataModel } from './options.ts';
export { RouterDouble } from './router-double.ts';
export type { RouterIdentity } from './router-identity.ts';
export type { RouterState } from './router-state.ts';
