import { z } from 'zod';

/** The first line of an export. */
export const headerSchema = z.object({
  format: z.literal('edge-controller-export'),
  /** Raised when an older controller could not read the file. */
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** The version of the controller that made it. */
  controller: z.string().max(100),
  /** The migrations of the entities. */
  changes: z.array(z.string().max(200)).min(1).max(10_000),
});

/** All lines between the first and the last. */
export const rowSchema = z.strictObject({
  table: z.string(),
  row: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
});

/** The last line: a file without it was cut. */
export const trailerSchema = z.object({
  end: z.literal(true),
  rows: z.int().min(0),
  /** Of all lines before this one, with their ends, in hex. */
  sha256: z.string(),
});

export type Header = z.output<typeof headerSchema>;
export type ExportedRow = z.output<typeof rowSchema>;
export type Trailer = z.output<typeof trailerSchema>;
