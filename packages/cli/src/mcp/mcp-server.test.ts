/** The tools as an assistant calls them. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { after, before, test } from 'node:test';
import { RestClient } from '@tapeloom/client';
import { INDICATORS } from '@tapeloom/core/studies/catalogue';
import * as z from 'zod';
import { TRADES_A_DAY } from '../../../server/testing/history/history-market.ts';
import { RANGE, readingBy } from '../../../server/testing/history/history-requests.ts';
import {
  ANY_COST,
  AssistantRig,
  LIMITS,
  TEN_MINUTES,
  TRADES,
  textOf,
} from '../../testing/assistant-rig.ts';
import { serveStdio } from './serve-stdio.ts';
import { DEFAULT_LIMITS, Spending } from './spending.ts';

let rig: AssistantRig;
before(async () => {
  rig = await AssistantRig.start();
});
after(() => rig[Symbol.asyncDispose]());

test('there are six tools, each with a description and strict arguments, and the free ones say so', async () => {
  await using user = await rig.assistant();
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
  await using user = await rig.assistant();
  interface Listed {
    readonly indicators: readonly {
      readonly id: string;
      readonly parameters?: readonly object[];
    }[];
  }
  const { indicators } = await user.data<Listed>('list_indicators');
  assert.equal(indicators.length, INDICATORS.length);
  assert.ok(JSON.stringify(indicators).length < 10_000);
  const one = await user.data<Listed>('list_indicators', { id: 'footprint' });
  assert.deepEqual(
    one.indicators.map(({ id }) => id),
    ['footprint'],
  );
  assert.ok(one.indicators[0]!.parameters!.length > 5);
});

test('instruments come with prices people can read, and with the time of now', async () => {
  await using user = await rig.assistant();
  const { now, instruments } = await user.data<{
    readonly now: string;
    readonly instruments: readonly { readonly symbol: string; readonly tickSize: string }[];
  }>('list_instruments');
  assert.equal(now, '2026-11-11T16:00:00.000Z');
  assert.equal(instruments.find(({ symbol }) => symbol === 'ESZ6')?.tickSize, '0.25');
});

test('an estimate is free and says whether the user allows the cost', async () => {
  await using user = await rig.assistant();
  const spent = await rig.spentBy(async () => {
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
  await using user = await rig.assistant();
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

test('a range with a gap is refused, and with gaps allowed read, with what it lacks', async () => {
  await using user = await rig.assistant({ spending: new Spending(ANY_COST) });
  const asked = { instrument: 'CLF7', from: '2026-11-05', to: '2026-11-07', indicator: 'bars' };
  assert.match(await user.refused('history', asked), /^NOT_COVERED/);
  const allowed = { ...asked, gaps: 'allow', params: { size: 3_600 } };
  const lacks = {
    gaps: [{ from: '2026-11-05T00:00:00Z', to: '2026-11-06T00:00:00Z', why: 'missing' }],
    gapsTotal: 1,
  };
  const priced = await user.data<typeof lacks & { readonly computeUnits: number }>(
    'estimate',
    allowed,
  );
  assert.deepEqual({ gaps: priced.gaps, gapsTotal: priced.gapsTotal }, lacks);
  const read = await user.data<History & typeof lacks>('history', allowed);
  assert.deepEqual({ gaps: read.gaps, gapsTotal: read.gapsTotal }, lacks);
  assert.equal(read.computeUnits, TRADES_A_DAY);
  assert.equal(objectsOf(read)[0]!.time, '2026-11-06T14:00:00Z');
  const drawn = await user.call('chart', { ...allowed, format: 'svg' });
  assert.match(textOf(drawn), /Not there: 2026-11-05 .* to 2026-11-06 .* \(missing\)\.$/);
});

test('rows of prices inside of a result are prices too', async () => {
  await using user = await rig.assistant();
  const [bar] = objectsOf(
    await user.data<History>('history', { ...TEN_MINUTES, indicator: 'footprint', limit: 1 }),
  );
  const [lowest] = bar!.levels as readonly (readonly number[])[];
  assert.equal(lowest![0], bar!.low);
  assert.ok(lowest![0]! >= 5_000 && lowest![0]! < 5_006);
});

test('distances between prices are in the unit of the prices', async () => {
  await using user = await rig.assistant();
  const [bar] = objectsOf(
    await user.data<History>('history', { ...TEN_MINUTES, indicator: 'vwap', limit: 1 }),
  ) as readonly Record<string, number>[];
  assert.ok(Math.abs(bar!.vwap! + bar!.deviation! - bar!.upper1!) < 0.001);
});

test('history above the cost per call is refused before anything is charged', async () => {
  await using user = await rig.assistant({
    spending: new Spending({ perCall: TRADES - 1, total: 1e6 }),
  });
  const spent = await rig.spentBy(async () => {
    const told = await user.refused('history', { ...TEN_MINUTES, indicator: 'bars' });
    assert.match(told, /^COST_LIMIT: This would cost 120 compute units; the user allows 119/);
    assert.match(told, /Nothing was charged/);
    assert.match(await user.refused('chart', { ...TEN_MINUTES, indicator: 'bars' }), /^COST_LIMIT/);
  });
  assert.equal(spent, 0);
});

test('history that would exceed what the session may spend is refused, also side by side', async () => {
  const spending = new Spending({ perCall: TRADES, total: TRADES + 10 });
  await using user = await rig.assistant({ spending });
  const spent = await rig.spentBy(async () => {
    const asked = { ...TEN_MINUTES, indicator: 'bars' };
    const both = await Promise.all([user.call('history', asked), user.call('history', asked)]);
    assert.deepEqual(both.map(({ isError }) => isError === true).sort(), [false, true]);
    assert.match(await user.refused('history', asked), /10 compute units are left/);
  });
  assert.equal(spent, TRADES);
  assert.equal(spending.spent, TRADES);
});

test('a limit ends the reading and its cost, and next goes on without a gap or a double', async () => {
  await using user = await rig.assistant();
  const asked = { ...TEN_MINUTES, indicator: 'bars', params: { size: 10 } };
  const whole = await user.data<History>('history', asked);
  assert.equal(whole.rows.length, 60);
  const spent = await rig.spentBy(async () => {
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
  await using user = await rig.assistant();
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
    if (read.next !== null) assert.match(read.note!, /a result cannot hold more/);
    rows.push(...read.rows);
    cost += read.computeUnits;
    cursor = read.next;
  } while (cursor !== null);
  const pages = await rig.reader.walk({
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
  await using user = await rig.assistant();
  const asked = rig.service.logged.length;
  assert.match(
    await user.refused('history', { indicator: 'bars', instrument: 'ESZ6', form: '2026-11-10' }),
    /^INVALID_PARAMETERS: from is missing: Start of the range, .*; form is not known; the arguments are indicator, instrument, /,
  );
  assert.match(
    await user.refused('history', { ...TEN_MINUTES, indicator: 'bars', limit: 0 }),
    /^INVALID_PARAMETERS: limit: /,
  );
  assert.match(
    await user.refused('chart', { ...TEN_MINUTES, format: 'gif' }),
    /format must be one of "png", "svg"$/,
  );
  assert.equal(rig.service.logged.length, asked);
  await assert.rejects(user.call('trade', {}), /There is no tool trade/);
});

test('what the service refuses comes with its code, its sentence and the faulty field', async () => {
  await using user = await rig.assistant();
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
  await using user = await rig.assistant({ service: new RestClient({ url: rig.url, key: wrong }) });
  const told = await user.refused('usage');
  assert.match(told, /^UNAUTHORIZED: .*TAPELOOM_KEY/);
  assert.ok(!told.includes('xxxx'));
  await using visitor = await rig.assistant({ service: new RestClient({ url: rig.url }) });
  assert.ok((await visitor.call('list_indicators')).isError !== true);
  assert.match(
    await visitor.refused('usage'),
    /^CONFIGURATION: Tell the user that this needs an API key.* portal under Keys.*tapeloom login.*TAPELOOM_KEY/,
  );
});

test('a call that is cancelled stops asking, and what it had reserved is free again', async () => {
  const spending = new Spending(LIMITS);
  await using user = await rig.assistant({ spending });
  const { sources } = rig.service;
  const reached = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  rig.service.sources = readingBy(sources, async (_request, signal) => {
    reached.resolve();
    await new Promise((resolve) => signal!.addEventListener('abort', resolve, { once: true }));
    ended.resolve();
    throw new Error('the reader went away');
  });
  const cancel = new AbortController();
  const spent = await rig.spentBy(async () => {
    const call = user.call('history', { ...TEN_MINUTES, indicator: 'bars' }, cancel.signal);
    await reached.promise;
    assert.equal(spending.left, LIMITS.total - TRADES);
    cancel.abort();
    await assert.rejects(call);
    await ended.promise;
    rig.service.sources = sources;
  });
  assert.equal(spent, 0);
  assert.equal(spending.left, LIMITS.total);
});

test('the session and the account are both in usage', async () => {
  await using user = await rig.assistant();
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

test('a key with the scope history and no other is enough for every tool', async () => {
  const account = await rig.service.account('live_history');
  const { secret } = await rig.service.key(account, { scopes: ['history'] });
  await using user = await rig.assistant({
    service: new RestClient({ url: rig.url, key: secret }),
  });
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
  await using user = await rig.assistant();
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

test('a call that is none is -32602, as one of a tool that is not there', async () => {
  await using user = await rig.assistant();
  for (const params of [{}, { name: 3 }, { name: 'usage', arguments: 'all' }, { name: 'trade' }]) {
    const call = user.client.request({ method: 'tools/call', params } as never, z.unknown());
    await assert.rejects(call, { code: -32602 });
  }
});

test('long calls tell how far they are to who asks for it', async () => {
  await using user = await rig.assistant({ spending: new Spending(ANY_COST) });
  for (const name of ['history', 'chart']) {
    const told: { readonly progress: number; readonly total: number | undefined }[] = [];
    const args = { ...TEN_MINUTES, indicator: 'bars', params: { size: 10 } };
    const result = await user.client.callTool({ name, arguments: args }, undefined, {
      onprogress: ({ progress, total }) => void told.push({ progress, total }),
    });
    assert.ok(result.isError !== true);
    assert.ok(told.length > (name === 'history' ? 1 : 0), name);
    for (const [at, { progress, total }] of told.entries()) {
      assert.ok(progress <= total! && progress > (told[at - 1]?.progress ?? 0), name);
    }
  }
});

test('a line that is not JSON is answered with -32700, one that is no message with -32600, and the next is served', async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const served = serveStdio(
    {
      version: '1.2.3',
      service: new RestClient({ url: rig.url }),
      spending: new Spending(LIMITS),
      now: () => 0,
      png: async () => new Uint8Array(),
    },
    { stderr: () => {}, signal: new AbortController().signal },
    { stdin, stdout },
  );
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ask = async (line: string) => {
    stdin.write(`${line}\n`);
    return JSON.parse((await lines.next()).value as string) as Record<string, unknown>;
  };
  for (const [line, code] of [
    ['{"jsonrpc": "2.0", ', -32700],
    ['{"hello": 1}', -32600],
  ] as const) {
    const { id, error } = await ask(line);
    assert.deepEqual([id, (error as { code: number }).code], [null, code]);
  }
  const pong = await ask('{"jsonrpc":"2.0","id":1,"method":"ping"}');
  assert.deepEqual(pong, { jsonrpc: '2.0', id: 1, result: {} });
  stdin.end();
  await served;
});
