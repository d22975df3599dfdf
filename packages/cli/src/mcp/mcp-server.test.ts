/** The tools as an assistant calls them: the SDK's own client, and the real routes behind the client library. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { RestClient } from '@tapeloom/client';
import { fillMarket, TRADES_A_DAY } from '../../../../simulation/history-market.ts';
import { HistoryReader, RANGE, readingBy } from '../../../../simulation/history-requests.ts';
import { RestService } from '../../../../simulation/rest-service.ts';
import { createMcpServer, type McpServerOptions } from './mcp-server.ts';
import { PngMissingError, pngOf } from './png.ts';
import { DEFAULT_LIMITS, Spending } from './spending.ts';

/** Ten minutes with a trade every five seconds. */
const TEN_MINUTES = {
  instrument: 'ESZ6',
  from: '2026-11-10T14:30:00Z',
  to: '2026-11-10T14:40:00Z',
};
const TRADES = 120;
const LIMITS = { perCall: 2_000, total: 20_000 };

let service: RestService;
let url: string;
let key: string;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  key = await service.customer('live_history');
  reader = new HistoryReader(service, key);
  url = `http://127.0.0.1:${await service.listen()}`;
});
after(() => service[Symbol.asyncDispose]());

interface Assistant extends AsyncDisposable {
  readonly client: Client;
  call(name: string, args?: object, signal?: AbortSignal): Promise<CallToolResult>;
  /** What a tool gave as data. */
  data<Data>(name: string, args?: object): Promise<Data>;
  /** The text of a tool's error. */
  refused(name: string, args?: object): Promise<string>;
}

async function assistant(options: Partial<McpServerOptions> = {}): Promise<Assistant> {
  const server = createMcpServer({
    version: '1.2.3',
    service: new RestClient({ url, key }),
    spending: new Spending(LIMITS),
    now: () => Date.parse('2026-11-11T16:00:00Z'),
    png: pngOf,
    ...options,
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '0' });
  await Promise.all([server.connect(far), client.connect(near)]);
  // Only who has listed the tools is told by the SDK where a result does not fit its schema.
  await client.listTools();
  const call: Assistant['call'] = (name, args = {}, signal) =>
    client.callTool(
      { name, arguments: { ...args } },
      undefined,
      signal && { signal },
    ) as Promise<CallToolResult>;
  return {
    client,
    call,
    async data<Data>(name: string, args?: object) {
      const result = await call(name, args);
      assert.ok(!result.isError, textOf(result));
      assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent);
      return result.structuredContent as Data;
    },
    async refused(name, args) {
      const result = await call(name, args);
      assert.equal(result.isError, true, textOf(result));
      return textOf(result);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

async function spentBy(work: () => Promise<unknown>): Promise<number> {
  const before = (await reader.usage()).used.computeUnits;
  await work();
  return (await reader.usage()).used.computeUnits - before;
}

test('there are six tools, each with a description and strict arguments, and the free ones say so', async () => {
  await using user = await assistant();
  const { tools } = await user.client.listTools();
  assert.deepEqual(
    tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
    [
      ['list_indicators', true],
      ['list_instruments', true],
      ['usage', true],
      ['estimate', true],
      ['history', false],
      ['chart', false],
    ],
  );
  for (const { name, description, inputSchema } of tools) {
    assert.ok(description!.length > 80, name);
    assert.equal(inputSchema.additionalProperties, false, name);
    for (const [field, schema] of Object.entries(inputSchema.properties ?? {})) {
      assert.ok((schema as { description?: string }).description, field);
    }
  }
  assert.match(user.client.getInstructions()!, /estimate is free/);
  assert.deepEqual(user.client.getServerVersion()?.version, '1.2.3');
});

test('indicators are listed in brief, and one of them in full', async () => {
  await using user = await assistant();
  interface Listed {
    readonly indicators: readonly {
      readonly id: string;
      readonly parameters?: readonly object[];
    }[];
  }
  const { indicators } = await user.data<Listed>('list_indicators');
  assert.ok(indicators.length >= 14);
  assert.ok(JSON.stringify(indicators).length < 10_000);
  const one = await user.data<Listed>('list_indicators', { id: 'footprint' });
  assert.deepEqual(
    one.indicators.map(({ id }) => id),
    ['footprint'],
  );
  assert.ok(one.indicators[0]!.parameters!.length > 5);
});

test('instruments come with prices people can read, and with the time of now', async () => {
  await using user = await assistant();
  const { now, instruments } = await user.data<{
    readonly now: string;
    readonly instruments: readonly { readonly symbol: string; readonly tickSize: string }[];
  }>('list_instruments');
  assert.equal(now, '2026-11-11T16:00:00.000Z');
  assert.equal(instruments.find(({ symbol }) => symbol === 'ESZ6')?.tickSize, '0.25');
});

test('an estimate is free and says whether the user allows the cost', async () => {
  await using user = await assistant();
  const spent = await spentBy(async () => {
    const two = await user.data<Record<string, unknown>>('estimate', RANGE);
    assert.equal(two.computeUnits, TRADES_A_DAY * 2);
    assert.equal(two.allowed, true);
    const three = await user.data<Record<string, unknown>>('estimate', {
      ...RANGE,
      to: '2026-11-11T16:00:00Z',
    });
    assert.equal(three.allowed, false);
    assert.match(String(three.refusal), /allows 2,000 compute units per call/);
  });
  assert.equal(spent, 0);
});

test('history gives rows with prices and times, and what it cost', async () => {
  await using user = await assistant();
  const read = await user.data<History>('history', {
    ...TEN_MINUTES,
    indicator: 'bars',
    params: { size: 300 },
  });
  assert.equal(read.computeUnits, TRADES);
  assert.equal(read.next, null);
  const bars = objectsOf(read);
  assert.equal(bars.length, 2);
  assert.equal(bars[0]!.time, '2026-11-10T14:30:00Z');
  assert.equal(bars[0]!.end, '2026-11-10T14:35:00Z');
  assert.equal(bars[0]!.open, 5_000);
  assert.equal(bars[0]!.trades, 60);
});

test('rows of prices inside of a result are prices too', async () => {
  await using user = await assistant();
  const [bar] = objectsOf(
    await user.data<History>('history', { ...TEN_MINUTES, indicator: 'footprint', limit: 1 }),
  );
  const [lowest] = bar!.levels as readonly (readonly number[])[];
  assert.equal(lowest![0], bar!.low);
  assert.ok(lowest![0]! >= 5_000 && lowest![0]! < 5_006);
});

test('distances between prices are in the unit of the prices', async () => {
  await using user = await assistant();
  const [bar] = objectsOf(
    await user.data<History>('history', { ...TEN_MINUTES, indicator: 'vwap', limit: 1 }),
  ) as readonly Record<string, number>[];
  assert.ok(Math.abs(bar!.vwap! + bar!.deviation! - bar!.upper1!) < 0.001);
});

test('history above the cost per call is refused before anything is charged', async () => {
  await using user = await assistant({
    spending: new Spending({ perCall: TRADES - 1, total: 1e6 }),
  });
  const spent = await spentBy(async () => {
    const told = await user.refused('history', { ...TEN_MINUTES, indicator: 'bars' });
    assert.match(told, /^COST_LIMIT: This would cost 120 compute units; the user allows 119/);
    assert.match(told, /Nothing was charged/);
    assert.match(await user.refused('chart', { ...TEN_MINUTES, indicator: 'bars' }), /^COST_LIMIT/);
  });
  assert.equal(spent, 0);
});

test('history that would exceed what the session may spend is refused, also side by side', async () => {
  const spending = new Spending({ perCall: TRADES, total: TRADES + 10 });
  await using user = await assistant({ spending });
  const spent = await spentBy(async () => {
    const asked = { ...TEN_MINUTES, indicator: 'bars' };
    const both = await Promise.all([user.call('history', asked), user.call('history', asked)]);
    assert.deepEqual(both.map(({ isError }) => isError === true).sort(), [false, true]);
    assert.match(await user.refused('history', asked), /10 compute units are left/);
  });
  assert.equal(spent, TRADES);
  assert.equal(spending.spent, TRADES);
});

test('a chart that reads candles beside the indicator counts both before it starts', async () => {
  await using user = await assistant({ spending: new Spending({ perCall: TRADES, total: 1e6 }) });
  const spent = await spentBy(async () => {
    const told = await user.refused('chart', { ...TEN_MINUTES, indicator: 'delta' });
    assert.match(told, /This would cost 240 compute units/);
  });
  assert.equal(spent, 0);
});

test('a limit ends the reading and its cost, and next goes on without a gap or a double', async () => {
  await using user = await assistant();
  const asked = { ...TEN_MINUTES, indicator: 'bars', params: { size: 10 } };
  const whole = await user.data<History>('history', asked);
  assert.equal(whole.rows.length, 60);
  const spent = await spentBy(async () => {
    const first = await user.data<History>('history', { ...asked, limit: 25 });
    assert.equal(first.rows.length, 25);
    assert.ok(first.computeUnits < TRADES / 2);
    assert.match(first.note!, /Cut after 25 results: the limit is 25/);
    const rest = await user.data<History>('history', { ...asked, cursor: first.next });
    assert.deepEqual([...first.rows, ...rest.rows], whole.rows);
  });
  assert.equal(spent, TRADES);
});

test('a result longer than an assistant can take is cut with a note, and little is charged that is not shown', async () => {
  await using user = await assistant();
  const asked = { ...RANGE, indicator: 'footprint', params: { size: 60 }, limit: 2_000 };
  const rows: (readonly unknown[])[] = [];
  let cost = 0;
  let cursor: string | null = null;
  do {
    const read: History = await user.data<History>('history', {
      ...asked,
      ...(cursor && { cursor }),
    });
    assert.ok(JSON.stringify(read).length < 50_000);
    if (read.next !== null) assert.match(read.note!, /no room for more/);
    rows.push(...read.rows);
    cost += read.computeUnits;
    cursor = read.next;
  } while (cursor !== null);
  const pages = await reader.walk({
    ...asked,
    params: JSON.stringify(asked.params),
    limit: '5000',
  });
  assert.deepEqual(
    rows.map((row) => row[2]),
    pages.flatMap(({ items }) => items.map(({ id }) => id)),
  );
  assert.ok(cost < TRADES_A_DAY * 2 * 1.2, `${cost}`);
});

test('wrong arguments are told by their names, and nothing is asked', async () => {
  await using user = await assistant();
  const asked = service.logged.length;
  assert.match(
    await user.refused('history', { indicator: 'bars', instrument: 'ESZ6', form: '2026-11-10' }),
    /^INVALID_PARAMETERS: from: .*; arguments: .*"form"/,
  );
  assert.match(
    await user.refused('history', { ...TEN_MINUTES, indicator: 'bars', limit: 0 }),
    /^INVALID_PARAMETERS: limit: /,
  );
  assert.match(await user.refused('chart', { ...TEN_MINUTES, format: 'gif' }), /format: .*"png"/);
  assert.equal(service.logged.length, asked);
  await assert.rejects(user.call('trade', {}), /There is no tool trade/);
});

test('what the service refuses comes with its code, its sentence and the faulty field', async () => {
  await using user = await assistant();
  const asked = { ...TEN_MINUTES, indicator: 'bars' };
  assert.match(
    await user.refused('history', { ...asked, params: { size: 0 } }),
    /^INVALID_PARAMETERS: .*\/params\/size/,
  );
  assert.match(
    await user.refused('estimate', { ...asked, instrument: 'XXX' }),
    /^UNKNOWN_INSTRUMENT: .*list_instruments/,
  );
  assert.match(
    await user.refused('chart', { ...asked, indicator: 'footprints' }),
    /^UNKNOWN_INDICATOR: There is no indicator footprints\. There are: bars, footprint/,
  );
  assert.match(
    await user.refused('history', {
      ...asked,
      instrument: 'CLF7',
      from: '2026-11-05',
      to: '2026-11-07',
    }),
    /^NOT_COVERED: .*2026-11-05/,
  );
});

test('neither an unknown key nor a missing one is ever repeated', async () => {
  const wrong = `svc_live_${'x'.repeat(33)}`;
  await using user = await assistant({ service: new RestClient({ url, key: wrong }) });
  const told = await user.refused('usage');
  assert.match(told, /^UNAUTHORIZED: .*TAPELOOM_KEY/);
  assert.ok(!told.includes('xxxx'));
  await using visitor = await assistant({ service: new RestClient({ url }) });
  assert.ok((await visitor.call('list_indicators')).isError !== true);
  assert.match(await visitor.refused('usage'), /^\w+: .*TAPELOOM_KEY/);
});

test('a call that is cancelled stops asking, and what it had reserved is free again', async () => {
  const spending = new Spending(LIMITS);
  await using user = await assistant({ spending });
  const { sources } = service;
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  service.sources = readingBy(sources, async (_request, signal) => {
    reached.resolve();
    await new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true }));
    ended.resolve();
    throw new Error('the reader went away');
  });
  const cancel = new AbortController();
  const spent = await spentBy(async () => {
    const call = user.call('history', { ...TEN_MINUTES, indicator: 'bars' }, cancel.signal);
    await reached.promise;
    assert.equal(spending.left, LIMITS.total - TRADES);
    cancel.abort();
    await assert.rejects(call);
    await ended.promise;
    service.sources = sources;
  });
  assert.equal(spent, 0);
  assert.equal(spending.left, LIMITS.total);
});

test('the session and the account are both in usage', async () => {
  await using user = await assistant();
  await user.data('history', { ...TEN_MINUTES, indicator: 'bars' });
  const told = await user.data<Record<string, unknown>>('usage');
  assert.equal(told.plan, 'live_history');
  assert.deepEqual(told.session, {
    spentComputeUnits: TRADES,
    leftComputeUnits: LIMITS.total - TRADES,
    maxComputeUnitsPerCall: LIMITS.perCall,
    maxComputeUnitsTotal: LIMITS.total,
  });
});

interface History {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly next: string | null;
  readonly computeUnits: number;
  readonly note?: string;
}

function objectsOf({ columns, rows }: History): readonly Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]])));
}

test('where there is no PNG renderer the chart is SVG, and the result says why', async () => {
  const png = () => Promise.reject(new PngMissingError('no binary here'));
  await using user = await assistant({ png });
  const { content, isError } = await user.call('chart', { ...TEN_MINUTES, indicator: 'bars' });
  assert.ok(!isError);
  assert.deepEqual(
    content.map(({ type }) => type),
    ['text', 'text'],
  );
  assert.match(textOf({ content }), /^<svg [\s\S]*As SVG instead of PNG: no binary here\.$/);
});

test('every indicator of the catalogue has a chart, as SVG that refers to nothing outside', async () => {
  await using user = await assistant({ spending: new Spending({ perCall: 1e6, total: 1e9 }) });
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
    assert.match(svg!, /^<svg [\s\S]*<\/svg>\n$/, id);
    assert.doesNotMatch(svg!, /NaN|Infinity|undefined|href|var\(/, id);
    assert.match(svg!, /<title id="t">ES\.c\.0 · /, id);
    assert.match(told!, /of ESZ6, 2026-11-10 14:30 to 15:30 UTC: .* compute units\.$/, id);
  }
});

test('a chart is a PNG with text in it, whatever fonts the machine has', async () => {
  await using user = await assistant();
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
  await using user = await assistant();
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
  await using user = await assistant();
  const asked = { instrument: 'ESZ6', from: '2026-11-10T10:00:00Z', to: '2026-11-10T11:00:00Z' };
  assert.match(await user.refused('chart', asked), /^NOTHING_TRADED: Nothing traded in ESZ6/);
});

test('levels that come from before the range are on the chart, for a moment’s cost more', async () => {
  const spending = new Spending({ perCall: TRADES * 2 + 1, total: 1e6 });
  await using user = await assistant({ spending });
  const asked = { ...TEN_MINUTES, indicator: 'session-levels', format: 'svg' };
  const { content } = await user.call('chart', asked);
  assert.match(textOf({ content }), />previous high/);
});

test('a chart that is cut shows nothing behind its last candle', async () => {
  await using user = await assistant({ spending: new Spending({ perCall: 1e6, total: 1e9 }) });
  const { content } = await user.call('chart', {
    ...RANGE,
    indicator: 'delta',
    params: { bar: 'tick', size: 2 },
    format: 'svg',
  });
  assert.match(textOf({ content }), /500 objects over 500 candles, .* it ends early\.$/);
});

test('an SVG that is too long for an assistant becomes a picture', async () => {
  await using user = await assistant({ spending: new Spending({ perCall: 1e6, total: 1e9 }) });
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

test('a key with the scope history and no other is enough for every tool', async () => {
  const account = await service.account('live_history');
  const { secret } = await service.key(account, { scopes: ['history'] });
  await using user = await assistant({ service: new RestClient({ url, key: secret }) });
  const asked = { ...TEN_MINUTES, indicator: 'bars' };
  const { tools } = await user.client.listTools();
  for (const { name, inputSchema } of tools) {
    const isQuery = Object.hasOwn(inputSchema.properties ?? {}, 'from');
    const result = await user.call(name, isQuery ? asked : {});
    assert.ok(!result.isError, `${name}: ${textOf(result)}`);
  }
});

test('docs/mcp.md tells of every tool, and of the limits as they are', async () => {
  const page = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8');
  await using user = await assistant();
  const { tools } = await user.client.listTools();
  assert.deepEqual(
    [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
    tools.map(({ name }) => name),
  );
  const { perCall, total } = DEFAULT_LIMITS;
  for (const limit of [perCall, total]) {
    assert.ok(page.includes(`| ${limit.toLocaleString('en')} |`), `${limit}`);
  }
});
