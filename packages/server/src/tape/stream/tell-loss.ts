/** How a loss is told that who appends has found in what it knows, and not in the numbers of the stream. */

import { lostClaim } from './claim-body.ts';
import type { FencedWriter } from './fenced-writer.ts';
import { StreamShrunkError } from './stream-errors.ts';

/** Who has just claimed has proved that there was nothing beyond, and yet knows of more: it tells everybody, and is done. */
export async function tellLoss(writer: FencedWriter): Promise<never> {
  const end = writer.last;
  await writer.append('claim', lostClaim(end));
  throw new StreamShrunkError(end, end);
}
