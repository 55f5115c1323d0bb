import {
  DataAction,
  DataChangeSetSchema,
  DataStateSchema,
  encode,
  KeyFormat,
  KeyUsage,
} from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { Logger } from '../core/log/log.ts';
import type { TrustedCas } from '../credentials/certificates/trusted-cas.ts';
import type { RouterNetwork } from '../network/router-connections/router-network.ts';
import type { TokenKey } from '../network/router-connections/shown-network.ts';
import { fingerprintOf } from '../pki/certificate-prints.ts';
import type { NetworkPki } from '../pki/network-pki.ts';
import { firstCertificateOf } from '../pki/pem.ts';
import { currentVersion } from '../storage/session-store/current-version.ts';
import type { SessionStore } from '../storage/session-store/session-store.ts';
import type { LiveRouter } from './live-router.ts';

/** Of this data model: routers that know another one take over everything. */
const timelineId = 'edge-controller-keys';
/** Milliseconds between two checks of the CAs. */
const interval = 1_000;

interface DataModelOptions {
  readonly network: RouterNetwork;
  readonly pki: Pick<NetworkPki, 'anchors'>;
  readonly trustedCas: TrustedCas;
  readonly sessions: SessionStore;
  readonly log: Logger;
  readonly routers: () => Iterable<LiveRouter>;
}

/** DER of a certificate, by its SHA-1. */
type Anchors = ReadonlyMap<string, Buffer>;

/**
 * Tells routers the keys with which the tokens of sessions are signed, and those of version 2 the CAs whose certificates applications may
 * have. Nothing else of the data model is sent: routers need no more for applications with API sessions.
 */
export class DataModel {
  readonly #parts: DataModelOptions;
  #sent = new Set<string>();
  #anchors: Anchors = new Map();

  constructor(parts: DataModelOptions) {
    this.#parts = parts;
  }

  /** Looks for other CAs now and then. Returns a function that ends it. */
  watch(): () => void {
    const hasReader = () => [...this.#parts.routers()].some(knowsAnchors);
    const timer = setInterval(() => hasReader() && void this.#updateAnchors(), interval).unref();
    return () => clearInterval(timer);
  }

  /** A router subscribes: it gets everything, whatever it says that it has. */
  async subscribe(router: LiveRouter, _frame: Frame): Promise<void> {
    await this.#updateAnchors();
    const keys = this.#parts.network.tokenKeys();
    for (const { kid } of keys) this.#sent.add(kid);
    const anchors = knowsAnchors(router) ? [...this.#anchors] : [];
    const events = [...keys.map(eventOf), ...anchors.map((anchor) => anchorEvent(anchor, DataAction.CREATE))];
    const body = encode(DataStateSchema, { events, endIndex: 1n, timelineId });
    router.send({ type: controlTypes.dataState, body });
  }

  /** Tells all routers the keys that are new. */
  update(): void {
    const added = this.#parts.network.tokenKeys().filter(({ kid }) => !this.#sent.has(kid));
    for (const { kid } of added) this.#sent.add(kid);
    this.#send(this.#parts.routers(), added.map(eventOf));
  }

  /** Reads the CAs again, and informs the routers which are new and which are gone. A store that cannot be reached changes nothing. */
  async #updateAnchors(): Promise<void> {
    const { pki, sessions, trustedCas, log } = this.#parts;
    try {
      const cas = await trustedCas.at(await currentVersion(sessions));
      const { roots, intermediates } = pki.anchors;
      const all = [...roots, ...intermediates, ...cas.values().map(({ certPem }) => firstCertificateOf(certPem))];
      this.#takeOver(new Map(all.map((der) => [fingerprintOf(der), der])));
    } catch (error) {
      log.warn({ err: error }, 'the CAs for edge routers cannot be read');
    }
  }

  #takeOver(anchors: Anchors): void {
    const before = this.#anchors;
    this.#anchors = anchors;
    const added = [...anchors].filter(([kid]) => !before.has(kid));
    const removed = [...before].filter(([kid]) => !anchors.has(kid));
    this.#send([...this.#parts.routers()].filter(knowsAnchors), [
      ...added.map((anchor) => anchorEvent(anchor, DataAction.CREATE)),
      ...removed.map((anchor) => anchorEvent(anchor, DataAction.DELETE)),
    ]);
  }

  #send(routers: Iterable<LiveRouter>, changes: readonly ReturnType<typeof eventOf>[]): void {
    if (changes.length === 0) return;
    // A synthetic change counts whatever its index is.
    const body = encode(DataChangeSetSchema, { index: 1n, isSynthetic: true, changes: [...changes] });
    for (const router of routers) router.send({ type: controlTypes.dataChangeSet, body });
  }
}

/** Routers from version 2 on accept only applications whose certificate is issued by a CA that they know. */
function knowsAnchors({ hello }: LiveRouter): boolean {
  return hello.group !== null;
}

function eventOf({ kid, spki }: TokenKey) {
  const publicKey = {
    ...{ kid, data: Buffer.from(spki, 'base64'), usages: [KeyUsage.JWT_VALIDATION] },
    format: KeyFormat.SUBJECT_PUBLIC_KEY_INFO,
  };
  return { action: DataAction.CREATE, isSynthetic: true, publicKey };
}

function anchorEvent([kid, data]: readonly [string, Buffer], action: DataAction): ReturnType<typeof eventOf> {
  const usages = [KeyUsage.CLIENT_X509_VALIDATION];
  return {
    action,
    isSynthetic: true,
    publicKey: { kid, data: Buffer.from(data), usages, format: KeyFormat.X509_CERTIFICATE },
  };
}
