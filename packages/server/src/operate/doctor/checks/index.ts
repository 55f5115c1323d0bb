import type { DoctorCheck } from '../finding.ts';
import { browsers } from './browsers.ts';
import { certificates } from './certificates.ts';
import { dataDirectory } from './data-directory.ts';
import { entityDatabase } from './entity-database.ts';
import { names } from './names.ts';
import { passwords } from './passwords.ts';
import { ports } from './ports.ts';
import { resources } from './resources.ts';
import { sensibleSettings } from './sensible-settings.ts';
import { sessionStore } from './session-store.ts';

/** All checks of an installation whose settings are valid, in the order of the report. */
export const checks: Readonly<Record<string, DoctorCheck>> = {
  settings: sensibleSettings,
  'data directory': dataDirectory,
  'entity database': entityDatabase,
  'session store': sessionStore,
  certificates,
  browsers,
  passwords,
  names,
  ports,
  resources,
};
