/** Reads the JSON file of `--mapping`, which assigns meanings to the columns of a text. */

import { judgeMapping } from '@tapeloom/server/feeds/csv/judge-mapping';
import type { CsvMapping } from '@tapeloom/server/feeds/feed-mapping';
import { type Disk, readFileWhole } from '@tapeloom/server/platform/disk/disk';
import { UsageError } from '../command.ts';

export async function readMapping(disk: Disk, path: string): Promise<CsvMapping> {
  const bytes = await readFileWhole(disk, path);
  if (bytes === null) throw new UsageError(`--mapping: there is no file ${path}`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new UsageError(`--mapping: ${path} is not JSON: ${(cause as Error).message}`, { cause });
  }
  const judged = judgeMapping(value);
  if (judged.mapping !== null) return judged.mapping;
  throw new UsageError(`--mapping ${path}:\n  ${judged.faults.join('\n  ')}`);
}
