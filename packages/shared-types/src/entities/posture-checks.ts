import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { attributes, nullable, optional, required, semantic, serverSet, uniqueName } from '../field.ts';

/** The operating systems that posture checks know. */
export const osType = z.enum(['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS']);
const texts = z.array(z.string().max(500)).max(100);
const print = z.string().max(500);
/** A text of any length would keep the parser of ranges busy. */
const versionRange = z.string().max(100);

/** An operating system, with ranges of versions. */
const operatingSystem = define(
  'operatingSystem',
  z.object({
    type: osType,
    /** Ranges of semantic versions: `>=10.0.0 <11.0.0`. Null or empty: any version. */
    versions: z.array(versionRange).max(100).nullable(),
  }),
);
const program = {
  osType,
  path: z.string().max(2_000),
  /** SHA-512 of its file, in hex: one of them must be right. Empty: any. `PROCESS` shows them in lower case. */
  hashes: texts.nullish(),
};
/** A program that must run. */
const process = define('process', z.object({ ...program, signerFingerprint: print.nullish() }));
/** A program that must run, signed by one of several. */
const processMulti = define('processMulti', z.object({ ...program, signerFingerprints: texts.nullish() }));

/** The kinds of posture checks. */
export const checkKind = z.enum(['OS', 'PROCESS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS_MULTI']);
/** A member of one kind. The others do not have it. */
const member = <S extends z.ZodType>(schema: S) => ({ ...nullable(schema), detail: 'optional' }) as const;
const systems = z.array(operatingSystem).min(1).max(100);

/** What must be true of a device, or of its user, before a service may be used. The kind says which members it has. */
export const postureChecks = entity({
  noun: 'postureCheck',
  collection: 'posture-checks',
  fields: {
    name: uniqueName,
    /** The kind. Each request must send it, and it never changes: a request with another kind changes no member of a kind. */
    typeId: { ...required(checkKind, 'typeId'), patch: 'required' },
    roleAttributes: attributes('always'),
    version: serverSet(z.number().int().min(0).max(1_000_000), 'always', 1),
    /** Of `OS`: the device must have one of them. */
    operatingSystems: member(systems),
    /** Of `DOMAIN`: the device must be in one of these Windows domains. */
    domains: member(texts.min(1)),
    /** Of `MAC`: the device must have one of these addresses. They are shown as 12 lower-case hex digits. */
    macAddresses: member(texts.min(1)),
    /** Of `PROCESS`. */
    process: member(process),
    /** Of `PROCESS_MULTI`: whether all of the processes must run. */
    semantic: member(semantic),
    /** Of `PROCESS_MULTI`. */
    processes: member(z.array(processMulti).min(1).max(100)),
    /** Of `MFA`: seconds after which another TOTP code is needed. -1: never. */
    timeoutSeconds: member(z.number().int().min(-2_147_483_648).max(2_147_483_647)),
    /** Of `MFA`: another code is needed after the device woke. */
    promptOnWake: member(z.boolean()),
    /** Of `MFA`: another code is needed after the device was unlocked. */
    promptOnUnlock: member(z.boolean()),
    /** Of `MFA`: clients that cannot ask for a code need none again. */
    ignoreLegacyEndpoints: member(z.boolean()),
  },
  kinds: {
    by: 'typeId',
    members: {
      OS: ['operatingSystems!'],
      PROCESS: ['process!'],
      DOMAIN: ['domains!'],
      MAC: ['macAddresses!'],
      MFA: ['timeoutSeconds', 'promptOnWake', 'promptOnUnlock', 'ignoreLegacyEndpoints'],
      PROCESS_MULTI: ['semantic!', 'processes!'],
    },
  },
});

/** A kind of posture checks, with the operating systems that it is known for. There is none for `MFA`. */
export const postureCheckTypes = entity({
  noun: 'postureCheckType',
  collection: 'posture-check-types',
  readers: 'everyone',
  fields: {
    name: uniqueName,
    operatingSystems: optional(z.array(operatingSystem), []),
    version: nullable(z.string()),
  },
  without: ['create', 'update', 'patch', 'delete'],
});
