/**
 * What customers see of an instrument at this moment. Status and time of the last change are pure
 * functions of the book, the calendar, the clock and the tape: nothing is remembered here.
 */

import type { SessionTable } from '@tapeloom/core/calendar/session';
import type { Contract } from '@tapeloom/core/instrument/contract';
import type { InstrumentBook } from '@tapeloom/core/instrument/instrument-book';
import type { EpochNs, UtcDay } from '@tapeloom/core/numbers';
import { epochNsText } from '@tapeloom/core/utc-day';
import { INSTRUMENT_STATES, type InstrumentState } from '@tapeloom/protocol/status-states';
import { type Static, Type } from 'typebox';
import { Instant } from './instant-schema.ts';

const closed = { additionalProperties: false };
const Nanos = Type.Integer({ minimum: 1 });

export const InstrumentView = Type.Object(
  {
    symbol: Type.String({ description: 'The contract.' }),
    alias: Type.Union([Type.String(), Type.Null()], {
      description: 'The alias that designates it today.',
    }),
    tickSizeNanos: Nanos,
    status: Type.Enum(INSTRUMENT_STATES),
    updatedAt: Instant(
      'Last trade or change; for a delayed key at most the newest time that it may see',
    ),
    dataset: Type.String(),
    name: Type.String(),
    exchange: Type.String(),
    currency: Type.String(),
    lotSizeNanos: Nanos,
    pointValueNanos: Nanos,
    calendar: Type.String(),
    expiresAt: Instant('Expiry'),
    streamed: Type.Boolean({ description: 'Whether it is streamed in real time.' }),
    rolls: Type.Optional(
      Type.Array(Type.Object({ from: Instant('Start'), symbol: Type.String() }, closed), {
        description: 'What the alias designates from when on, past and planned.',
      }),
    ),
  },
  closed,
);

export type InstrumentView = Static<typeof InstrumentView>;

export interface InstrumentFacts {
  readonly book: InstrumentBook;
  readonly now: EpochNs;
  /** The day whose aliases hold: that of tape time. */
  readonly day: UtcDay;
  readonly isSourceUp: boolean;
  isStreamed(symbol: string): boolean;
  /** The full trading days of a contract. */
  fullSessions(symbol: string): SessionTable;
  /** Time of the newest trade on the tape; null when it has none. */
  lastTradeAt(symbol: string): EpochNs | null;
}

/**
 * The streamed contracts, or all contracts of a dataset, in the book's order. No trade after
 * `visibleUntil` shows.
 */
export function listInstruments(
  facts: InstrumentFacts,
  dataset: string | null,
  visibleUntil: EpochNs,
): InstrumentView[] {
  return facts.book
    .all()
    .filter((contract) =>
      dataset === null ? facts.isStreamed(contract.symbol) : contract.dataset === dataset,
    )
    .map((contract) => viewInstrument(facts, contract, visibleUntil));
}

function viewInstrument(
  facts: InstrumentFacts,
  contract: Contract,
  visibleUntil: EpochNs,
): InstrumentView {
  const alias = facts.book.aliasOf(contract.symbol, facts.day);
  return {
    symbol: contract.symbol,
    alias: alias?.alias ?? null,
    tickSizeNanos: contract.tickSizeNanos,
    status: judgeInstrument(facts, contract),
    updatedAt: lastChangeAt(facts, contract, visibleUntil).toString(),
    dataset: contract.dataset,
    name: contract.name,
    exchange: contract.exchange,
    currency: contract.currency,
    lotSizeNanos: contract.lotSizeNanos,
    pointValueNanos: contract.pointValueNanos,
    calendar: contract.calendar,
    expiresAt: contract.expiresAt.toString(),
    streamed: facts.isStreamed(contract.symbol),
    ...(alias === null
      ? {}
      : {
          rolls: alias.rolls.map(({ from, symbol }) => ({ from: epochNsText(from, 0), symbol })),
        }),
  };
}

function judgeInstrument(facts: InstrumentFacts, contract: Contract): InstrumentState {
  if (contract.expiresAt <= facts.now) return 'expired';
  if (!facts.isSourceUp && facts.isStreamed(contract.symbol)) return 'down';
  const session = facts.fullSessions(contract.symbol).atOrBefore(facts.now);
  return session !== null && facts.now < session.close ? 'open' : 'closed';
}

/** The newest of the last trade and the market's last opening or closing; at the end, the expiry. */
function lastChangeAt(facts: InstrumentFacts, contract: Contract, visibleUntil: EpochNs): EpochNs {
  if (contract.expiresAt <= facts.now) return contract.expiresAt;
  const session = facts.fullSessions(contract.symbol).atOrBefore(facts.now);
  const trade = facts.lastTradeAt(contract.symbol) ?? (0n as EpochNs);
  let newest = trade < visibleUntil ? trade : visibleUntil;
  for (const edge of session === null ? [] : [session.open, session.close]) {
    if (edge <= facts.now && edge > newest) newest = edge;
  }
  return newest;
}
