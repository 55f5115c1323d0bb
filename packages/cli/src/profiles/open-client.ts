import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { NodeEdgeClient, NodeEdgeClientOptions } from '@edge-controller/sdk/node';
import { createEdgeClient, loadIdentity, mtls } from '@edge-controller/sdk/node';
import { CliError } from '../errors/cli-error.ts';
import { exitCodes } from '../errors/exit-codes.ts';
import type { Profile } from './profiles.ts';
import { loginCommand, profileName, readProfile, storageOf } from './profiles.ts';

/** The client of the profile that `--profile` names, with its session. Throws when nobody has signed in yet. */
export async function openClient(given?: string): Promise<NodeEdgeClient> {
  const name = await profileName(given);
  const profile = await readProfile(name);
  if (profile === null) {
    throw new CliError(
      `there is no profile ${JSON.stringify(name)} yet\nSign in: ${loginCommand(name, null)}`,
      exitCodes.notSignedIn,
    );
  }
  return clientOf(name, profile);
}

/** The client of a profile. With a certificate it signs in again by itself when the session has ended. */
export function clientOf(name: string, profile: Profile): NodeEdgeClient {
  const isCertificate = profile.method === 'certificate';
  const { secondJwtFile } = profile;
  const edge: NodeEdgeClient = createEdgeClient(profile.url, {
    ...trustOf(profile),
    storage: storageOf(name),
    sdkInfo: { type: 'edge-cli' },
    ...(isCertificate && { reauthenticate: ({ signal }) => edge.signIn.certificate({}, { signal }) }),
    ...(secondJwtFile && { secondaryToken: { getToken: () => readFile(secondJwtFile, 'utf8') } }),
  });
  return edge;
}

function trustOf({ ca, identity, cert, key }: Profile): Pick<NodeEdgeClientOptions, 'ca' | 'fetch'> {
  if (identity !== undefined) {
    // A file keeps its own CA certificates, unless somebody named others. A renewal goes back into the file.
    return { fetch: ca === undefined ? mtls(identity) : mtls({ ...loadIdentity(identity), ca }) };
  }
  if (cert !== undefined && key !== undefined) {
    return { fetch: mtls({ cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8'), ca }) };
  }
  return ca === undefined ? {} : { ca };
}
