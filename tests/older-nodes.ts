/**
 * The releases of Node that customers of the client library may have and we do not run on. They come with
 * `npm ci --prefix tools/nodes`; where they did not, `olderNodesMissing` is the sentence to skip with.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../tools/nodes/node_modules');

/** By major version, the path of the program. */
export const olderNodes: ReadonlyMap<number, string> = new Map(
  [22, 24].map((major) => {
    const name = `node${major}-${process.platform}-${process.arch}`;
    return [major, join(folder, name, 'bin/node')];
  }),
);

/** Why older releases cannot be had here, false where they can. */
export const olderNodesMissing = [...olderNodes.values()].every((path) => existsSync(path))
  ? false
  : `no Node 22 and 24 for ${process.platform} on ${process.arch}: npm ci --prefix tools/nodes brings them to Linux`;
