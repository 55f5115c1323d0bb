import type { Command } from 'commander';
import { Option } from 'commander';

const examples = `
Examples:
  edge enroll sensor-1.jwt                       # writes sensor-1.json
  edge enroll - --out /etc/edge/sensor-1.json < sensor-1.jwt
  edge enroll ada.jwt --password-stdin < password.txt
  edge enroll device.jwt --cert device.pem --key device.key

The JWT names the controller, and its certificate is checked with the JWT. Sign in with the file: edge login --identity sensor-1.json
`;

/** `edge enroll`. */
export function addEnroll(command: Command): void {
  command
    .argument('<jwt>', 'file of the enrollment JWT, - for the standard input, or the JWT itself')
    .option('--out <file>', 'the identity file to write (default: the name of the JWT file with .json)')
    .option('--force', 'replace an existing identity file')
    .addOption(new Option('--key-type <type>', 'the type of the new key').choices(['ec', 'rsa']))
    .option('--cert <file>', 'ottca, ca: the certificate of the client, in PEM')
    .option('--key <file>', 'ottca, ca: its key; ott: the key to use in place of a new one, in PEM')
    .option('--name <name>', 'ca: the name that the identity asks for')
    .option('--password-stdin', 'updb: read the new password from the standard input')
    .addHelpText('after', examples);
  command.action(async (jwt: string) => {
    const { enrollIdentity } = await import('./run-enroll.ts');
    await enrollIdentity(jwt, command.opts());
  });
}
