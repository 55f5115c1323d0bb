import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Frame } from '@edge-controller/shared-types/channel';
import { FrameReader } from '@edge-controller/shared-types/channel';

type Side = 'controller' | 'router' | 'application';

/** A frame of a real network. */
export interface RecordedFrame {
  readonly from: Side;
  readonly to: Side;
  /** The id of the router, or of the identity of the application. */
  readonly peer: string;
  readonly name: string;
  readonly frame: Frame;
}

const folder = fileURLToPath(new URL('recordings/', import.meta.url));

/** @param number the first characters of the file name */
export function readRecording(number: string): readonly RecordedFrame[] {
  const name = readdirSync(folder).find((file) => file.startsWith(number));
  return readFileSync(folder + name, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { from, to, peer, type, raw } = JSON.parse(line);
      return { from, to, peer, name: type, frame: readFrame(raw) };
    });
}

function readFrame(hex: string): Frame {
  const reader = new FrameReader({ headers: 1_000_000, body: 1_000_000 });
  const [frame] = reader.push(Buffer.from(hex, 'hex'));
  if (!frame) throw new Error('a recorded frame is not complete');
  return frame;
}
