import type { KeptSession } from './kept-sessions.ts';

/** Replaces the token of a session by its handle, wherever it is in a text that streams. */
export function hideToken(body: ReadableStream<Uint8Array>, session: KeptSession): ReadableStream<Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const { token, handle } = session;
  let rest = '';
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        rest = (rest + decoder.decode(chunk, { stream: true })).replaceAll(token, handle);
        // The end may be the begin of the token. It must not begin with half of a character.
        const length = Math.max(0, rest.length - token.length);
        const end = /[\uD800-\uDBFF]/.test(rest[length - 1] ?? '') ? length - 1 : length;
        controller.enqueue(encoder.encode(rest.slice(0, end)));
        rest = rest.slice(end);
      },
      flush(controller) {
        controller.enqueue(encoder.encode((rest + decoder.decode()).replaceAll(token, handle)));
      },
    }),
  );
}

/** Replaces the tokens of API sessions in a JSON text: the one of this session by its handle, all others by nothing. */
export function hideTokens(text: string, { token, handle }: KeptSession): string {
  try {
    const hide = (name: string, value: unknown) => {
      if (typeof value !== 'string') return value;
      return name === 'token' && value !== token ? '' : value.replaceAll(token, handle);
    };
    return JSON.stringify(JSON.parse(text, hide));
  } catch {
    return text.replaceAll(token, handle);
  }
}
