/** Bytes of the headers of a request, with its first line. A bearer token can be nearly as long. */
export const maxHeaderSize = 16_384;
