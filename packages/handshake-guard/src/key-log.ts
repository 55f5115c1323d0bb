/** A line of the key log of a TLS connection (RFC 9850, section 2). */
export interface KeyLogLine {
  readonly label: string;
  /** The random value of the client in hex, which names the connection. */
  readonly clientRandom: string;
  readonly secret: Buffer;
}

export function readKeyLog(line: Buffer): KeyLogLine {
  const [label = '', clientRandom = '', secret = ''] = line.toString('latin1').trim().split(' ');
  return { label, clientRandom, secret: Buffer.from(secret, 'hex') };
}
