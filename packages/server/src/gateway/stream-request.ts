/**
 * From a well-formed `subscribe` to what it means today, for this caller: which contract, which
 * indicator, which canonical parameters, how far behind the tape. A name means one thing at a time;
 * anything unknown or not allowed is refused with its code.
 */

import { configurationOf } from '@tapeloom/core/entitlement/custom-configuration';
import type { Entitlements } from '@tapeloom/core/entitlement/entitlements';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { indicatorNamed } from '@tapeloom/core/studies/catalogue';
import type { Indicator, Params } from '@tapeloom/core/studies/indicator';
import { parseParams } from '@tapeloom/core/studies/params';
import type { StreamMode, SubscribeMessage } from '@tapeloom/protocol/client-messages';
import type { TopicSpec } from '../topics/engine-link.ts';
import { type ErrorReply, invalid } from './client-message.ts';

/** Objects in a snapshot of an indicator that leaves it to us. */
const DEPTH_DEFAULT = 500;

/** A subscription that may start: what was asked, and what it stands for. */
export interface StreamRequest {
  readonly message: SubscribeMessage;
  readonly spec: TopicSpec;
  readonly tickSizeNanos: number;
  readonly mode: StreamMode;
  readonly depth: number;
  /** What it counts as among the account's custom configurations; null with defaults only. */
  readonly configuration: string | null;
}

/** Who asks, and when. */
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
}

export function createResolver(catalogue: StreamCatalogue): ResolveStream {
  return (message, { entitlements, day, now }) => {
    const { instrument: name } = message;
    const book = catalogue.book();
    const contract = book.resolve(name, day);
    if (contract === null || !catalogue.isStreamed(contract.symbol)) {
      const text = `No instrument "${name}" is streamed.`;
      return { code: 'UNKNOWN_INSTRUMENT', message: text };
    }
    if (!entitlements.allowsInstrument({ name, contract, book, today: day, now })) {
      return { code: 'FORBIDDEN', message: `The key has no right to the instrument "${name}".` };
    }
    const indicator = indicatorNamed(message.indicator);
    if (indicator === null) {
      return {
        code: 'UNKNOWN_INDICATOR',
        message: `There is no indicator "${message.indicator}".`,
      };
    }
    const parsed = parseParams(indicator, message.params ?? {});
    if ('faults' in parsed) {
      return invalid(parsed.faults.map((it) => ({ ...it, path: `/params${it.path}` })));
    }
    if (message.from !== undefined && message.from !== 'live') {
      return invalid([
        { path: '/from', message: 'This version of the service starts streams at "live" only.' },
      ]);
    }
    const { depth } = parsed.params;
    return {
      message,
      spec: {
        contract: contract.symbol,
        indicator: indicator.id,
        params: computingParams(indicator, parsed.params),
        delaySeconds: entitlements.limits.delaySeconds,
      },
      tickSizeNanos: contract.tickSizeNanos,
      mode: message.mode ?? 'live',
      depth: typeof depth === 'number' ? depth : DEPTH_DEFAULT,
      configuration: configurationOf(contract.symbol, indicator, parsed.params),
    };
  };
}

/** All parameters but those that only change the view: they are no part of a topic's identity. */
function computingParams(indicator: Indicator, params: Params): Params {
  const isView = (name: string) =>
    indicator.parameters.some((it) => it.name === name && it.category === 'view');
  return Object.fromEntries(Object.entries(params).filter(([name]) => !isView(name)));
}
