import { setTimeout as sleep } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import { printable } from '../lib/printable.ts';
import { note } from '../output/terminal.ts';
import type { ProviderFlags, ProviderSigner } from './provider-sign-in.ts';

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Milliseconds for one request to the provider. */
const timeout = 30_000;
/** Seconds between two questions, unless the provider says something else (RFC 8628, section 3.5). */
const defaultInterval = 5;

/** Signs a person in at the provider with another device: device authorization grant (RFC 8628). Resolves to the JWT. */
export async function signInWithDevice(signer: ProviderSigner, { resource }: ProviderFlags): Promise<string> {
  const issuer = issuerOf(signer);
  const client: oauth.Client = { client_id: signer.clientId ?? '', [oauth.clockTolerance]: 30 };
  const options = {
    [oauth.allowInsecureRequests]: issuer.protocol === 'http:',
    signal: () => AbortSignal.timeout(timeout),
  };
  try {
    const discovery = await oauth.discoveryRequest(issuer, options);
    const server = await oauth.processDiscoveryResponse(issuer, discovery);
    const scope = [...new Set(['openid', ...(signer.scopes ?? [])])].join(' ');
    const parameters = { scope, ...(resource !== undefined && { resource }) };
    const response = await oauth.deviceAuthorizationRequest(server, client, oauth.None(), parameters, options);
    const device = await oauth.processDeviceAuthorizationResponse(server, client, response);
    const [address, code] = [device.verification_uri, device.user_code].map((text) => printable(text));
    note(`Open ${address} on any device, and enter the code ${code}`);
    if (device.verification_uri_complete) note(`or open ${printable(device.verification_uri_complete)}`);
    return tokenOf(signer, await poll(device));

    async function poll({ device_code, expires_in, interval = defaultInterval }: oauth.DeviceAuthorizationResponse) {
      const until = performance.now() + expires_in * 1_000;
      for (let pause = interval; performance.now() < until; ) {
        await sleep(pause * 1_000);
        const grant = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), device_code, {
          ...options,
          ...(resource !== undefined && { additionalParameters: { resource } }),
        });
        try {
          return await oauth.processDeviceCodeResponse(server, client, grant);
        } catch (error) {
          if (!(error instanceof oauth.ResponseBodyError)) throw error;
          if (error.error === 'slow_down') pause += defaultInterval;
          else if (error.error !== 'authorization_pending') throw error;
        }
      }
      throw new CliError('nobody entered the code in time', exitCodes.notSignedIn);
    }
  } catch (error) {
    throw explained(error);
  }
}

function issuerOf({ externalAuthUrl }: ProviderSigner): URL {
  const url = URL.parse((externalAuthUrl ?? '').replace(/\/?\.well-known\/openid-configuration$/, ''));
  // Others on the network could read the tokens.
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))) return url;
  throw new CliError('the externalAuthUrl of the signer must begin with https://');
}

function tokenOf({ targetToken }: ProviderSigner, tokens: oauth.TokenEndpointResponse): string {
  const token = targetToken === 'ID' ? tokens.id_token : tokens.access_token;
  if (token === undefined) throw new CliError('the provider sent no id token', exitCodes.notSignedIn);
  return token;
}

/** The causes of the errors of the library contain codes and tokens. */
function explained(error: unknown): unknown {
  if (error instanceof oauth.ResponseBodyError) {
    return new CliError(`the provider refused it: ${printable(error.error)}`, exitCodes.notSignedIn);
  }
  if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
    return new CliError(`the response of the provider is not valid: ${printable(error.message)}`);
  }
  if (error instanceof TypeError) return new CliError('the provider cannot be reached', exitCodes.unreachable);
  return error;
}
