/**
 * The Node releases that users of the client library may have and the service does not run on. They
 * come with `npm ci --prefix tools/nodes`; without them, `olderNodesMissing` holds the reason for
 * skipping.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../tools/nodes/node_modules');

/** The path of the program by major version. */
export const olderNodes: ReadonlyMap<number, string> = new Map(
  [22, 24].map((major) => {
    const name = `node${major}-${process.platform}-${process.arch}`;
    return [major, join(folder, name, 'bin/node')];
  }),
);

/** Why older releases are not available here; false when they are. */
export const olderNodesMissing = [...olderNodes.values()].every((path) => existsSync(path))
  ? false
  : `no Node 22 and 24 for ${process.platform} on ${process.arch}: npm ci --prefix tools/nodes brings them to Linux`;
