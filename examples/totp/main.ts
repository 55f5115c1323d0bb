import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { EdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient, isEdgeNetworkError, isWrongCode, isWrongCredentials } from '@edge-controller/sdk/node';
import type { Authenticator } from './authenticator.ts';
import { createAuthenticator } from './authenticator.ts';

const { EDGE_URL: url = 'https://localhost:1280', EDGE_ADMIN_USERNAME, EDGE_ADMIN_PASSWORD, EDGE_CA } = process.env;
const root = fileURLToPath(new URL('../../', import.meta.url));
const caFile = EDGE_CA ?? `${root}.edge-controller/pki/ca.pem`;

interface Person {
  readonly username: string;
  readonly password: string;
}

async function run(username: string, password: string): Promise<void> {
  const admin = createEdgeClient(url, { caFile });
  await admin.signIn.password({ username, password });
  const person = { username: `example-${randomUUID()}`, password: randomUUID() };
  const { id } = await admin.management.identities.create({
    name: person.username,
    type: 'User',
    isAdmin: false,
    enrollment: { updb: person.username },
  });
  try {
    const { jwt } = (await admin.management.identities.get(id)).enrollment.updb ?? {};
    if (jwt === undefined) throw new Error('the new identity has no enrollment');
    const edge = createEdgeClient(url, { caFile });
    await edge.enroll({ jwt }, { password: person.password });
    await useTwoFactors(edge, person);
  } finally {
    await admin.management.identities.delete(id);
    await admin.signOut();
  }
}

async function useTwoFactors(edge: EdgeClient, person: Person): Promise<void> {
  const first = await edge.signIn.password(person);
  console.log(`signed in with only a password: ${first.state} session`);

  const { authenticator, recoveryCodes } = await enrollTotp(edge);
  await edge.signOut();

  const partial = await edge.signIn.password(person);
  console.log(
    `signed in again: ${partial.state} session, outstanding query: ${partial.authQueries.map(({ typeId }) => typeId)}`,
  );
  const answered = await edge.answer.totp(await authenticator.nextCode());
  console.log(`answered with a code: ${answered.state} session`);
  await edge.signOut();

  await signInWithRecoveryCode(edge, person, recoveryCodes[0] ?? '');

  const left = await edge.mfa.recoveryCodes(await authenticator.nextCode());
  console.log(`${left.length} of ${recoveryCodes.length} recovery codes are unused`);
  await edge.mfa.disable(left[0]);
  console.log('removed the second factor');
  await edge.signOut();
}

async function enrollTotp(
  edge: EdgeClient,
): Promise<{ authenticator: Authenticator; recoveryCodes: readonly string[] }> {
  const { secret, recoveryCodes, qr, verify } = await edge.mfa.enroll();
  console.log(`received a QR code of ${(await qr()).size} bytes and ${recoveryCodes.length} recovery codes`);
  const authenticator = createAuthenticator(secret);
  const { state } = await verify(await authenticator.nextCode());
  console.log(`verified the authenticator app: ${state} session`);
  return { authenticator, recoveryCodes };
}

async function signInWithRecoveryCode(edge: EdgeClient, person: Person, recoveryCode: string): Promise<void> {
  const attempts = ['000000', recoveryCode];
  const session = await edge.signIn.password(person, {
    // A real application asks the person for a code here.
    async onAuthQuery(query, answer) {
      if (query.typeId !== 'MFA') return;
      for (const code of attempts) {
        try {
          await answer.totp(code);
          return;
        } catch (error) {
          if (!isWrongCode(error)) throw error;
          console.log(`a wrong code was refused: ${error.attemptsRemaining} attempts remain`);
        }
      }
    },
  });
  console.log(`signed in with a recovery code: ${session.state} session`);
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
