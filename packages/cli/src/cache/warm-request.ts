/** Reads the arguments of `tapeloom cache warm`. */

import type { Calendar } from '@tapeloom/core/calendar/calendar';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { UtcDay } from '@tapeloom/core/numbers';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { type CommandIo, UsageError } from '../command.ts';
import { calendarOf, marketsOf } from '../command-config.ts';
import { readDay } from '../day-text.ts';
import { readArgs } from '../read-args.ts';
import { readContract, readIndicator, readParams } from '../study/study-request.ts';
import { type CachePlace, cachePlace } from './cache-options.ts';
import { computingParams } from './params-text.ts';

export interface WarmRequest {
  readonly place: CachePlace;
  readonly contract: Contract;
  readonly calendar: Calendar;
  readonly indicator: Indicator;
  /** The parameters that results are cached under. */
  readonly params: Params;
  readonly firstDay: UtcDay;
  /** Null: the last sealed day. */
  readonly lastDay: UtcDay | null;
  readonly isJson: boolean;
}

export async function readWarmRequest(
  args: readonly string[],
  io: CommandIo,
): Promise<WarmRequest> {
  const { values } = readArgs(args, {
    texts: ['data', 'instrument', 'indicator', 'params', 'from', 'to'],
    flags: ['json'],
    words: [],
  });
  const firstDay = readDay('--from', values.from);
  const lastDay = values.to === undefined ? null : readDay('--to', values.to);
  if (lastDay !== null && firstDay > lastDay) {
    throw new UsageError(`--from ${values.from} is after --to ${values.to}`);
  }
  const place = cachePlace(values.data, io);
  const markets = await marketsOf(io, place.data);
  const contract = readContract('--instrument', values.instrument, firstDay, markets);
  const calendar = calendarOf(markets, contract);
  if (values.indicator === undefined) throw new UsageError('--indicator is missing');
  const indicator = readIndicator(values.indicator);
  const params = computingParams(indicator, readParams(indicator, values.params ?? '{}'));
  return { place, contract, calendar, indicator, params, firstDay, lastDay, isJson: values.json };
}
