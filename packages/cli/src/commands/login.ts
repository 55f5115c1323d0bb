import type { Command } from 'commander';
import { addProfileOption } from './output-options.ts';

const examples = `
Examples:
  edge login https://localhost:1280 --ca ca.pem --username admin
  edge login https://localhost:1280 --ca ca.pem --username admin --password-stdin < password.txt
  edge login https://localhost:1280 --ca ca.pem --username ada --password-stdin --new-password-stdin < passwords.txt
  edge login --identity sensor.json --profile sensor
  edge login https://localhost:1280 --cert client.pem --key client.key
  get-token | edge login https://localhost:1280 --jwt-stdin
  edge login https://localhost:1280 --ca ca.pem --browser --signer keycloak

A password, a TOTP code and a JWT are never options: other users of the machine could read them. Without a terminal,
--password-stdin, --totp-stdin, --new-password-stdin and --jwt-stdin are needed: each takes a line of the standard input, in
this order.
`;

/** `edge login`. */
export function addLogin(command: Command): void {
  command
    .argument('[url]', 'the controller: https://localhost:1280 (default: that of the profile, or of the identity file)')
    .option('--ca <file>', 'PEM certificates of the CAs of the controller; the profile keeps them')
    .option('-u, --username <name>', 'sign in with a password')
    .option('--password-stdin', 'read the password from the standard input')
    .option('--totp-stdin', 'read the TOTP code or a recovery code from the standard input')
    .option(
      '--new-password-stdin',
      'read a new password from the standard input, for a sign-in that asks to change the present one',
    )
    .option('--identity <file>', 'sign in with an identity file, as `edge enroll` writes it')
    .option('--cert <file>', 'sign in with a certificate, in PEM')
    .option('--key <file>', 'the key of the certificate, in PEM')
    .option('--jwt-stdin', 'sign in with a JWT of an external signer, from the standard input')
    .option('--jwt-file <file>', 'the same, from a file')
    .option('--browser', 'sign in at the OpenID provider of a signer, in the browser of this machine')
    .option('--device', 'the same with a browser of another device')
    .option('--signer <name>', 'browser, device: the external JWT signer, when there are several')
    .option('--resource <uri>', 'browser, device: what the access token is for, where the provider asks for it')
    .option(
      '--redirect-port <port>',
      'browser: the port of http://127.0.0.1:<port>/, where the provider knows only one',
    )
    .option('--no-open', 'browser: print the address and open nothing')
    .option('--second-jwt-file <file>', 'the JWT that is the second factor; it is read again at each command')
    .addHelpText('after', examples);
  addProfileOption(command);
  command.action(async (url: string | undefined) => {
    const { login } = await import('./run-login.ts');
    await login({ ...command.opts(), url });
  });
}
