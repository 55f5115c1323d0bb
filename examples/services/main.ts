import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, isEdgeNetworkError, isWrongCredentials } from '@edge-controller/sdk/node';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

/** What the example has made, the last first. */
const made: (() => Promise<unknown>)[] = [];

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  const name = `example-${randomUUID()}`;
  try {
    await addService(admin, name);
    await useService(admin, name);
  } finally {
    // Clean up, also after a failure.
    for (const remove of made) await remove();
    await admin.signOut();
  }
}

/** A service with a config, and who may use and offer it: the identities with the role attributes `…-users` and `…-hosts`. */
async function addService({ management }: EdgeClient, name: string): Promise<void> {
  const [type] = (await management.configTypes.list({ filter: 'name = "intercept.v1"' })).data;
  if (!type) throw new Error('the controller has no config type intercept.v1');
  const config = await management.configs.create({
    name,
    configTypeId: type.id,
    data: { protocols: ['tcp'], addresses: ['wiki.example'], portRanges: [{ low: 443, high: 443 }] },
  });
  made.unshift(() => management.configs.delete(config.id));

  const service = await management.services.create({
    name,
    encryptionRequired: true,
    roleAttributes: [name],
    configs: [config.id],
  });
  made.unshift(() => management.services.delete(service.id));
  console.log('created a config and a service');

  for (const [policyType, attribute] of [
    ['Dial', 'users'],
    ['Bind', 'hosts'],
  ] as const) {
    const policy = await management.servicePolicies.create({
      name: `${name}-${attribute}`,
      type: policyType,
      semantic: 'AnyOf',
      identityRoles: [`#${name}-${attribute}`],
      serviceRoles: [`#${name}`],
    });
    made.unshift(() => management.servicePolicies.delete(policy.id));
    console.log(`created a policy: #${attribute} may ${policyType.toLowerCase()} the service`);
  }
}

async function useService(admin: EdgeClient, name: string): Promise<void> {
  const { identities } = admin.management;
  const { id } = await identities.create({ name, type: 'User', isAdmin: false, enrollment: { updb: name } });
  made.unshift(() => identities.delete(id));
  const { jwt } = (await identities.get(id)).enrollment.updb ?? {};
  if (jwt === undefined) throw new Error('the new identity has no enrollment');

  const user = createEdgeClient(url, { caFile });
  const password = randomUUID();
  await user.enroll({ jwt }, { password });
  // The session gets the data of configs of these types.
  await user.signIn.password({ username: name, password, configTypes: ['intercept.v1'] });

  for (const attributes of [[], ['users'], ['users', 'hosts'], []]) {
    await identities.patch(id, { roleAttributes: attributes.map((attribute) => `${name}-${attribute}`) });
    const { data } = await user.client.services.list();
    console.log(`role attributes: ${attributes.join(', ') || 'none'}; services that it sees: ${data.length}`);
    for (const service of data) {
      const { addresses } = service.config['intercept.v1'] ?? {};
      console.log(`  it may ${service.permissions.join(' and ')} the service at ${addresses}`);
    }
  }
  await user.signOut();
}

function stop(reason: string): never {
  console.error(reason);
  process.exit(1);
}

if (!EDGE_ADMIN_USERNAME || !EDGE_ADMIN_PASSWORD) {
  stop('Set EDGE_ADMIN_USERNAME and EDGE_ADMIN_PASSWORD to the credentials of the administrator.');
}
if (!existsSync(caFile)) {
  stop(`There is no CA bundle at ${caFile}. Start the controller with "npm start", or set EDGE_CA to its pki/ca.pem.`);
}
try {
  await run(EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD);
} catch (error) {
  if (isWrongCredentials(error)) stop('The controller refused the administrator: check the credentials.');
  if (isEdgeNetworkError(error)) stop(`The controller at ${url} cannot be reached (${error.code}). Is it running?`);
  throw error;
}
