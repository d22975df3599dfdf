/** Perpetual swaps and futures, as OKX describes them. */

import type { EpochNs } from '@tapeloom/core/numbers';
import { MS_NS_BIG } from '@tapeloom/core/units';
import { didYouMean } from '../../../config/nearest-name.ts';
import type { Network } from '../network.ts';
import {
  decimalOf,
  FieldError,
  fieldsOf,
  listOf,
  requestJson,
  textOf,
  understood,
  wholeOf,
} from '../venue-answers.ts';
import { type VenueContract, VenueError } from '../venue-kind.ts';

const TYPES = ['SWAP', 'FUTURES'] as const;
const DECIMAL = /^(\d+)(?:\.(\d+))?$/;

type Fields = Readonly<Record<string, unknown>>;

export async function okxContracts(
  network: Network,
  rest: string,
  venueSymbols: readonly string[],
  signal: AbortSignal,
): Promise<readonly VenueContract[]> {
  const { host } = new URL(rest);
  const rows = new Map<string, Fields>();
  for (const type of TYPES) {
    const url = `${rest}/api/v5/public/instruments?instType=${type}`;
    const answer = await requestJson(network, { url }, signal);
    for (const [symbol, row] of rowsOf(answer, host)) rows.set(symbol, row);
  }
  return venueSymbols.map((symbol) => {
    const row = rows.get(symbol);
    if (row !== undefined) return understood(host, () => contractOf(row, symbol));
    const near = didYouMean(symbol, [...rows.keys()]);
    throw new VenueError(`${host} has no contract "${symbol}".${near}`, false);
  });
}

function rowsOf(
  answer: unknown,
  host: string,
): readonly (readonly [symbol: string, row: Fields])[] {
  return understood(host, () => {
    const { code, msg, data } = fieldsOf(answer, 'answer');
    if (`${code}` !== '0') {
      throw new VenueError(`${host} refused the request: ${msg} (${code})`, true);
    }
    return listOf(data, 'data').map((value) => {
      const row = fieldsOf(value, 'data');
      return [textOf(row.instId, 'instId'), row] as const;
    });
  });
}

function contractOf(row: Fields, venueSymbol: string): VenueContract {
  const type = textOf(row.instType, 'instType');
  const family = textOf(row.instFamily, 'instFamily');
  const [base = '', quote = ''] = family.split('-');
  const contractType = textOf(row.ctType, 'ctType');
  const isInverse = contractType === 'inverse';
  if (!isInverse && contractType !== 'linear') throw new FieldError('ctType', contractType);
  const value = textOf(row.ctVal, 'ctVal');
  const expires = row.expTime ?? '';
  const state = textOf(row.state, 'state');
  const isPerpetual = type === 'SWAP';
  return {
    venueSymbol,
    kind: isPerpetual ? 'perpetual' : 'future',
    // Swaps and futures of one family may differ in their lots.
    root: isPerpetual ? venueSymbol : family,
    title: `${family} ${isPerpetual ? 'perpetual' : `future ${venueSymbol.split('-').at(-1)}`}`,
    base: isInverse ? base : textOf(row.ctValCcy, 'ctValCcy'),
    // Families as BTC-USD_UM are margined in other currencies and priced in this one.
    currency: quote.split('_')[0]!,
    tick: decimalOf(row.tickSz, 'tickSz'),
    lot: decimalOf(row.lotSz, 'lotSz'),
    pointValue: isInverse ? '1' : times(value, decimalOf(row.ctMult, 'ctMult')),
    isInverse,
    expiresAt: expires === '' ? null : instantOfMs(wholeOf(expires, 'expTime')),
    notTraded: state === 'live' ? null : `OKX reports its state as "${state}"`,
    calendar: null,
  };
}

function instantOfMs(ms: number): EpochNs {
  return (BigInt(ms) * MS_NS_BIG) as EpochNs;
}

/** The exact product of two decimals. */
function times(value: string, multiplier: string): string {
  if (multiplier === '1') return value;
  const [a, b] = [DECIMAL.exec(value), DECIMAL.exec(multiplier)];
  if (a === null) throw new FieldError('ctVal', value);
  if (b === null) throw new FieldError('ctMult', multiplier);
  const [, wholeA, decimalsA = ''] = a;
  const [, wholeB, decimalsB = ''] = b;
  const decimals = decimalsA.length + decimalsB.length;
  const digits = `${BigInt(`${wholeA}${decimalsA}`) * BigInt(`${wholeB}${decimalsB}`)}`;
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  const rest = padded.slice(padded.length - decimals).replace(/0+$/, '');
  return rest === '' ? whole : `${whole}.${rest}`;
}
