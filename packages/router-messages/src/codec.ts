import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FrameError } from '@edge-controller/shared-types/channel';

export type { DescMessage, MessageShape };

/** The bytes of a message. Members that are left out have the default of proto3. */
export function encode<Schema extends DescMessage>(schema: Schema, message: MessageInitShape<Schema>): Uint8Array {
  return toBinary(schema, create(schema, message));
}

/**
 * Reads a message. What it does not know is left out.
 *
 * @throws FrameError when the bytes are no such message
 */
export function decode<Schema extends DescMessage>(schema: Schema, bytes: Uint8Array): MessageShape<Schema> {
  try {
    return fromBinary(schema, bytes, { readUnknownFields: false });
  } catch {
    throw new FrameError(`no ${schema.name}`);
  }
}
