/** Joins unsealed days by columns of other nodes: none of their records is read. */

import type { UtcDay } from '@tapeloom/core/numbers';
import { logPath } from '../../tape-paths.ts';
import type { Sequencer } from '../../write/sequencer/sequencer.ts';
import type { JoinFacts, RecoveredCopy, RecoveredDay } from '../log/recovered-copy.ts';
import { fetchColumns } from './column-parts.ts';
import { daysOfParts, type PartsPlace } from './day-parts.ts';

/** Null when there are no columns. The logs begin where the columns end, and are `hollow` before. */
export async function joinByColumns(
  place: PartsPlace,
  sequencer: Sequencer,
  { isListed, openingOf, onFault }: JoinFacts,
): Promise<RecoveredCopy | null> {
  const { dataset, objects } = place;
  const days: RecoveredDay[] = [];
  let copy: RecoveredCopy | null = null;
  for (const day of await daysOfParts(objects)) {
    if (isListed(day)) continue;
    const joined = await fetchColumns(
      place,
      { dataset, day, upTo: Number.POSITIVE_INFINITY },
      onFault,
    );
    if (joined === null) break;
    const { end, isEnded, sequence, sequencer: state } = joined.last;
    const hollow = await createLog(place, day, end.bytes);
    days.push({ live: joined.live, end, promiseNs: state.promiseNs, isEnded, hollow });
    sequencer.adopt(state);
    const mark = { day, opening: openingOf(day), sequence, records: end.records };
    copy = { days, mark, from: sequence };
    if (!isEnded) break;
  }
  return copy;
}

async function createLog({ disk, tapeRoot, dataset }: PartsPlace, day: UtcDay, to: number) {
  return { day, to, file: await disk.open(logPath(tapeRoot, dataset, day), 'create') };
}
