/** What both ends know of a connection. A router can change each of these, and then the two ends sign different bytes. */
export interface Transcript {
  readonly publicKeys: { readonly dialer: Uint8Array; readonly host: Uint8Array };
  /** With them, the streams of the two directions begin. Each has 16 random bytes, so that no statement is good twice. */
  readonly streamHeaders: { readonly dialer: Uint8Array; readonly host: Uint8Array };
  readonly serviceId: string;
  /** The name of the host that is dialed, or ''. */
  readonly instanceId: string;
  readonly circuitId: string;
  readonly appData: Uint8Array;
}

/**
 * No other use of a key signs what begins with it: it is longer than what the other side of a TLS handshake can choose (RFC 8446, section
 * 4.4.3), and no DER.
 */
const label = 'edge-controller: who an end of a connection through edge routers is, version 1';

/** The bytes that an end signs with the key of its certificate. */
export function signedBytes(side: 'dials' | 'hosts', certificate: Uint8Array, transcript: Transcript): Buffer {
  const { publicKeys, streamHeaders, serviceId, instanceId, circuitId, appData } = transcript;
  const parts: readonly (Uint8Array | string)[] = [
    ...[side, publicKeys.dialer, publicKeys.host, streamHeaders.dialer, streamHeaders.host],
    ...[serviceId, instanceId, circuitId, appData, certificate],
  ];
  return Buffer.concat([Buffer.from(label), ...parts.flatMap((part) => sized(Buffer.from(part)))]);
}

/** With its length before it, no part can be taken for the end of the one before. */
function sized(part: Buffer): Buffer[] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return [length, part];
}
