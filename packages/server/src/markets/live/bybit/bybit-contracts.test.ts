import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answering, dialectNetwork } from '../../../../testing/live/dialect-network.ts';
import { bybitDialect } from '../../../../testing/live/dialects/bybit-dialect.ts';
import type { Network } from '../network.ts';
import { VenueError } from '../venue-kind.ts';
import { bybitInverseKind, bybitLinearKind } from './bybit-venue.ts';

const { signal } = new AbortController();
const settings = { addresses: bybitLinearKind.addresses, key: null, venueDataset: null };
const read = (network: Network, symbol: string, kind = bybitLinearKind) =>
  kind.contracts(network, settings, [symbol], signal);

const FUTURE = {
  ...{ symbol: 'BTCUSDZ26', contractType: 'InverseFutures', status: 'Delivering' },
  ...{ baseCoin: 'BTC', quoteCoin: 'USD', deliveryTime: '1798185600000' },
  ...{ priceFilter: { tickSize: '0.50' }, lotSizeFilter: { qtyStep: '1' } },
};
const described = (changed: object) =>
  answering({ retCode: 0, retMsg: 'OK', result: { list: [{ ...FUTURE, ...changed }] } });

test('a contract of the second page has its terms', async () => {
  const [found] = await read(dialectNetwork(bybitDialect), 'DOGEUSDT');
  assert.deepEqual(found, {
    venueSymbol: 'DOGEUSDT',
    kind: 'perpetual',
    root: 'DOGEUSDT',
    title: 'DOGEUSDT perpetual',
    base: 'DOGE',
    currency: 'USDT',
    tick: '0.00001',
    lot: '1',
    pointValue: '1',
    isInverse: false,
    expiresAt: null,
    notTraded: null,
    calendar: null,
  });
});

test('an inverse future has its expiry, its state and a root of its own', async () => {
  const [found] = await read(described({}), 'BTCUSDZ26', bybitInverseKind);
  assert.deepEqual(
    [found!.kind, found!.root, found!.isInverse, found!.expiresAt],
    ['future', 'BTCUSD-FUTURE', true, 1_798_185_600_000_000_000n],
  );
  assert.match(found!.notTraded!, /"Delivering"/);
});

test('an unknown contract is refused with the nearest', async () => {
  await assert.rejects(read(dialectNetwork(bybitDialect), 'BTCUSTD'), (error: VenueError) => {
    assert.ok(error instanceof VenueError && !error.isTemporary);
    assert.match(error.message, /api\.bybit\.com has no linear contract "BTCUSTD"/);
    assert.match(error.message, /Did you mean "BTCUSDT"/);
    return true;
  });
});

test('descriptions that cannot be used are refused with the field or the reason', async () => {
  const refused = async (network: Network, message: RegExp, isTemporary: boolean) =>
    assert.rejects(read(network, 'BTCUSDZ26'), (error: VenueError) => {
      assert.ok(error instanceof VenueError, String(error));
      assert.match(error.message, message);
      assert.equal(error.isTemporary, isTemporary);
      return true;
    });
  await refused(described({ contractType: 'Option' }), /contractType is "Option"/, false);
  await refused(described({ priceFilter: {} }), /priceFilter\.tickSize is nothing/, false);
  await refused(described({ deliveryTime: undefined }), /deliveryTime is nothing/, false);
  await refused(described({ symbol: null }), /symbol is null/, false);
  await refused(answering({ retCode: 10_016, retMsg: 'down' }), /down \(10016\)/, true);
  await refused(answering({ retCode: 0, result: {} }), /result\.list is nothing/, false);
  await refused(answering({}, 403), /refuses this machine/, false);
});
