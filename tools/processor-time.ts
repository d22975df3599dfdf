/**
 * Loaded before every test file: when the process ends, it appends its processor time and its children's to the file in
 * `PROCESSOR_TIMES`. Wall time means little here, because several batches share the cores.
 */

import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

export interface ProcessorTime {
  /** The test file, or the module of its batch. */
  readonly file: string;
  readonly ownSeconds: number;
  /** Of ended children; 0 if the system does not report it. */
  readonly childSeconds: number;
}

const path = process.env.PROCESSOR_TIMES;
if (isMainThread && path !== undefined) process.on('exit', () => append(path));

function append(path: string): void {
  const { user, system } = process.cpuUsage();
  const time: ProcessorTime = {
    file: process.argv[1] ?? '',
    ownSeconds: (user + system) / 1e6,
    childSeconds: childSeconds(),
  };
  appendFileSync(path, `${JSON.stringify(time)}\n`);
}

/** Fields 16 and 17 of `/proc/self/stat`, in hundredths of a second. */
function childSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
}
