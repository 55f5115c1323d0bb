/** Milliseconds in which a receiver must have answered. */
const timeout = 10_000;
/** Bytes of an answer that are read. */
const maxAnswer = 65_536;

export interface Receiver {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param text `name=value`, separated by commas */
export function headersOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(',').filter((pair) => pair !== '');
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}

/**
 * Sends a request of OTLP over HTTP. Resolves when the receiver has taken it: to what it says about records that it has dropped for ever,
 * or `null`. Redirects are not followed: they would lead the headers elsewhere.
 *
 * @throws Error when it was not taken
 */
export async function sendOtlp({ url, headers }: Receiver, body: string, stop: AbortSignal): Promise<string | null> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    redirect: 'manual',
    signal: AbortSignal.any([stop, AbortSignal.timeout(timeout)]),
  });
  const answer = await readStart(response);
  if (!response.ok) throw new Error(`the receiver answered ${response.status}`);
  return refusedOf(answer);
}

async function readStart({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxAnswer) break;
  }
  return text;
}

function refusedOf(answer: string): string | null {
  try {
    const { rejectedLogRecords = 0, errorMessage = '' } = JSON.parse(answer)?.partialSuccess ?? {};
    return Number(rejectedLogRecords) > 0
      ? `${rejectedLogRecords} records: ${String(errorMessage).slice(0, 256)}`
      : null;
  } catch {
    return null;
  }
}
