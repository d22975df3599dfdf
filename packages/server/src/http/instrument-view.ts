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

/** The streamed contracts, in the book's order, with their states at this moment. */
export function streamedInstruments(
  facts: InstrumentFacts,
): { symbol: string; alias: string | null; state: InstrumentState }[] {
  return fixedParts(facts)
    .filter(({ contract }) => facts.isStreamed(contract.symbol))
    .map(({ contract, alias }) => {
      return { symbol: contract.symbol, alias, state: moment(facts, contract, facts.now).status };
    });
}

/**
 * `{ instruments }` in JSON: the streamed contracts, or all contracts of a dataset, in the book's order.
 * No trade after `visibleUntil` shows.
 */
export function instrumentsJson(
  facts: InstrumentFacts,
  dataset: string | null,
  visibleUntil: EpochNs,
): Buffer {
  const views: string[] = [];
  for (const { contract, head, tail } of fixedParts(facts)) {
    const isStreamed = facts.isStreamed(contract.symbol);
    if (dataset === null ? !isStreamed : contract.dataset !== dataset) continue;
    const { status, updatedAt } = moment(facts, contract, visibleUntil);
    views.push(
      `${head},"status":"${status}","updatedAt":"${updatedAt}","streamed":${isStreamed},${tail}`,
    );
  }
  return Buffer.from(`{"instruments":[${views.join(',')}]}`);
}

/** What stays the same all day: most of the bytes, made once a day. */
interface FixedPart {
  readonly contract: Contract;
  readonly alias: string | null;
  /** The first fields in JSON, without the closing brace, and the last ones without the opening one. */
  readonly head: string;
  readonly tail: string;
}

const fixedByBook = new WeakMap<
  InstrumentBook,
  { readonly day: UtcDay; readonly parts: readonly FixedPart[] }
>();

function fixedParts({ book, day }: InstrumentFacts): readonly FixedPart[] {
  const known = fixedByBook.get(book);
  if (known?.day === day) return known.parts;
  const parts = book.all().map((contract) => fixedPart(book, day, contract));
  fixedByBook.set(book, { day, parts });
  return parts;
}

function fixedPart(book: InstrumentBook, day: UtcDay, contract: Contract): FixedPart {
  const designated = book.aliasOf(contract.symbol, day);
  const alias = designated?.alias ?? null;
  const { symbol, tickSizeNanos } = contract;
  const first = { symbol, alias, tickSizeNanos };
  const last = {
    dataset: contract.dataset,
    name: contract.name,
    exchange: contract.exchange,
    currency: contract.currency,
    lotSizeNanos: contract.lotSizeNanos,
    pointValueNanos: contract.pointValueNanos,
    calendar: contract.calendar,
    expiresAt: contract.expiresAt.toString(),
    rolls: designated?.rolls.map((roll) => ({
      from: epochNsText(roll.from, 0),
      symbol: roll.symbol,
    })),
  };
  const head = JSON.stringify(first).slice(0, -1);
  return { contract, alias, head, tail: JSON.stringify(last).slice(1) };
}

/** State and last change: the newest of trade, opening and closing; at the end, the expiry. */
function moment(
  facts: InstrumentFacts,
  { symbol, expiresAt }: Contract,
  visibleUntil: EpochNs,
): { readonly status: InstrumentState; readonly updatedAt: EpochNs } {
  const { now } = facts;
  if (expiresAt <= now) return { status: 'expired', updatedAt: expiresAt };
  const session = facts.fullSessions(symbol).atOrBefore(now);
  const isOpen = session !== null && now < session.close;
  const isDown = !facts.isSourceUp && facts.isStreamed(symbol);
  const trade = facts.lastTradeAt(symbol) ?? (0n as EpochNs);
  const seen = trade < visibleUntil ? trade : visibleUntil;
  const edge = session === null ? seen : isOpen ? session.open : session.close;
  return {
    status: isDown ? 'down' : isOpen ? 'open' : 'closed',
    updatedAt: edge > seen ? edge : seen,
  };
}
