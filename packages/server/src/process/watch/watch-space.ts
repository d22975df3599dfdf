/** Compares free disk space with the needs of a day of the tape, and logs when there is too little. */

import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { FreeSpace } from '../../platform/disk/free-space.ts';
import { NodeDisk } from '../../platform/disk/node-disk.ts';
import type { Log } from '../../platform/log/log.ts';
import { tapeDayBytes } from '../../tape/write/tape-growth.ts';

export function watchSpace(
  directory: string,
  datasets: readonly string[],
  clock: Clock,
  log: Log,
): FreeSpace {
  const disk = new NodeDisk();
  return new FreeSpace({
    disk,
    directory,
    clock,
    dayBytes: async () => {
      const days = datasets.map((one) => tapeDayBytes(disk, join(directory, 'tape'), one));
      return (await Promise.all(days)).reduce((sum, bytes) => sum + bytes, 0);
    },
    onLittle: (reading, why) => {
      log.warn({ directory, ...reading }, `little disk space is left: ${why}`);
    },
    onEnough: (reading) =>
      log.info({ directory, ...reading }, 'there is enough free disk space again'),
    onFault: (error) => log.warn({ error }, 'the free disk space could not be checked'),
  });
}
