import { z } from 'zod';
import { entity } from '../entity.ts';
import { freeObject } from '../envelope.ts';
import { nullable, optional, reference, required, uniqueName } from '../field.ts';
import { hasMany } from '../relation.ts';

/** A type of configs: what their data must look like. */
export const configTypes = entity({
  noun: 'configType',
  collection: 'config-types',
  fields: {
    /** Unique, at most 500 characters. `all` is reserved. */
    name: uniqueName,
    /** A JSON schema whose root type is `object`, at most 64 KiB as JSON. Null: configs may have any data. */
    schema: nullable(freeObject),
    /** What configs of this type are for. It never changes. Default: `service`. */
    target: { ...optional(z.enum(['service', 'router']), 'service'), update: 'none', patch: 'none' },
  },
  relations: { configs: { ...hasMany('configs', 'configTypeId'), link: false } },
  errors: {
    create: ['SERVER_TOO_MANY_REQUESTS'],
    update: ['SERVER_TOO_MANY_REQUESTS'],
    patch: ['SERVER_TOO_MANY_REQUESTS'],
  },
});

/** Settings for the applications that use or offer a service, or for routers. */
export const configs = entity({
  noun: 'config',
  collection: 'configs',
  fields: {
    name: uniqueName,
    /** It never changes. */
    configTypeId: { ...reference('configTypes', 'type'), update: 'none', patch: 'none' },
    /** What the schema of the type describes, at most 64 KiB as JSON. Every PATCH has to send all of it. */
    data: { ...required(freeObject), describedBy: 'configTypeId.schema' },
  },
  relations: { services: { ...hasMany('services', 'configs'), link: false } },
  errors: {
    create: ['SERVER_TOO_MANY_REQUESTS'],
    update: ['SERVER_TOO_MANY_REQUESTS'],
    patch: ['SERVER_TOO_MANY_REQUESTS'],
  },
});
