import type { Tables } from '../../storage/entity-store/entity-store.ts';

/** The TOTP of an identity. An identity has at most one. */
export type MfaRow = Tables['mfas'];
