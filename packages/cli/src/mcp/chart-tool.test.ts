import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { RANGE } from '../../../server/testing/history/history-requests.ts';
import {
  ANY_COST,
  AssistantRig,
  TEN_MINUTES,
  TRADES,
  textOf,
} from '../../testing/assistant-rig.ts';
import { PngMissingError, pngOf } from './png.ts';
import { Spending } from './spending.ts';

let rig: AssistantRig;
before(async () => {
  rig = await AssistantRig.start();
});
after(() => rig[Symbol.asyncDispose]());

test('a chart that reads candles beside the indicator counts both before it starts', async () => {
  await using user = await rig.assistant({
    spending: new Spending({ perCall: TRADES, total: 1e6 }),
  });
  const spent = await rig.spentBy(async () => {
    const told = await user.refused('chart', { ...TEN_MINUTES, indicator: 'delta' });
    assert.match(told, /This would cost 240 compute units/);
  });
  assert.equal(spent, 0);
});

test('where there is no PNG renderer the chart is SVG, and the result says why', async () => {
  const png = () => Promise.reject(new PngMissingError('no binary here'));
  await using user = await rig.assistant({ png });
  const { content, isError } = await user.call('chart', { ...TEN_MINUTES, indicator: 'bars' });
  assert.ok(!isError);
  assert.deepEqual(
    content.map(({ type }) => type),
    ['text', 'text'],
  );
  assert.match(textOf({ content }), /^<svg [\s\S]*As SVG instead of PNG: no binary here\.$/);
});

test('every indicator of the catalogue has a chart, as SVG that refers to nothing outside', async () => {
  await using user = await rig.assistant({ spending: new Spending(ANY_COST) });
  const { indicators } = await user.data<{
    readonly indicators: readonly { readonly id: string }[];
  }>('list_indicators');
  for (const { id } of indicators) {
    const result = await user.call('chart', {
      instrument: 'ES.c.0',
      indicator: id,
      from: '2026-11-10T14:30:00Z',
      to: '2026-11-10T15:30:00Z',
      format: 'svg',
      theme: 'light',
    });
    const [svg, told] = result.content.map((part) => (part.type === 'text' ? part.text : ''));
    assert.ok(!result.isError, `${id}: ${svg}`);
    assert.match(svg!, /^<svg [\s\S]*<\/svg>$/, id);
    assert.doesNotMatch(svg!, /NaN|Infinity|undefined|href|var\(/, id);
    assert.match(svg!, /^<svg [^>]*aria-label="ES\.c\.0 · /, id);
    assert.match(told!, /of ESZ6, 2026-11-10 14:30 to 15:30 UTC: .* compute units\.$/, id);
  }
});

test('a chart is a PNG with text in it, whatever fonts the machine has', async () => {
  await using user = await rig.assistant();
  const { content } = await user.call('chart', { ...TEN_MINUTES, indicator: 'bars' });
  const [picture] = content;
  assert.ok(picture?.type === 'image' && picture.mimeType === 'image/png');
  const bytes = Buffer.from(picture.data, 'base64');
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  assert.equal(bytes.readUInt32BE(16), 1_290);
  const text = '<text x="10" y="30" font-family="system-ui,sans-serif">Bars × −1</text>';
  const document = (body: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="200" height="50">${body}</svg>`;
  const [written, empty] = await Promise.all([pngOf(document(text)), pngOf(document(''))]);
  assert.ok(written.length > empty.length + 200, `${written.length} and ${empty.length} bytes`);
});

test('a chart of more bars than fit is refused with the size that does, before anything is asked', async () => {
  await using user = await rig.assistant();
  const asked = { instrument: 'ESZ6', from: '2026-11-09', to: '2026-11-11', indicator: 'bars' };
  assert.match(
    await user.refused('chart', { ...asked, params: { size: 60 } }),
    /^INVALID_PARAMETERS: The range is 2,880 bars of 60 s, .* 500 at most: a size of 600 s or more/,
  );
  assert.match(
    await user.refused('chart', { ...asked, params: { sise: 60 } }),
    /^INVALID_PARAMETERS: .*\/params\/sise: /,
  );
});

test('a chart of hours in which nothing traded says so', async () => {
  await using user = await rig.assistant();
  const asked = { instrument: 'ESZ6', from: '2026-11-10T10:00:00Z', to: '2026-11-10T11:00:00Z' };
  assert.match(await user.refused('chart', asked), /^NOTHING_TRADED: Nothing traded in ESZ6/);
});

test('levels that come from before the range are on the chart, for a moment’s cost more', async () => {
  const spending = new Spending({ perCall: TRADES * 2 + 1, total: 1e6 });
  await using user = await rig.assistant({ spending });
  const asked = { ...TEN_MINUTES, indicator: 'session-levels', format: 'svg' };
  const { content } = await user.call('chart', asked);
  assert.match(textOf({ content }), />[^<]*previous high/);
});

test('a chart that is cut shows nothing behind its last candle', async () => {
  await using user = await rig.assistant({ spending: new Spending(ANY_COST) });
  const { content } = await user.call('chart', {
    ...RANGE,
    indicator: 'delta',
    params: { bar: 'tick', size: 2 },
    format: 'svg',
  });
  assert.match(textOf({ content }), /500 objects over 500 candles, .* it ends early\.$/);
});

test('an SVG that is too long for an assistant becomes a picture', async () => {
  await using user = await rig.assistant({ spending: new Spending(ANY_COST) });
  const { content } = await user.call('chart', {
    ...RANGE,
    from: '2026-11-05',
    indicator: 'large-trades',
    params: { minSize: 1 },
    format: 'svg',
  });
  assert.equal(content[0]!.type, 'image', textOf({ content }).slice(0, 300));
  assert.match(textOf({ content }), /As PNG: the SVG has \d+,\d+ characters/);
});
