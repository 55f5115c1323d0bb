import {
  decode,
  ExtendRouterErrorSchema,
  ExtendRouterRequestSchema,
  ExtendRouterResponseSchema,
  ExtendRouterVerifyRequestSchema,
  encode,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { createRouterCsr } from '../router-csr.ts';
import type { RouterIdentity } from '../router-identity.ts';
import type { ControlChannel } from './control-channel.ts';

interface Extension {
  readonly control: ControlChannel;
  readonly identity: RouterIdentity;
  /** Names for the certificates. */
  readonly names: readonly string[];
  /** Resolves to the next message of this type. */
  readonly next: (type: number) => Promise<Frame>;
}

/** Milliseconds. */
const verifyTime = 30_000;

/**
 * Renews both certificates over the control channel. The key stays.
 *
 * @throws Error when the controller does not confirm them
 */
export async function extendCertificates({ control, identity, names, next }: Extension): Promise<RouterIdentity> {
  const { id, key } = identity;
  const csr = await createRouterCsr({ id, keyPem: key, names });
  const request = { clientCertCsr: csr, serverCertCsr: csr, requireVerification: true };
  const response = next(controlTypes.extendRouterResponse);
  control.send({ type: controlTypes.extendRouter, body: encode(ExtendRouterRequestSchema, request) });
  const { clientCertPem, serverCertPem } = decode(ExtendRouterResponseSchema, (await response).body);
  const verify = encode(ExtendRouterVerifyRequestSchema, { clientCertPem });
  const reply = await new Promise<Frame | null>((resolve) => {
    control.request({ type: controlTypes.extendRouterVerify, body: verify }, verifyTime, resolve);
  });
  if (reply?.type !== controlTypes.error) throw new Error('the controller did not confirm the certificates');
  const { code, message } = decode(ExtendRouterErrorSchema, reply.body);
  if (code !== '') throw new Error(`the controller refused the certificates: ${code} ${message}`);
  return { ...identity, cert: clientCertPem, serverCert: serverCertPem };
}
