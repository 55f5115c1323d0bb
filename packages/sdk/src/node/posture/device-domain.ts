import { runProgram } from './run-program.ts';

const script = '$c = Get-CimInstance Win32_ComputerSystem; if ($c.PartOfDomain) { $c.Domain }';

/** The DNS name of the Windows domain that the machine has joined. Empty without one. */
export async function deviceDomain(signal: AbortSignal): Promise<string> {
  if (process.platform !== 'win32') return '';
  return runProgram('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', script], signal);
}
