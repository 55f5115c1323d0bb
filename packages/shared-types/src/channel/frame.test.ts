import { describe, expect, it } from 'vitest';
import type { Frame } from './index.ts';
import { FrameError, FrameReader, frameHead, headerValue, helloLimits, readHeader } from './index.ts';

const frame: Frame = {
  type: -33,
  sequence: 7,
  headers: new Map([
    [1, headerValue.i32(-1)],
    [1002, headerValue.text('tökén')],
  ]),
  body: Uint8Array.of(1, 2, 3),
};

function bytesOf(...frames: Frame[]): Uint8Array {
  return Buffer.concat(frames.flatMap((each) => [frameHead(each), each.body]));
}

const read = (reader: FrameReader, bytes: Uint8Array) => [...reader.push(bytes)].map(plain);
const plain = ({ type, sequence, headers, body }: Frame) => ({
  ...{ type, sequence },
  headers: [...headers].map(([key, value]) => [key, Buffer.from(value).toString('hex')]),
  body: Buffer.from(body).toString('hex'),
});

describe('a frame', () => {
  it('has the magic number, type, sequence, lengths, headers and body, little-endian', () => {
    expect(Buffer.from(bytesOf(frame)).toString('hex')).toBe(
      ['0306090c', 'dfffffff', '07000000', '1b000000', '03000000', '0100000004000000ffffffff'].join('') +
        ['ea03000007000000', '74c3b66bc3a96e', '010203'].join(''),
    );
  });

  it('is read again, however the bytes arrive', () => {
    const frames = [frame, { ...frame, sequence: 8, headers: new Map(), body: new Uint8Array() }, frame];
    const bytes = bytesOf(...frames);
    for (const size of [1, 2, 7, 19, 20, 21, 46, bytes.length]) {
      const reader = new FrameReader(helloLimits);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      expect(chunks.flatMap((chunk) => read(reader, chunk))).toEqual(frames.map(plain));
    }
  });

  it('of many chunks is joined once', () => {
    const body = new Uint8Array(4_000_000).fill(7);
    const bytes = bytesOf({ ...frame, body });
    const reader = new FrameReader({ headers: 4_192, body: body.length });
    const startedAt = performance.now();
    let found: Frame[] = [];
    for (let at = 0; at < bytes.length; at += 400) found = [...found, ...reader.push(bytes.subarray(at, at + 400))];
    expect(found.map((each) => each.body.length)).toEqual([body.length]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe('what is no frame', () => {
  const cut = (bytes: Uint8Array, limits = helloLimits) => [...new FrameReader(limits).push(bytes)];
  const changed = (at: number, value: number) => {
    const bytes = Buffer.from(bytesOf(frame));
    bytes.writeInt32LE(value, at);
    return bytes;
  };

  it.each([
    ['another magic number', changed(0, 1)],
    ['negative headers', changed(12, -1)],
    ['a negative body', changed(16, -1)],
    ['headers that are too long', changed(12, 4_193)],
    ['a body that is too long', changed(16, 4_193)],
    ['a header that is longer than all', changed(24, 1_000)],
    ['a header of negative length', changed(24, -4)],
    ['a header that is cut off', changed(24, 20)],
    ['a header that occurs twice', changed(32, 1)],
  ])('%s is refused', (_, bytes) => {
    expect(() => cut(bytes)).toThrow(FrameError);
  });

  it('is refused as soon as its lengths are known', () => {
    expect(() => cut(changed(16, 2_000_000_000).subarray(0, 20))).toThrow(
      'body of 2000000000 bytes; the limit is 4192',
    );
  });
});

describe('the values of headers', () => {
  it('come back', () => {
    expect(readHeader.text(headerValue.text('é'))).toBe('é');
    expect([readHeader.boolean(headerValue.boolean(true)), readHeader.boolean(headerValue.boolean(false))]).toEqual([
      true,
      false,
    ]);
    expect([readHeader.u8(headerValue.u8(200)), readHeader.u16(headerValue.u16(65_535))]).toEqual([200, 65_535]);
    expect([readHeader.u32(headerValue.u32(4_294_967_295)), readHeader.i32(headerValue.i32(-1))]).toEqual([
      4_294_967_295, -1,
    ]);
    expect(readHeader.u64(headerValue.u64(12_345_678_901_234n))).toBe(12_345_678_901_234n);
    expect(readHeader.texts(headerValue.texts(['a', '', 'ü']))).toEqual(['a', '', 'ü']);
    const byNumber = new Map([[1003, Uint8Array.of(1, 2)]]);
    expect(readHeader.bytesByNumber(headerValue.bytesByNumber(byNumber))).toEqual(byNumber);
    expect(readHeader.textByText(headerValue.textByText({ a: 'b' }))).toEqual(new Map([['a', 'b']]));
  });

  it('that are missing, and lists without bytes, are nothing', () => {
    expect([readHeader.text(undefined), readHeader.u32(undefined)]).toEqual([undefined, undefined]);
    expect([readHeader.texts(undefined), readHeader.texts(new Uint8Array())]).toEqual([[], []]);
  });

  it.each([
    ['a number of another length', () => readHeader.u32(Uint8Array.of(1))],
    ['a text that is not UTF-8', () => readHeader.text(Uint8Array.of(0xff))],
    ['a list of 129 entries', () => readHeader.texts(headerValue.texts(Array.from({ length: 129 }, String)))],
    ['an entry of 8,193 bytes', () => readHeader.texts(headerValue.texts(['x'.repeat(8_193)]))],
    ['a list that is cut off', () => readHeader.texts(headerValue.texts(['abc']).subarray(0, 10))],
    ['a list with something behind it', () => readHeader.texts(Uint8Array.of(...headerValue.texts(['a']), 0))],
  ])('%s is refused', (_, reading) => {
    expect(reading).toThrow(FrameError);
  });
});
