import type { NodeEdgeClient } from '@edge-controller/sdk/node';

/** Seconds for which a code counts. */
export const codeTimeout = 5;

interface Made {
  readonly serviceId: string;
  /** Removes it all, the last first. */
  readonly remove: () => Promise<void>;
}

/**
 * Creates a service that an identity may dial, through an edge router of its own. Its policy wants a TOTP code, and that the program
 * which runs this example runs.
 */
export async function createService({ management }: NodeEdgeClient, name: string, identityId: string): Promise<Made> {
  const made: (() => Promise<unknown>)[] = [];
  async function add(
    kind: { delete(id: string): Promise<unknown> },
    created: Promise<{ id: string }>,
  ): Promise<string> {
    const { id } = await created;
    made.unshift(() => kind.delete(id));
    return id;
  }
  async function remove(): Promise<void> {
    for (const one of made) await one();
  }

  const { edgeRouters, edgeRouterPolicies, postureChecks, serviceEdgeRouterPolicies, servicePolicies, services } =
    management;
  const identityRoles = [`@${identityId}`];
  try {
    const serviceId = await add(services, services.create({ name, encryptionRequired: false }));
    const serviceRoles = [`@${serviceId}`];
    const edgeRouterRoles = [`@${await add(edgeRouters, edgeRouters.create({ name }))}`];
    const way = { name, semantic: 'AnyOf' as const, edgeRouterRoles };
    await add(edgeRouterPolicies, edgeRouterPolicies.create({ ...way, identityRoles }));
    await add(serviceEdgeRouterPolicies, serviceEdgeRouterPolicies.create({ ...way, serviceRoles }));
    const code = { name: `${name}-code`, typeId: 'MFA' as const, timeoutSeconds: codeTimeout };
    const program = { name: `${name}-program`, typeId: 'PROCESS' as const, process: ownProgram() };
    const checks = [
      await add(postureChecks, postureChecks.create(code)),
      await add(postureChecks, postureChecks.create(program)),
    ];
    const policy = { name, type: 'Dial' as const, semantic: 'AnyOf' as const, identityRoles, serviceRoles };
    await add(servicePolicies, servicePolicies.create({ ...policy, postureCheckRoles: checks.map((id) => `@${id}`) }));
    return { serviceId, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The Node that runs this example. */
function ownProgram() {
  const osTypes: Partial<Record<NodeJS.Platform, 'Windows' | 'macOS'>> = { win32: 'Windows', darwin: 'macOS' };
  return { osType: osTypes[process.platform] ?? ('Linux' as const), path: process.execPath };
}
