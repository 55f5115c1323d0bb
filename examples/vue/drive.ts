// Tests the application in Chromium against a running controller. The exit code is 0 when every step has succeeded.
import { drive } from './drive-application.ts';

await drive(import.meta.dirname);
