import {
  controlHeaders,
  controlTypes,
  edgeHeaders,
  edgeTypes,
  readHeader,
} from '@edge-controller/shared-types/channel';
import { describe, expect, it } from 'vitest';
import { signSession } from './router-double/scripted-controller.ts';
import { useScriptedNetwork } from './router-double/scripted-network.ts';

const scripted = useScriptedNetwork();
const { network, client, apiSession, start, online, open, connect } = scripted;

describe('an application of the router double', () => {
  it('with an unknown token waits for its API session', async () => {
    const router = await start();
    await scripted.controller.welcome();
    await router.whenOnline();
    const application = await open(router);
    const dialing = application.dial(await signSession({ jti: 's3', z_asid: 'c1' }));
    scripted.controller.sendAll([apiSession]);
    const { headers } = await scripted.controller.peer.ofType(controlTypes.createCircuit);
    expect(readHeader.texts(headers.get(controlHeaders.fingerprints))).toEqual([
      client.fingerprint,
      network.issuer.fingerprint,
    ]);
    application.close();
    await dialing.catch(() => undefined);
  });

  it('with an unknown token is dropped after a time', async () => {
    const router = await online({ timings: { unknownToken: 20 } });
    const application = await open(router, 'unknown');
    await application.peer.closed();
  });

  it.each([
    ['of another key', { kid: 'other' }, 'public key not found'],
    ['that has expired', { claims: { exp: 1 } }, 'expired'],
    ['that is not valid yet', { claims: { nbf: 4_000_000_000 } }, 'not valid yet'],
    ['of another API session', { claims: { z_asid: 'c2' } }, 'another API session'],
    ['without a session', { claims: { jti: undefined } }, 'of no session'],
  ] as const)('cannot dial with a token %s', async (_, { kid, claims }: { kid?: string; claims?: object }, reason) => {
    const application = await connect(await online());
    const token = await signSession({ jti: 's4', z_asid: 'c1', ...claims }, kid);
    await expect(application.dial(token)).rejects.toThrow(reason);
  });

  it('that sends a header of another length loses its connection', async () => {
    const application = await connect(await online());
    application.ask(edgeTypes.bind, [[edgeHeaders.cost, Uint8Array.of(1)]], 'x').reply.catch(() => undefined);
    await application.peer.closed();
  });
});
