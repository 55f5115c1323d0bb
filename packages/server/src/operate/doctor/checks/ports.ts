import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, isIPv6 } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import type { Settings } from '../../../core/config/schema.ts';
import { fileNames } from '../../../pki/read-pki-files.ts';
import type { DoctorCheck, DoctorFinding } from '../finding.ts';
import { unusable } from '../finding.ts';

/** Milliseconds. */
const connectTimeout = 2_000;

interface Address {
  readonly host: string;
  readonly port: number;
  readonly setting: keyof Settings;
  /** Whether who listens there already is the controller of this data directory. */
  readonly isOwn: (host: string, port: number, dataDir: string) => Promise<boolean>;
}

/** Code of an error → what it means, and what helps. */
const meanings: Readonly<Record<string, readonly [string, string]>> = {
  EADDRNOTAVAIL: ['no network interface of this machine has the address', 'use an address of this machine, or 0.0.0.0'],
  EACCES: ['this user may not use the port', 'use a port from 1024 on, or give the user the right to bind it'],
  ENOTFOUND: ['the name has no address', 'correct the name, or use an IP address'],
  EAI_AGAIN: ['the name cannot be resolved now', 'correct the name, or use an IP address'],
};

/** The addresses that the controller listens on can be bound. */
export const ports: DoctorCheck = async ({ settings, dataDir }) => {
  const { host, port, browserBind, routersBind, operationsBind } = settings;
  const addresses: Address[] = [{ host, port, setting: 'port', isOwn: hasOwnCertificate }];
  if (routersBind !== null) addresses.push({ ...split(routersBind), setting: 'routersBind', isOwn: hasOwnCertificate });
  if (browserBind !== null) {
    const isOwn: Address['isOwn'] = (...place) => hasBrowserCertificate(settings, ...place);
    addresses.push({ ...split(browserBind), setting: 'browserBind', isOwn });
  }
  if (operationsBind !== null)
    addresses.push({ ...split(operationsBind), setting: 'operationsBind', isOwn: answersHealth });
  const findings = await Promise.all(addresses.map((address) => bind(address, dataDir)));
  return findings.flat();
};

function split(bind: string): Pick<Address, 'host' | 'port'> {
  const { hostname, port } = new URL(`tcp://${bind}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

async function bind({ host, port, setting, isOwn }: Address, dataDir: string): Promise<readonly DoctorFinding[]> {
  const server = createServer();
  try {
    server.listen({ host, port, exclusive: true });
    await once(server, 'listening');
    return [];
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const where = `${host}:${port}`;
    if (code === 'EADDRINUSE') {
      if (await isOwn(localHost(host), port, dataDir)) return [];
      const message = `Another program listens on ${where} already`;
      return [unusable(message, setting, 'stop the other program, or use another port')];
    }
    const [reason, fix] = meanings[code] ?? [`unknown reason (${code})`, 'use another address'];
    return [
      unusable(
        `The controller cannot listen on ${where}: ${reason}`,
        code === 'EACCES' ? setting : hostSetting(setting),
        fix,
      ),
    ];
  } finally {
    server.close();
  }
}

/** The operations port has no TLS, and whoever answers there as a controller does is taken for it. */
async function answersHealth(host: string, port: number): Promise<boolean> {
  try {
    const name = isIPv6(host) ? `[${host}]` : host;
    return (await fetch(`http://${name}:${port}/livez`, { signal: AbortSignal.timeout(connectTimeout) })).ok;
  } catch {
    return false;
  }
}

/** Whether who listens there has the server certificate of this data directory. */
function hasOwnCertificate(host: string, port: number, dataDir: string): Promise<boolean> {
  return hasCertificate(host, port, join(dataDir, 'pki', fileNames.server.cert));
}

type Place = Parameters<Address['isOwn']>;

function hasBrowserCertificate({ browserCertificate }: Settings, ...[host, port, dataDir]: Place): Promise<boolean> {
  if (browserCertificate === null) return hasOwnCertificate(host, port, dataDir);
  return hasCertificate(host, port, browserCertificate);
}

async function hasCertificate(host: string, port: number, file: string): Promise<boolean> {
  const socket = connect({ host, port, rejectUnauthorized: false, timeout: connectTimeout });
  try {
    const connected = once(socket, 'secureConnect');
    const late = once(socket, 'timeout').then(() => Promise.reject(new Error('no reply')));
    late.catch(() => undefined);
    await Promise.race([connected, late]);
    const own = new X509Certificate(await readFile(file));
    return own.raw.equals(socket.getPeerCertificate().raw ?? Buffer.alloc(0));
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function localHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function hostSetting(setting: keyof Settings): keyof Settings {
  return setting === 'port' ? 'host' : setting;
}
