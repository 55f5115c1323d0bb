/** Reads the body of a request. `null` when it has more bytes than the limit. */
export async function readLimitedBody(request: Request, limit: number): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(request.headers.get('content-length')) > limit) return null;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length;
    if (length > limit) {
      await reader?.cancel();
      return null;
    }
    chunks.push(read.value);
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    body.set(chunk, at);
    at += chunk.length;
  }
  return body;
}
