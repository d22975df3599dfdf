/** Makes the names in a directory durable. Windows has no such call, and journals names itself. */

import { open } from 'node:fs/promises';

export async function syncDirectory(
  path: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === 'win32') return;
  await using directory = await open(path, 'r');
  await directory.sync();
}
