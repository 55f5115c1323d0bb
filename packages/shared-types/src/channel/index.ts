export {
  contentTypes,
  controlHeaders,
  controlTypes,
  dataFlags,
  edgeHeaders,
  edgeTypes,
  headers,
  reflectedHeaders,
} from './content-types.ts';
export type { Frame, FrameLimits } from './frame.ts';
export { FrameError, FrameReader, frameHead, helloLimits, supportedVersions, VersionError } from './frame.ts';
export { headerValue, readHeader } from './values.ts';
