/** Makes the names in a directory durable. Windows cannot be asked, and keeps names in a journal of its own. */

import { open } from 'node:fs/promises';

export async function syncDirectory(
  path: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform === 'win32') return;
  await using directory = await open(path, 'r');
  await directory.sync();
}
