import { randomUUID } from 'node:crypto';
import type { ManagementCalls } from '../api/generated/calls.ts';

type ServiceBody = Parameters<ManagementCalls['services']['create']>[0];

/**
 * Members of a service, and who may use it. Default: a unique name, encryption, and all identities.
 *
 * @example
 * const wiki = await controller.createService({ name: 'wiki', dial: ['#staff'], bind: ['#servers'] });
 */
export interface NewService extends Partial<ServiceBody> {
  /** Roles of the identities that may dial it. Default: `['#all']`. */
  readonly dial?: readonly string[] | undefined;
  /** Roles of the identities that may host it. Default: `['#all']`. */
  readonly bind?: readonly string[] | undefined;
}

/**
 * A service of a test controller.
 *
 * @example
 * const { name } = await controller.createService();
 */
export interface TestService {
  readonly id: string;
  readonly name: string;
}

const all: readonly string[] = ['#all'];

export function createTestServices({ services, servicePolicies }: ManagementCalls) {
  return async ({ dial = all, bind = all, ...members }: NewService = {}): Promise<TestService> => {
    const { name = `service-${randomUUID()}`, encryptionRequired = true } = members;
    const { id } = await services.create({ ...members, name, encryptionRequired });
    for (const [type, roles] of [
      ['Dial', dial],
      ['Bind', bind],
    ] as const) {
      const policy = { name: `${type} ${name}`, type, serviceRoles: [`@${id}`] };
      if (roles.length > 0) await servicePolicies.create({ ...policy, semantic: 'AnyOf', identityRoles: [...roles] });
    }
    return { id, name };
  };
}
