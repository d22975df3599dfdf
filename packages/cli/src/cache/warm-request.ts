/** From the words of `tapeloom cache warm` to what is to be computed and kept. */

import { parseArgs } from 'node:util';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { COMMON_OPTIONS, readWords } from '../accounts/account-options.ts';
import { type CommandIo, UsageError } from '../command.ts';
import { readDay } from '../day-text.ts';
import { readContract, readIndicator, readParams } from '../study/study-request.ts';
import { type CachePlace, cachePlace } from './cache-options.ts';
import { computingParams } from './params-text.ts';

export interface WarmRequest {
  readonly place: CachePlace;
  readonly contract: Contract;
  readonly indicator: Indicator;
  /** As results are kept by. */
  readonly params: Params;
  readonly firstDay: UtcDay;
  /** Null: the last one that is sealed. */
  readonly lastDay: UtcDay | null;
  readonly isJson: boolean;
}

export function readWarmRequest(args: readonly string[], io: CommandIo): WarmRequest {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: {
      ...COMMON_OPTIONS,
      instrument: { type: 'string' },
      indicator: { type: 'string' },
      params: { type: 'string' },
      from: { type: 'string' },
      to: { type: 'string' },
    },
    allowPositionals: true,
  });
  readWords(positionals, []);
  const firstDay = readDay('--from', values.from);
  const lastDay = values.to === undefined ? null : readDay('--to', values.to);
  if (lastDay !== null && firstDay > lastDay) {
    throw new UsageError(`--from ${values.from} is after --to ${values.to}`);
  }
  const contract = readContract('--instrument', values.instrument, firstDay);
  if (values.indicator === undefined) throw new UsageError('--indicator is missing');
  const indicator = readIndicator(values.indicator);
  const params = computingParams(indicator, readParams(indicator, values.params ?? '{}'));
  const place = cachePlace(values.data, io);
  return { place, contract, indicator, params, firstDay, lastDay, isJson: values.json === true };
}
