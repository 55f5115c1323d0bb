import { resolve } from 'node:path';
import type { AuthQueryAnswer, NodeEdgeClient, OnAuthQuery, Session, SignInOptions } from '@edge-controller/sdk/node';
import { isEdgeApiError, isWrongCode, loadIdentity } from '@edge-controller/sdk/node';
import { CliError, usageError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { askSecret, askText, canAsk } from '../input/prompts.ts';
import { readTextFile } from '../input/read-file.ts';
import { readSecretLine } from '../input/standard-input.ts';
import { printable } from '../lib/printable.ts';
import { note } from '../output/terminal.ts';
import { clientOf } from '../profiles/open-client.ts';
import type { Profile } from '../profiles/profiles.ts';
import { profileName, readProfile, removeProfile, saveProfile } from '../profiles/profiles.ts';
import type { ProviderFlags } from './provider-sign-in.ts';

/** The options of `edge login`. */
export interface LoginOptions extends ProviderFlags {
  readonly url: string | undefined;
  readonly profile?: string;
  readonly ca?: string;
  readonly username?: string;
  readonly passwordStdin?: boolean;
  readonly totpStdin?: boolean;
  readonly newPasswordStdin?: boolean;
  readonly identity?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly jwtStdin?: boolean;
  readonly jwtFile?: string;
  readonly browser?: boolean;
  readonly device?: boolean;
  readonly secondJwtFile?: string;
}

/** Signs in, and keeps the session in a profile. */
export async function login(options: LoginOptions): Promise<void> {
  const name = await profileName(options.profile);
  const before = await readProfile(name);
  const profile = await profileOf(options, before);
  if (before !== null && before.url !== profile.url) await forget(name, before);
  const edge = clientOf(name, profile);
  try {
    const session = await signIn(edge, profile, options);
    await saveProfile(name, profile);
    describe(session, name, profile);
  } finally {
    edge.dispose();
  }
}

async function profileOf(options: LoginOptions, before: Profile | null): Promise<Profile> {
  const { username, secondJwtFile } = options;
  const { method, identity, cert, key } = credentialOf(options, before);
  const url = addressOf(options.url ?? (identity === undefined ? before?.url : loadIdentity(identity).url));
  const ca = options.ca === undefined ? undefined : await readTextFile(options.ca, '--ca');
  const kept = before?.url === url ? before.ca : undefined;
  return {
    ...{ url, method },
    ...((ca ?? kept) !== undefined && { ca: ca ?? kept }),
    ...(method === 'password' && (username ?? before?.username) && { username: username ?? before?.username }),
    ...(identity !== undefined && { identity: resolve(identity) }),
    ...(cert !== undefined && key !== undefined && { cert: resolve(cert), key: resolve(key) }),
    ...(secondJwtFile !== undefined && { secondJwtFile: resolve(secondJwtFile) }),
  } as Profile;
}

/** What somebody signs in with: as the options say, otherwise the certificate of the profile. */
function credentialOf(
  options: LoginOptions,
  before: Profile | null,
): Pick<Profile, 'method' | 'identity' | 'cert' | 'key'> {
  const { identity, cert, key } = options;
  if ((cert === undefined) !== (key === undefined)) throw usageError('--cert and --key belong together');
  const method = methodOf(options);
  if (method === null) return before?.method === 'certificate' ? before : { method: 'password' };
  return {
    method,
    ...(identity !== undefined && { identity }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  };
}

function methodOf({
  username,
  identity,
  cert,
  jwtStdin,
  jwtFile,
  browser,
  device,
}: LoginOptions): Profile['method'] | null {
  const ways = [
    ...(username === undefined ? [] : ['--username']),
    ...(identity === undefined ? [] : ['--identity']),
    ...(cert === undefined ? [] : ['--cert']),
    ...(jwtStdin ? ['--jwt-stdin'] : []),
    ...(jwtFile === undefined ? [] : ['--jwt-file']),
    ...(browser ? ['--browser'] : []),
    ...(device ? ['--device'] : []),
  ];
  if (ways.length > 1) throw usageError(`${ways.join(' and ')}: use one of them`);
  if (identity !== undefined || cert !== undefined) return 'certificate';
  if (username !== undefined) return 'password';
  return ways.length === 0 ? null : 'ext-jwt';
}

function addressOf(given: string | undefined): string {
  if (given === undefined) throw usageError('name the controller: edge login https://localhost:1280');
  if (/^http:\/\//i.test(given)) throw usageError(`${given}: the controller has TLS only, use https://`);
  const text = /^[a-z]+:\/\//i.test(given) ? given : `https://${given}`;
  if (!URL.canParse(text)) throw usageError(`${JSON.stringify(given)} is no address: use https://localhost:1280`);
  return text.replace(/\/+$/, '');
}

async function signIn(edge: NodeEdgeClient, profile: Profile, options: LoginOptions): Promise<Session> {
  const { username } = profile;
  const how: SignInOptions = { onAuthQuery: answerWith(options) };
  switch (profile.method) {
    case 'certificate':
      return edge.signIn.certificate({}, how);
    case 'ext-jwt':
      return edge.signIn.extJwt({ token: await jwtOf(edge, options) }, how);
    case 'password': {
      const name = username ?? (await askText('User name', '--username'));
      const password = options.passwordStdin
        ? await readSecretLine('--password-stdin')
        : await askSecret(`Password of ${name}`, '--password-stdin');
      const onAuthQuery = answerWith(options, password);
      return edge.signIn.password({ username: name, password }, { onAuthQuery }).catch(refused);
    }
  }
}

function refused(error: unknown): never {
  if (!isEdgeApiError(error, 'INVALID_AUTH') || !error.isSignIn) throw error;
  const message = `user name or password is wrong (${printable(error.code)})`;
  throw new CliError(message, exitCodes.notSignedIn, { cause: error });
}

async function jwtOf(edge: NodeEdgeClient, options: LoginOptions): Promise<string> {
  const { jwtFile, browser, device, signer } = options;
  if (browser || device) {
    const { chooseSigner, signInWithBrowser } = await import('./provider-sign-in.ts');
    const chosen = await chooseSigner(edge, signer);
    if (browser) return signInWithBrowser(chosen, options);
    const { signInWithDevice } = await import('./device-flow.ts');
    return signInWithDevice(chosen, options);
  }
  const text = jwtFile === undefined ? readSecretLine('--jwt-stdin') : readTextFile(jwtFile, '--jwt-file');
  return (await text).trim();
}

/** `password`: the one of the sign-in. */
function answerWith(options: LoginOptions, password = ''): OnAuthQuery {
  const { totpStdin, secondJwtFile } = options;
  return async (query, answer) => {
    if (query.typeId === 'NEW-PASSWORD') return changePassword(answer, options, password);
    if (query.typeId === 'EXT-JWT' && secondJwtFile === undefined) {
      const signer = 'id' in query && query.id ? ` of the signer ${printable(query.id)}` : '';
      throw new CliError(
        `this sign-in also needs a JWT${signer}: name its file with --second-jwt-file`,
        exitCodes.notSignedIn,
      );
    }
    if (query.typeId !== 'MFA') return;
    const ask = async (hint: string) =>
      answer.totp(totpStdin ? await readSecretLine('--totp-stdin') : await askText(hint, '--totp-stdin'));
    for (let hint = 'TOTP code'; ; ) {
      try {
        return await ask(hint);
      } catch (error) {
        if (isEdgeApiError(error, 'MFA_NOT_ENROLLED')) return;
        if (!isWrongCode(error) || totpStdin || !canAsk()) throw error;
        hint = `Wrong code${error.attemptsRemaining === null ? '' : `, ${error.attemptsRemaining} attempts left`}. TOTP code`;
      }
    }
  };
}

/** Asks until the controller takes a password. */
async function changePassword(
  answer: AuthQueryAnswer,
  { newPasswordStdin }: LoginOptions,
  currentPassword: string,
): Promise<unknown> {
  for (let hint = 'This password must be changed. New password'; ; ) {
    const password = newPasswordStdin ? await readSecretLine('--new-password-stdin') : await askNewPassword(hint);
    try {
      return await answer.newPassword({ currentPassword, password });
    } catch (error) {
      if (newPasswordStdin || !isEdgeApiError(error, 'COULD_NOT_VALIDATE')) throw error;
      hint = `${error.cause?.reason ?? error.message}. New password`;
    }
  }
}

async function askNewPassword(hint: string): Promise<string> {
  for (let message = hint; ; message = `These are two different ones. ${hint}`) {
    const password = await askSecret(message, '--new-password-stdin');
    if ((await askSecret('The same again', '--new-password-stdin')) === password) return password;
  }
}

function describe(session: Session, name: string, { url }: Profile): void {
  note(`signed in to ${printable(url)} as ${printable(session.identity.name)} (profile ${name})`);
  if (session.state === 'full') return;
  const isTotp = session.authQueries.some(({ typeId }) => typeId === 'MFA');
  note(
    isTotp
      ? 'This session may do little before you have a TOTP. Enroll one: edge current-identity-mfa create, then\nedge current-identity-mfa verify --code-stdin'
      : 'This session may do little: other authentication queries are outstanding. See: edge whoami',
  );
}

/** A profile has one session: that of another controller ends. */
async function forget(name: string, profile: Profile): Promise<void> {
  const edge = clientOf(name, profile);
  await edge.signOut({ timeout: 5_000 }).catch(() => undefined);
  edge.dispose();
  await removeProfile(name);
}
