import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, dialectNetwork } from '../../../../testing/live/dialect-network.ts';
import { okxDialect } from '../../../../testing/live/dialects/okx-dialect.ts';
import type { Network } from '../network.ts';
import { VenueError } from '../venue-kind.ts';
import { okxKind } from './okx-venue.ts';

const { signal } = new AbortController();
const settings = { addresses: okxKind.addresses, key: null, venueDataset: null };
const read = (network: Network, ...symbols: string[]) =>
  okxKind.contracts(network, settings, symbols, signal);

const SWAP = {
  ...{ instType: 'SWAP', instId: 'PEPE-USD_UM-SWAP', instFamily: 'PEPE-USD_UM' },
  ...{ ctVal: '10.50', ctMult: '0.1', ctValCcy: 'PEPE', ctType: 'linear', expTime: '' },
  ...{ tickSz: '0.0000000001', lotSz: '0.1', state: 'live' },
};
const described = (changed: object) =>
  answering({ code: '0', msg: '', data: [{ ...SWAP, ...changed }] });

test('swaps and futures have their terms, in the order of the request', async () => {
  const found = await read(dialectNetwork(okxDialect), 'BTC-USD-261225', 'BTC-USDT-SWAP');
  assert.deepEqual(found, [
    {
      venueSymbol: 'BTC-USD-261225',
      kind: 'future',
      root: 'BTC-USD',
      title: 'BTC-USD future 261225',
      base: 'BTC',
      currency: 'USD',
      tick: '0.5',
      lot: '1',
      pointValue: '1',
      isInverse: true,
      expiresAt: 1_798_185_600_000_000_000n,
      notTraded: null,
      calendar: null,
    },
    {
      venueSymbol: 'BTC-USDT-SWAP',
      kind: 'perpetual',
      root: 'BTC-USDT-SWAP',
      title: 'BTC-USDT perpetual',
      base: 'BTC',
      currency: 'USDT',
      tick: '0.1',
      lot: '0.01',
      pointValue: '0.01',
      isInverse: false,
      expiresAt: null,
      notTraded: null,
      calendar: null,
    },
  ]);
});

test('a multiplier is exact, a state is reported, and a swap that is delisted has its end', async () => {
  const changed = { state: 'suspend', expTime: '1798185600000' };
  const [found] = await read(described(changed), 'PEPE-USD_UM-SWAP');
  assert.deepEqual([found!.pointValue, found!.currency], ['1.05', 'USD']);
  assert.deepEqual([found!.tick, found!.expiresAt], ['0.0000000001', 1_798_185_600_000_000_000n]);
  assert.match(found!.notTraded!, /"suspend"/);
});

test('an unknown contract is refused with the nearest', async () => {
  await assert.rejects(read(dialectNetwork(okxDialect), 'BTC-USDT-SWPA'), (error: VenueError) => {
    assert.ok(error instanceof VenueError && !error.isTemporary);
    assert.match(error.message, /www\.okx\.com has no contract "BTC-USDT-SWPA"/);
    assert.match(error.message, /Did you mean "BTC-USDT-SWAP"/);
    return true;
  });
});

test('descriptions that cannot be used are refused with the field or the reason', async () => {
  const refused = async (network: Network, message: RegExp, isTemporary: boolean) =>
    assert.rejects(read(network, 'PEPE-USD_UM-SWAP'), (error: VenueError) => {
      assert.ok(error instanceof VenueError, String(error));
      assert.match(error.message, message);
      assert.equal(error.isTemporary, isTemporary);
      return true;
    });
  await refused(described({ ctType: 'square' }), /www\.okx\.com .* ctType is "square"/, false);
  await refused(described({ tickSz: undefined }), /tickSz is nothing/, false);
  await refused(described({ ctMult: 'x' }), /ctMult is "x"/, false);
  await refused(described({ instId: 7 }), /instId is 7/, false);
  await refused(answering({ code: '0', msg: '' }), /data is nothing/, false);
  await refused(answering({ code: '50001', msg: 'down' }), /down \(50001\)/, true);
  await refused(answering({}, 451), /does not serve this country/, false);
  await refused(answering({}, 503), /503/, true);
});
