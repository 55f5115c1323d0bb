import { z } from 'zod';
import { define } from '../definitions.ts';

/** One network interface of a device. */
export const networkInterface = define(
  'interface',
  z.object({
    name: z.string(),
    hardwareAddress: z.string(),
    mtu: z.number().int(),
    index: z.number().int(),
    isUp: z.boolean(),
    isRunning: z.boolean(),
    isLoopback: z.boolean(),
    isBroadcast: z.boolean(),
    isMulticast: z.boolean(),
    addresses: z.array(z.string()).nullish(),
  }),
);
