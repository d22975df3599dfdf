/** A reader of Databento behind its dialogue, and the bytes of a gateway's stream, for tests of single messages. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import type { DbnVersion } from '../../../src/feeds/dbn/dbn-metadata.ts';
import { DatabentoReader } from '../../../src/markets/live/databento/databento-reader.ts';
import type { Reading } from '../../../src/markets/live/feed.ts';
import type { Line } from '../../../src/markets/live/lines/line.ts';
import { DBN_SCHEMAS, DbnWriter } from '../../feeds/dbn-writer.ts';
import { contractsOf } from '../feed-run.ts';
import { DATABENTO_KEY, databentoDialect } from './databento-dialect.ts';

const STREAM_MS = Date.UTC(2026, 10, 17, 15);
export const STREAM_NS = BigInt(STREAM_MS) * MS_NS_BIG;
export const DIALOGUE =
  'lsg_version=0.9.4\ncram=0123456789abcdefABCDEF0123456789\nsuccess=1|session_id=5\n';

export function newReader(
  lines: ReadonlyMap<string, Line> = new Map(),
  contracts = contractsOf(databentoDialect()),
): DatabentoReader {
  const venueNow = STREAM_NS as EpochNs;
  return new DatabentoReader({
    key: DATABENTO_KEY,
    dataset: 'GLBX.MDP3',
    contracts,
    lines,
    venueNow,
  });
}

/** A reader whose session has begun. */
export function streamingReader(lines?: ReadonlyMap<string, Line>): DatabentoReader {
  const reader = newReader(lines);
  reader.read(DIALOGUE);
  return reader;
}

/** The head of a stream, and the mappings 1 to ESZ6, 2 to NQZ6. */
export function aStream(version: DbnVersion = 3): DbnWriter {
  const writer = new DbnWriter({ version, schema: DBN_SCHEMAS.mixed, nameKindIn: 0xff });
  return writer
    .mapping({ instrumentId: 1, event: STREAM_NS }, 'ESZ6', 'ESZ6')
    .mapping({ instrumentId: 2, event: STREAM_NS }, 'NQZ6', 'NQZ6');
}

/** As `readings` of one piece would be: neighbours of one contract are one. */
export function joinedReadings(readings: readonly Reading[]): readonly Reading[] {
  const joined: Reading[] = [];
  for (const reading of readings) {
    const last = joined.at(-1);
    if (reading.kind === 'trades' && last?.kind === 'trades' && last.symbol === reading.symbol) {
      joined[joined.length - 1] = { ...last, trades: [...last.trades, ...reading.trades] };
    } else joined.push(reading);
  }
  return joined;
}
