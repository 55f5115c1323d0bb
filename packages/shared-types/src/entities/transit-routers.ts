import { z } from 'zod';
import { entity } from '../entity.ts';
import { serverSet } from '../field.ts';
import { routerFields } from './router-fields.ts';

/** A router that only carries circuits between other routers. The list has the edge routers, too. */
export const transitRouters = entity({
  noun: 'router',
  collection: 'transit-routers',
  fields: {
    ...routerFields,
    /** SHA-1 of its client certificate, lower-case hex. Null: it has not enrolled. */
    fingerprint: { ...serverSet(z.string(), 'nullable', null, 'fingerprint'), unique: true },
  },
  errors: {
    create: ['NOT_FOUND'],
    update: ['NOT_FOUND', 'CAN_NOT_UPDATE_ROUTER'],
    patch: ['NOT_FOUND', 'CAN_NOT_UPDATE_ROUTER'],
    delete: ['CAN_NOT_UPDATE_ROUTER'],
  },
});
