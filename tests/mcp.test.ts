/** `tapeloom mcp` as assistants start it: the built program, over its standard input and output. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { pngOf } from '@tapeloom/cli/mcp/png';
import { stdioAssistant } from '../packages/cli/testing/stdio-assistant.ts';
import { fillMarket } from '../packages/server/testing/history/history-market.ts';
import { HistoryReader } from '../packages/server/testing/history/history-requests.ts';
import { RestService } from '../packages/server/testing/rest/rest-service.ts';
import { COMMAND } from './tapeloom-program.ts';

let service: RestService;
let env: Record<string, string>;
let reader: HistoryReader;
before(async () => {
  service = await RestService.start();
  fillMarket(service);
  const key = await service.customer('live_history');
  reader = new HistoryReader(service, key);
  const { PATH = '' } = process.env;
  const url = `http://127.0.0.1:${await service.listen()}`;
  env = { PATH, TAPELOOM_URL: url, TAPELOOM_KEY: key };
});
after(() => service[Symbol.asyncDispose]());

test('an assistant starts the command, calls its tools within the limits of its options, and ends it', async () => {
  await using assistant = await stdioAssistant([...COMMAND, 'mcp', '--max-cost', '500'], env);
  const asked = { instrument: 'ES.c.0', from: '2026-11-10T14:30:00Z' };
  const five = { ...asked, indicator: 'footprint', to: '2026-11-10T14:35:00Z' };
  const [picture] = (await assistant.call('chart', five)).content;
  const [svg] = (await assistant.call('chart', { ...five, format: 'svg' })).content;
  assert.ok(picture?.type === 'image' && svg?.type === 'text');
  // The built program contains its fonts: it draws the same picture as the sources.
  assert.equal(picture.data, Buffer.from(await pngOf(svg.text)).toString('base64'));
  const used = (await reader.usage()).used.computeUnits;
  const hour = { ...asked, indicator: 'bars', to: '2026-11-10T15:30:00Z' };
  const refused = await assistant.call('history', hour);
  assert.equal(refused.isError, true);
  assert.match(JSON.stringify(refused.content), /COST_LIMIT: .* allows 500 compute units per call/);
  assert.equal((await reader.usage()).used.computeUnits, used);
  assert.equal(assistant.errors(), '');
});

test('standard output has the protocol and nothing else, and the end of the input ends the command', async () => {
  const child = spawn(process.execPath, [...COMMAND, 'mcp'], { env: { ...env, TAPELOOM_KEY: '' } });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const lines = [
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '0' },
      },
    },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_indicators' } },
    { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'usage' } },
  ];
  child.stdin.write(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nno protocol\n`);
  const answers = () => output.split('\n').slice(0, -1);
  while (answers().length < 4) await once(child.stdout, 'data');
  child.stdin.end();
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  const byId = new Map(
    answers().map((line) => {
      const { id, result } = JSON.parse(line) as {
        id: number | null;
        result: Record<string, unknown>;
      };
      return [id, result];
    }),
  );
  // The response to the invalid JSON line has no id.
  assert.deepEqual([...byId.keys()].sort(), [1, 2, 3, null]);
  assert.equal(byId.get(2)!.isError, undefined);
  assert.match(JSON.stringify(byId.get(3)), /TAPELOOM_KEY/);
});

test('limits that are no numbers are refused before anything starts', async () => {
  const run = promisify(execFile)(process.execPath, [...COMMAND, 'mcp', '--max-cost', '1e6'], {
    env,
  });
  await assert.rejects(run, (error: { readonly code: number; readonly stderr: string }) => {
    assert.equal(error.code, 2);
    assert.match(
      error.stderr,
      /--max-cost must be a number of compute units such as 200000; got 1e6/,
    );
    return true;
  });
});

test('no other command loads the protocol, and this one no renderer before the first picture', async () => {
  const hooks = `import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) {
      const loaded = next(url, context);
      if (String(loaded.source).includes('notifications/initialized')) process.stderr.write('protocol ');
      if (url.includes('@resvg')) process.stderr.write('renderer ');
      return loaded;
    } });`;
  const loads = async (...words: readonly string[]) => {
    const args = ['--import', `data:text/javascript,${encodeURIComponent(hooks)}`, ...COMMAND];
    const { stderr } = await promisify(execFile)(process.execPath, [...args, ...words], { env });
    return [...new Set(stderr.trim().split(' '))];
  };
  assert.deepEqual(await loads('instruments'), ['']);
  assert.deepEqual(await loads('mcp', '--help'), ['protocol']);
});
