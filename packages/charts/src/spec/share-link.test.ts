import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { DEFAULT_CHART } from './chart-spec.ts';
import type { Layout } from './layout.ts';
import { isShareLink, readShareLink, SHARE_LINK_CHARS_MAX, shareLink } from './share-link.ts';

const LAYOUT: Layout = {
  version: 1,
  charts: [
    { ...DEFAULT_CHART, drawings: [{ key: 'd', kind: 'line', ticks: 7, text: 'Zürich 🧵' }] },
  ],
  sharesInstrument: true,
};

const fragmentOf = (text: string | Buffer) =>
  `layout=${deflateRawSync(text).toString('base64url')}`;

test('a shared layout comes back whole, with the sign of a fragment or without', async () => {
  const fragment = await shareLink(LAYOUT);
  assert.ok(fragment !== null && fragment.length < 700, String(fragment?.length));
  assert.match(fragment, /^layout=[\w-]+$/);
  assert.deepEqual(await readShareLink(fragment), { layout: LAYOUT });
  assert.deepEqual(await readShareLink(`#${fragment}`), { layout: LAYOUT });
  assert.ok(isShareLink(`#${fragment}`) && !isShareLink('#top'));
});

test('a link that another program wrote is read by the same rules as a saved layout', async () => {
  const forged = { ...LAYOUT, version: 3 };
  const read = await readShareLink(fragmentOf(JSON.stringify(forged)));
  assert.ok('fault' in read && read.fault === 'newer');
  const markup = '<script>alert(1)</script>';
  const charts = [{ ...DEFAULT_CHART, look: markup, zone: markup, layers: [markup] }];
  const harmless = await readShareLink(
    fragmentOf(JSON.stringify({ version: 1, charts, extra: markup })),
  );
  assert.ok('layout' in harmless);
  assert.doesNotMatch(JSON.stringify(harmless), /script/);
});

test('a small link that expands to a hundred megabytes is refused long before', async () => {
  const bomb = fragmentOf(Buffer.alloc(20_000_000, ' '));
  assert.ok(bomb.length <= SHARE_LINK_CHARS_MAX);
  const before = process.memoryUsage().rss;
  const read = await readShareLink(bomb);
  assert.ok('fault' in read);
  assert.ok(process.memoryUsage().rss - before < 50_000_000);
});

test('a link is cut, altered or not ours: it is unreadable, and nothing is thrown', async () => {
  const whole = await shareLink(LAYOUT);
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.string().map((text) => `layout=${text}`),
        fc.uint8Array({ maxLength: 400 }).map((bytes) => fragmentOf(Buffer.from(bytes))),
        fc.base64String().map((text) => `layout=${text.replaceAll('=', '')}`),
        fc.nat({ max: whole!.length - 1 }).map((length) => whole!.slice(0, length)),
        fc.string(),
      ),
      async (fragment) => {
        const read = await readShareLink(fragment);
        assert.ok('fault' in read && read.text.endsWith('.'));
      },
    ),
    { numRuns: 300 },
  );
  assert.ok('fault' in (await readShareLink(`layout=${'A'.repeat(SHARE_LINK_CHARS_MAX)}`)));
});

test('a layout that is too large for a link has none', async () => {
  const bytes = randomBytes(30_000).toString('hex');
  const large = {
    ...DEFAULT_CHART,
    drawings: [{ key: 'd', kind: 'line' as const, ticks: 1, text: bytes }],
  };
  assert.equal(await shareLink({ ...LAYOUT, charts: [large] }), null);
});
