import { certificates } from './certificates.ts';
import { files } from './files.ts';
import type { Installation } from './installation.ts';
import { network } from './network.ts';
import { settings } from './settings.ts';

export const brokenInstallations: readonly Installation[] = [...settings, ...files, ...certificates, ...network];
