import type { Server } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ClientExternalJwtSignerDetail, NodeEdgeClient } from '@edge-controller/sdk/node';
import { memoryStorage } from '@edge-controller/sdk/node';
import { createOidc } from '@edge-controller/sdk/oidc';
import { CliError, usageError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { printable } from '../lib/printable.ts';
import { note } from '../output/terminal.ts';

export type ProviderSigner = ClientExternalJwtSignerDetail;

/** Options of a sign-in at an OpenID provider. */
export interface ProviderFlags {
  /** Name of the signer. Needed when the controller has several. */
  readonly signer?: string;
  /** RFC 8707: what the access token is for. */
  readonly resource?: string;
  /** Default: any free port. */
  readonly redirectPort?: string;
  /** False: the address is only printed. */
  readonly open?: boolean;
}

/** Milliseconds that a person has at the provider. */
const patience = 5 * 60_000;

/** The signer at whose provider a person signs in. */
export async function chooseSigner(edge: NodeEdgeClient, name: string | undefined): Promise<ProviderSigner> {
  const signers = (await edge.signers()).filter(({ externalAuthUrl, clientId }) => externalAuthUrl && clientId);
  const names = signers.map((signer) => printable(signer.name)).join(', ') || 'none';
  const found = name === undefined ? signers : signers.filter((signer) => signer.name === name);
  const [signer, ...others] = found;
  if (signer === undefined) {
    const what =
      name === undefined
        ? 'the controller has no signer with a provider'
        : `there is no signer ${JSON.stringify(name)}`;
    throw usageError(`${what}; signers with externalAuthUrl and clientId: ${names}`);
  }
  if (others.length > 0) throw usageError(`name the signer with --signer: ${names}`);
  return signer;
}

/**
 * Signs a person in at the provider in the browser: authorization code with PKCE (RFC 7636), sent back to a port of this machine
 * (RFC 8252, section 7.3). Resolves to the JWT.
 */
export async function signInWithBrowser(signer: ProviderSigner, flags: ProviderFlags): Promise<string> {
  const server = createServer();
  const port = await listen(server, Number(flags.redirectPort ?? 0));
  try {
    const redirectUri = `http://127.0.0.1:${port}/`;
    const { resource } = flags;
    const oidc = createOidc({
      ...{ signer, redirectUri, pendingStorage: memoryStorage() },
      ...(resource !== undefined && { parameters: { resource } }),
    });
    const url = await oidc.authorizationUrl();
    const isBack = backFrom(server, redirectUri, (address) => oidc.callback(address));
    note(`Sign in with your browser: ${url.href}`);
    if (flags.open !== false) await openInBrowser(url.href);
    await isBack;
    const token = await oidc.getToken();
    if (token === null) throw new CliError('the provider sent no token', exitCodes.notSignedIn);
    return token;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

async function listen(server: Server, port: number): Promise<number> {
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw usageError('--redirect-port: must be a port');
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(usageError(`--redirect-port ${port}: cannot listen there (${cause.code})`, { cause })),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Waits until the browser comes back with a code. */
function backFrom(server: Server, redirectUri: string, callback: (address: URL) => Promise<boolean>): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(
      () => reject(new CliError('nobody signed in within 5 minutes', exitCodes.notSignedIn)),
      patience,
    );
    server.on('request', async (request, response) => {
      const finish = (status: number, text: string) =>
        response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`);
      try {
        // Browsers also ask for an icon.
        if (!(await callback(new URL(request.url ?? '', redirectUri)))) return finish(404, 'nothing here');
        finish(200, 'You are signed in. Go back to the terminal.');
      } catch (error) {
        finish(200, 'The sign-in failed. The terminal says why.');
        clearTimeout(late);
        return reject(error);
      }
      clearTimeout(late);
      resolve();
    });
  });
}

async function openInBrowser(url: string): Promise<void> {
  const { default: open } = await import('open');
  const child = await open(url).catch(() => null);
  // Without a browser, the address on the terminal is enough.
  child?.on('error', () => undefined);
}
