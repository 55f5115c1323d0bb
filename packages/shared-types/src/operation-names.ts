import type { AnyContract, Verb } from './entity.ts';
import type { Operation } from './operation.ts';
import type { Action, Permission } from './permission.ts';

/** `service-policies` → `servicePolicies` */
export type CamelCase<S extends string> = S extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : S;

export function camelCase(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** `servicePolicy` → `service policy` */
export function wordsOf(noun: string): string {
  return noun.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Who may read an entity. */
export function readersOf(contract: AnyContract): Pick<Operation, 'access' | 'permission'> {
  if (contract.readers === 'everyone') return { access: 'full' };
  return { access: 'admin', permission: permissionOf(contract, 'list') };
}

const actionOf: Readonly<Record<Verb, Action>> = {
  list: 'read',
  get: 'read',
  create: 'create',
  update: 'update',
  patch: 'update',
  delete: 'delete',
};

/** The permission that an operation of an entity needs. */
export function permissionOf({ permission, adminWrites = [] }: AnyContract, verb: Verb): Permission {
  const action = actionOf[verb];
  const isForAdmins = adminWrites === true ? action !== 'read' : adminWrites.includes(verb);
  return isForAdmins ? 'admin' : `${permission}.${action}`;
}
