/**
 * Resolves a well-formed `subscribe` to what it means today for this caller: contract, indicator, canonical parameters,
 * delay behind the tape. A name means one thing at a time. Anything unknown or not allowed is rejected with its code.
 */

import { type Cursor, parseCursor } from '@tapeloom/core/cursor';
import { configurationOf } from '@tapeloom/core/entitlement/custom-configuration';
import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import { parseInstant } from '@tapeloom/core/instant-text';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { INDICATORS, indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { StreamFrom, StreamMode, SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { ResetReason } from '@tapeloom/protocol/server-messages';
import { didYouMean } from '../../config/nearest-name.ts';
import type { TopicSpec } from '../../topics/engine-link.ts';
import { type ErrorReply, invalid } from '../wire/client-message.ts';
import type { DeliveryStart } from './delivery-events.ts';
import type { StartRights } from './start-verdict.ts';

/** Objects in a snapshot where the indicator has no `depth` parameter. */
const DEPTH_DEFAULT = 500;

/** A subscription that may start: the client's message and its meaning. */
export interface StreamRequest {
  readonly message: SubscribeMessage;
  readonly spec: TopicSpec;
  readonly tickSizeNanos: number;
  readonly mode: StreamMode;
  readonly depth: number;
  /** What it counts as among the account's custom configurations; null with defaults only. */
  readonly configuration: string | null;
  readonly start: DeliveryStart;
  /** The conditions of the start besides the caller's plan. */
  readonly rules: Omit<StartRights, 'historyFrom'>;
  /** Compute units that a trade costs when it is replayed from history. */
  readonly unitsPerTrade: number;
  /** The day since which the name has meant the contract. */
  readonly meansSince: UtcDay;
  /** It was moved by a roll or a change of rights, not requested by the client. */
  readonly isMoved: boolean;
  /** When the name is to mean another contract, in tape time as this caller sees it. */
  readonly rollsOn: UtcDay | null;
  /** The day on which its indicator is removed, YYYY-MM-DD; absent while it stays. */
  readonly removedOn?: string;
}

/** The caller's rights and the time. */
export interface StreamContext {
  readonly entitlements: Entitlements;
  /** The UTC day of the tape as this caller sees it, its delay included. */
  readonly day: UtcDay;
  /** The service's time. */
  readonly now: EpochNs;
}

export type ResolveStream = (
  message: SubscribeMessage,
  context: StreamContext,
) => StreamRequest | Omit<ErrorReply, 'sub'>;

export interface StreamCatalogue {
  book(): InstrumentBook;
  /** Whether a contract is streamed in real time. */
  isStreamed(symbol: string): boolean;
  /** The newest day of contracts whose trades do not arrive live; null for others, and before the first. */
  lastDayOf?(dataset: string, symbols: ReadonlySet<string>): UtcDay | null;
  /** Why a cursor of this stream is no longer valid; null when it is valid. */
  epochReset(spec: TopicSpec, cursor: Cursor): ResetReason | null;
}

export function createResolver(catalogue: StreamCatalogue): ResolveStream {
  return (message, { entitlements, day, now }) => {
    const { instrument: name } = message;
    const book = catalogue.book();
    const meantOn = dayOfMeaning(catalogue, name, day);
    const contract = book.resolve(name, meantOn);
    if (contract === null || !catalogue.isStreamed(contract.symbol)) {
      return { code: 'UNKNOWN_INSTRUMENT', message: unknownText(catalogue, name, meantOn) };
    }
    if (!entitlements.allowsInstrument({ name, contract, book, today: meantOn, now })) {
      return { code: 'FORBIDDEN', message: `The key does not allow the instrument "${name}".` };
    }
    const indicator = indicatorNamed(message.indicator);
    if (indicator === null) {
      const text = `There is no indicator "${message.indicator}".`;
      const near = didYouMean(
        message.indicator,
        INDICATORS.map(({ id }) => id),
      );
      return { code: 'UNKNOWN_INDICATOR', message: `${text}${near}` };
    }
    const parsed = parseParams(indicator, message.params ?? {});
    if ('faults' in parsed) {
      return invalid(parsed.faults.map((it) => ({ ...it, path: `/params${it.path}` })));
    }
    const spec: TopicSpec = {
      contract: contract.symbol,
      indicator: indicator.id,
      params: computingParams(indicator, parsed.params),
      delaySeconds: entitlements.limits.delaySeconds,
    };
    const { depth } = parsed.params;
    const meansSince = book.meansSince(name, meantOn);
    return {
      message,
      spec,
      tickSizeNanos: contract.tickSizeNanos,
      mode: message.mode ?? 'live',
      depth: typeof depth === 'number' ? depth : DEPTH_DEFAULT,
      configuration: configurationOf(contract.symbol, indicator, parsed.params),
      start: startOf(message.from),
      rules: {
        contractOn: (on) => {
          const then = book.resolve(name, on)?.symbol ?? null;
          // A contract that the name meant earlier, before another one, does not continue from there.
          const isSame = then !== spec.contract || book.meansSince(name, on) === meansSince;
          return isSame ? then : null;
        },
        epochReset: (cursor) => catalogue.epochReset(spec, cursor),
      },
      unitsPerTrade: indicator.computeUnitsPerTrade,
      meansSince,
      isMoved: false,
      rollsOn: book.nextRoll(name, day)?.from ?? null,
      ...(indicator.deprecated && { removedOn: indicator.deprecated.until }),
    };
  };
}

/** Where trades do not arrive live, an alias means what it meant on the newest day, while that can be streamed. */
function dayOfMeaning(catalogue: StreamCatalogue, name: string, day: UtcDay): UtcDay {
  const book = catalogue.book();
  const alias = book.alias(name);
  if (alias === null) return day;
  const symbols = new Set(alias.rolls.map(({ symbol }) => symbol));
  const last = catalogue.lastDayOf?.(alias.dataset, symbols) ?? null;
  if (last === null || last >= day) return day;
  const meant = book.resolve(name, last);
  return meant !== null && catalogue.isStreamed(meant.symbol) ? last : day;
}

/** A known name gets no suggestion, but the reason why it is not streamed. */
function unknownText(catalogue: StreamCatalogue, name: string, day: UtcDay): string {
  const book = catalogue.book();
  if (book.contract(name) !== null) {
    return `No instrument "${name}" is streamed. Its history is available over REST with its dataset.`;
  }
  const isStreamed = (symbol: string | undefined) =>
    symbol !== undefined && catalogue.isStreamed(symbol);
  if (book.alias(name) !== null) return `"${name}" designates no streamed contract at the moment.`;
  const aliases = book.allAliases().map(({ alias }) => alias);
  const symbols = book.all().map(({ symbol }) => symbol);
  const names = [
    ...aliases.filter((alias) =>
      isStreamed(book.resolve(alias, dayOfMeaning(catalogue, alias, day))?.symbol),
    ),
    ...symbols.filter(isStreamed),
  ];
  return `No instrument "${name}" is streamed.${didYouMean(name, names)}`;
}

/** The message is known to be well formed. */
function startOf(from: StreamFrom = 'live'): DeliveryStart {
  if (from === 'live') return { t: 'live' };
  if ('cursor' in from) return { t: 'cursor', cursor: parseCursor(from.cursor)! };
  return { t: 'time', time: parseInstant(from.time)! };
}

/** All parameters but those that only change the view: they are no part of a topic's identity. */
function computingParams(indicator: Indicator, params: Params): Params {
  const isView = (name: string) =>
    indicator.parameters.some((it) => it.name === name && it.category === 'view');
  return Object.fromEntries(Object.entries(params).filter(([name]) => !isView(name)));
}
