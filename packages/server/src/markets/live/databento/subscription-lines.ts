/**
 * The lines that subscribe to contracts at a Databento gateway. A contract's stream is repeated from its own time on.
 * Contracts with near times share a line, so that few lines are sent and little is repeated twice.
 */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MINUTE_NS_BIG } from '@tapeloom/core/units';

/** The gateway's limit. */
const SYMBOLS_PER_LINE_MAX = 500;

interface WantedSymbol {
  readonly venueSymbol: string;
  /** Repeated from then on; 0: from the beginning of what the gateway has; null: from now on. */
  readonly start: EpochNs | null;
}

export function subscriptionLines(
  schema: 'trades' | 'definition',
  wanted: readonly WantedSymbol[],
): readonly string[] {
  const starts = wanted.flatMap(({ start }) => (start === null ? [] : [start]));
  const newest = starts.reduce((one, other) => (one > other ? one : other), 0n);
  const groups = Map.groupBy(wanted, ({ start }) => groupOf(start, newest));
  const lines = [...groups.values()].flatMap((members) => {
    const { start } = members.reduce((one, other) => (one.start! < other.start! ? one : other));
    return chunksOf(members.map(({ venueSymbol }) => venueSymbol)).map((symbols) => {
      const from = start === null ? '' : `|start=${start}`;
      return `schema=${schema}|stype_in=raw_symbol|symbols=${symbols.join(',')}${from}|snapshot=0`;
    });
  });
  return lines.map(
    (line, at) => `${line}|id=${at + 1}|is_last=${at === lines.length - 1 ? 1 : 0}\n`,
  );
}

/** By the distance to the newest start, within a factor of two: a day has eleven groups. */
function groupOf(start: EpochNs | null, newest: bigint): string {
  if (start === null || start === 0n) return `${start}`;
  const minutes = Number((newest - start) / MINUTE_NS_BIG);
  return `${Math.floor(Math.log2(minutes + 1))} octaves`;
}

function chunksOf(symbols: readonly string[]): readonly (readonly string[])[] {
  const chunks: string[][] = [];
  for (let from = 0; from < symbols.length; from += SYMBOLS_PER_LINE_MAX) {
    chunks.push(symbols.slice(from, from + SYMBOLS_PER_LINE_MAX));
  }
  return chunks;
}
