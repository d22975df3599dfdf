/** Reports a loss that the leader found in its own records and not in the numbers of the stream. */

import { lostClaim } from './claim-body.ts';
import type { FencedWriter } from './fenced-writer.ts';
import { StreamShrunkError } from './stream-errors.ts';

/** Its claim proved that nothing was beyond, although the node knows of more: stores a `lost` claim and ends. */
export async function tellLoss(writer: FencedWriter): Promise<never> {
  const end = writer.last;
  await writer.append('claim', lostClaim(end));
  throw new StreamShrunkError(end, end);
}
