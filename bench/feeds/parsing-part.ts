/**
 * Our reader of every venue's messages beside bare `JSON.parse` of the same bytes, by turns. Databento has no JSON: beside
 * it are a copy of the bytes and a walk over its records with a `DataView`.
 */

import assert from 'node:assert/strict';
import type { Dialect } from '../../packages/server/testing/live/dialect.ts';
import { ALL_DIALECTS } from '../../packages/server/testing/live/dialects/all-dialects.ts';
import { contractsOf } from '../../packages/server/testing/live/feed-run.ts';
import { readerOf } from '../../packages/server/testing/live/reader-of.ts';
import { SimVenue } from '../../packages/server/testing/live/sim-venue.ts';
import { seededRandom } from '../../simulation/clock/seeded-random.ts';
import { measured } from '../shared/measure.ts';
import { type RunFeedsPart, verdict } from './feeds-part.ts';

type Message = string | Uint8Array;

const TRADES = 20_000;
const TURNS = 41;
const SHARE_MIN = 0.4;
const STEP_MS = 100;
/** Of each contract in a step. */
const STEP_TRADES = 2;
const FIRST_ID = 2_500_000_000;
/** A double is turned into text at once if it was lately, so prices and sizes differ as real ones do. */
const MARKET = { priceTicks: 640_000, prices: 20_000, sizes: 50_000 };
const RECORD_BYTES = 48;
/** What a segment of TCP carries. */
const SEGMENT_BYTES = 1_448;

export const parsing: RunFeedsPart = async () => {
  const found = [];
  for (const [name, make] of Object.entries(ALL_DIALECTS)) found.push(await measure(name, make()));
  const slowest = found.reduce((worst, one) => (one.share < worst.share ? one : worst));
  const percent = (share: number) => `${(share * 100).toFixed(0)} %`;
  return {
    rows: found.map(({ name, share, nsPerTrade, besideNs, isBinary }) => [
      `reading ${name}`,
      `${nsPerTrade.toFixed(0)} ns a trade`,
      `${isBinary ? 'copy and walk' : 'JSON.parse'}: ${besideNs.toFixed(0)} ns, which is ${percent(share)}`,
    ]),
    notes: [
      verdict(
        `every venue's messages at ${percent(SHARE_MIN)} of bare JSON.parse or more`,
        found.every(({ share, isBinary }) => isBinary || share >= SHARE_MIN),
        `${slowest.name}: ${percent(slowest.share)}`,
      ),
      `Reading: ${TRADES} trades of each venue as its simulated other end sends them, ${TURNS} turns of each; medians of processor time.`,
    ],
    json: found,
  };
};

async function measure(name: string, dialect: Dialect) {
  const messages = messagesOf(dialect);
  const isBinary = typeof messages[0] !== 'string';
  const contracts = contractsOf(dialect);
  const read = () => {
    const reader = readerOf(dialect.venue, contracts);
    let trades = 0;
    for (const message of messages) {
      for (const reading of reader.read(message)) {
        assert.ok(reading.kind !== 'garbled', name);
        if (reading.kind === 'trades') trades += reading.trades.length;
      }
    }
    return trades;
  };
  const trades = read();
  assert.ok(trades >= TRADES, `${name}: ${trades} trades`);
  const bare = isBinary
    ? () => walked(messages as Uint8Array[])
    : () => parsed(messages as string[]);
  const medians = await measured(
    TURNS,
    new Map([
      ['ours', read],
      ['bare', bare],
    ]),
  );
  const [ours, beside] = [medians.get('ours')!.cpuMs, medians.get('bare')!.cpuMs];
  const nsOf = (ms: number) => (ms * 1e6) / trades;
  return {
    ...{ name, isBinary, messages: messages.length, trades },
    ...{ share: beside / ours, nsPerTrade: nsOf(ours), besideNs: nsOf(beside) },
  };
}

/** All messages of a connection that is subscribed to every contract. */
function messagesOf(dialect: Dialect): readonly Message[] {
  const { venue } = dialect;
  const contracts = contractsOf(dialect);
  const symbols = contracts.map(({ venueSymbol }) => venueSymbol);
  const sim = new SimVenue(seededRandom(1), symbols, {
    dialect,
    firstId: FIRST_ID,
    market: MARKET,
  });
  const reader = readerOf(venue, contracts);
  const messages: Message[] = [];
  let nowMs = Date.UTC(2026, 0, 5, 12);
  let trades = 0;
  sim.connect(1, nowMs, venue.address(contracts));
  while (trades < TRADES) {
    nowMs += STEP_MS;
    for (const [, event] of sim.arrived(nowMs)) {
      if (event.kind === 'opened') {
        for (const message of venue.subscribe(contracts, new Map())) sim.send(1, message, nowMs);
      }
      if (event.kind !== 'message') continue;
      messages.push(event.message);
      for (const reading of reader.read(event.message)) {
        if (reading.kind === 'trades') trades += reading.trades.length;
        if (reading.kind === 'reply') sim.send(1, reading.message, nowMs);
      }
    }
    sim.trade(nowMs, STEP_MS, STEP_TRADES);
  }
  return dialect.isTcp === true ? segments(messages as Uint8Array[]) : messages;
}

function segments(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
  const bytes = Buffer.concat(pieces);
  const found: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += SEGMENT_BYTES) {
    found.push(new Uint8Array(bytes.subarray(at, at + SEGMENT_BYTES)));
  }
  return found;
}

function parsed(messages: readonly string[]): number {
  let fields = 0;
  for (const message of messages) if (JSON.parse(message) !== null) fields += 1;
  return fields;
}

function walked(messages: readonly Uint8Array[]): bigint {
  let sum = 0n;
  for (const message of messages) {
    const { buffer, length } = message.slice();
    const view = new DataView(buffer);
    for (let at = 0; at + RECORD_BYTES <= length; at += RECORD_BYTES) {
      const time = view.getBigUint64(at + 8, true);
      const price = view.getBigInt64(at + 16, true);
      sum += time + price + BigInt(view.getUint32(at + 4, true) + view.getUint32(at + 24, true));
    }
  }
  return sum;
}
