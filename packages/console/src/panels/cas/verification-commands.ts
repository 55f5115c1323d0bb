/** The commands that issue the certificate of a verification. They read `ca.pem` and `ca.key`, and write `verify.pem`. */
export function verificationCommands(token: string): string {
  return [
    `openssl req -new -newkey rsa:2048 -nodes -keyout verify.key -out verify.csr -subj "/CN=${token}"`,
    'openssl x509 -req -in verify.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 1 -out verify.pem',
  ].join('\n');
}
