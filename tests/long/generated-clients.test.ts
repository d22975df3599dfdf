/**
 * External tools read the contract. The code of three client generators compiles strictly and calls
 * the service; one tool generates types for the stream; Spectral applies its rules. The tools come
 * with `npm ci --prefix tools/generators`.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { fillMarket } from '../../packages/server/testing/history/history-market.ts';
import { RANGE } from '../../packages/server/testing/history/history-requests.ts';
import { RestService } from '../../packages/server/testing/rest/rest-service.ts';

const root = join(import.meta.dirname, '../..');
const tools = join(root, 'tools/generators/node_modules');
const skip = existsSync(tools) ? false : 'npm ci --prefix tools/generators brings the generators';
const run = promisify(execFile);
const contract = (name: string) => join(root, 'contract', name);

const QUERY = `{ instrument: '${RANGE.instrument}', indicator: 'footprint', from: '${RANGE.from}', to: '${RANGE.to}' }`;
/** Eleven calls of each client; untyped results do not compile. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'openapi-typescript': `
import createClient from 'openapi-fetch';
import type { components, paths } from './paths.ts';
const { GET, POST, DELETE } = createClient<paths>({ baseUrl: process.env.URL!, headers: { authorization: 'Bearer ' + process.env.KEY } });
const query = ${QUERY};
const page = (await GET('/v1/history', { params: { query: { ...query, limit: 2 } } })).data!;
const [item] = page.items;
if (item?.t !== 'upsert') throw new Error('no result');
const data = item.data as components['schemas']['FootprintData'];
const key: components['schemas']['CreatedKey'] = (await POST('/v1/keys', { body: { name: 'x', environment: 'live', scopes: ['stream'] } })).data!;
const said: unknown[] = [
  data.levels[0]![0], key.id,
  (await GET('/v1/status')).data!.version, (await GET('/v1/indicators')).data!.indicators.length,
  (await GET('/v1/instruments')).data!.instruments.length, (await GET('/v1/usage')).data!.used.computeUnits,
  (await GET('/v1/keys')).data!.keys.length, (await GET('/v1/offers')).data!.plans.length,
  (await GET('/v1/history/estimate', { params: { query } })).data!.trades,
  (await DELETE('/v1/keys/{id}', { params: { path: { id: key.id } } })).data!.state,
  ((await GET('/v1/export', { params: { query }, parseAs: 'blob' })).data as Blob).size,
];
console.log(JSON.stringify(said));`,
  'hey-api': `
import { client } from './hey-api/client.gen.ts';
import type { CreatedKey, FootprintData } from './hey-api/types.gen.ts';
import * as api from './hey-api/sdk.gen.ts';
client.setConfig({ baseUrl: process.env.URL!, auth: process.env.KEY! });
const query = ${QUERY};
const page = (await api.getHistory({ query: { ...query, limit: 2 } })).data!;
const [item] = page.items;
if (item?.t !== 'upsert') throw new Error('no result');
const data = item.data as FootprintData;
const key: CreatedKey = (await api.createKey({ body: { name: 'x', environment: 'live', scopes: ['stream'] } })).data!;
const said: unknown[] = [
  data.levels[0]![0], key.id,
  (await api.getStatus()).data!.version, (await api.listIndicators()).data!.indicators.length,
  (await api.listInstruments()).data!.instruments.length, (await api.getUsage()).data!.used.computeUnits,
  (await api.listKeys()).data!.keys.length, (await api.listOffers()).data!.plans.length,
  (await api.estimateHistory({ query })).data!.trades,
  (await api.revokeKey({ path: { id: key.id } })).data!.state,
  ((await api.exportHistory({ query, parseAs: 'blob' })).data as Blob).size,
];
console.log(JSON.stringify(said));`,
  orval: `
import * as api from './orval/api.ts';
import type { CreatedKey, FootprintData, HistoryPage } from './orval/model/index.ts';
const query = ${QUERY};
const options = { headers: { authorization: 'Bearer ' + process.env.KEY } };
const page = (await api.getHistory({ ...query, limit: 2 }, options)).data as HistoryPage;
const [item] = page.items;
if (item?.t !== 'upsert') throw new Error('no result');
const data = item.data as FootprintData;
const key = (await api.createKey({ name: 'x', environment: 'live', scopes: ['stream'] }, options)).data as CreatedKey;
const said: unknown[] = [
  data.levels[0]![0], key.id,
  (await api.getStatus()).status, (await api.listIndicators()).status,
  (await api.listInstruments(undefined, options)).status, (await api.getUsage(options)).status,
  (await api.listKeys(options)).status, (await api.listOffers()).status,
  (await api.estimateHistory(query, options)).status,
  (await api.revokeKey(key.id, options)).status,
  ((await api.exportHistory(query, options)).data as Blob).size,
];
console.log(JSON.stringify(said));`,
};

describe('clients that others make of the contract', { skip }, () => {
  let directory = '';
  let service: RestService;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tapeloom-generated-'));
    symlinkSync(tools, join(directory, 'node_modules'));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    service = await RestService.start();
    fillMarket(service);
    const url = `http://127.0.0.1:${await service.listen()}`;
    env = { ...process.env, URL: url, KEY: await service.customer('live_history') };
    const orval = {
      input: { target: contract('openapi.json') },
      output: { target: 'orval/api.ts', schemas: 'orval/model', client: 'fetch', baseUrl: url },
    };
    writeFileSync(join(directory, 'orval.json'), JSON.stringify({ all: orval }));
    const tool = (name: string, ...words: readonly string[]) =>
      run(join(tools, '.bin', name), words, { cwd: directory });
    const openapi = contract('openapi.json');
    await tool('openapi-typescript', openapi, '-o', 'paths.ts');
    await tool('openapi-ts', '-i', openapi, '-o', 'hey-api', '-c', '@hey-api/client-fetch');
    await tool('orval', '--config', 'orval.json');
    for (const [name, text] of Object.entries(PROGRAMS)) {
      writeFileSync(join(directory, `${name}.ts`), text);
    }
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    rmSync(directory, { recursive: true, force: true });
  });

  it('compile strictly', async () => {
    const compilerOptions = {
      ...{ strict: true, noEmit: true, skipLibCheck: true, target: 'es2022', module: 'esnext' },
      ...{ moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'] },
      ...{ allowImportingTsExtensions: true, types: ['node'] },
      typeRoots: [join(root, 'node_modules/@types')],
    };
    const files = Object.keys(PROGRAMS).map((name) => `${name}.ts`);
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    const said = await run(join(tools, '.bin/tsc'), ['-p', directory]).catch((error) => error);
    assert.equal(said.stdout, '');
  });

  for (const name of Object.keys(PROGRAMS)) {
    it(`${name} makes eleven calls`, async () => {
      const input = join(directory, `${name}.ts`);
      await using made = await rolldown({ input, platform: 'node', tsconfig: false });
      const { output } = await made.generate({ format: 'esm' });
      const script = join(directory, `${name}.mjs`);
      writeFileSync(script, output[0].code);
      const { stdout } = await run(process.execPath, [script], { env });
      const said = JSON.parse(stdout) as readonly unknown[];
      assert.equal(said.length, 11);
      assert.ok(said.every((value) => typeof value === 'string' || Number(value) > 0));
    });
  }

  it('Modelina has a name and a type for everything on the stream', async () => {
    const program = `
      import { readFileSync } from 'node:fs';
      import modelina from '@asyncapi/modelina';
      const generator = new modelina.TypeScriptGenerator({ modelType: 'interface', enumType: 'union' });
      const models = await generator.generate(JSON.parse(readFileSync(process.argv[2], 'utf8')));
      console.log(models.map(({ result }) => result).join('\\n'));`;
    const script = join(directory, 'modelina.mjs');
    writeFileSync(script, program);
    const { stdout } = await run(process.execPath, [script, contract('asyncapi.json')]);
    assert.doesNotMatch(stdout, /Anonymous|= any/);
    assert.match(stdout, /^type ResetReason = "cursor_expired" \|/m);
    assert.match(stdout, /data: BarsData \| FootprintData \|/);
  });

  it('Spectral finds nothing by its own rules', async () => {
    // Generators cannot read the newest version yet. The contact is the operator's.
    const off = { 'asyncapi-latest-version': 'off', 'asyncapi-info-contact-properties': 'off' };
    const rules = { extends: ['spectral:oas', 'spectral:asyncapi'], rules: off };
    const ruleset = join(directory, 'spectral.json');
    writeFileSync(ruleset, JSON.stringify(rules));
    const words = ['lint', '-r', ruleset, '-f', 'json', '-q', '--fail-severity', 'hint'];
    const files = [contract('openapi.json'), contract('asyncapi.json')];
    const said = await run(join(tools, '.bin/spectral'), [...words, ...files]).catch((e) => e);
    assert.deepEqual(JSON.parse(said.stdout), []);
  });
});
