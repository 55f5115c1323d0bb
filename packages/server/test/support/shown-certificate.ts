import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';

/** The certificate that a client without any trust sees. */
export function shownCertificate(url: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificate);
      else reject(new Error('no certificate'));
    });
    socket.on('error', reject);
  });
}
