/**
 * Every sample in the client's README and reference is a program: it compiles, strictly, against the package as
 * it is published, and runs against a real service. Samples begin with an import; those that follow a
 * stream are ended after a few lines. They run on Node 22 where it is at hand, those marked `ts browser` in a page.
 */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { CLIENT_ERROR_CODES } from '@tapeloom/client';
import { CLOSE_MEANINGS } from '@tapeloom/protocol/close-codes';
import { rolldown } from 'rolldown';
import { buildClientPackage } from '../tools/build/client-package.ts';
import { chromiumMissing, launchChromium } from './headless-chromium.ts';
import { olderNodes, olderNodesMissing } from './older-nodes.ts';
import { killServices, RunningService, within } from './running-service.ts';

/** A stream has told its status and its snapshot by then; when the next trade comes is the market's affair. */
const LINES_ENOUGH = 2;
const SAMPLE_MS_MAX = 60_000;
const oldestNode = olderNodesMissing === false ? olderNodes.get(22)! : process.execPath;
/** The address that stands for the service's in the samples. */
const EXAMPLE_URL = 'https://api.example.com';

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-samples-'));

interface Sample {
  /** Where it stands. */
  readonly place: string;
  readonly file: string;
  readonly isForBrowser: boolean;
  readonly text: string;
}

const pages = ['packages/client/README.md', ...globSync('docs/client/*.md', { cwd: root }).sort()];
const samples: readonly Sample[] = pages.flatMap((page) => {
  const text = readFileSync(join(root, page), 'utf8');
  return [...text.matchAll(/^```ts( browser)?\n(import [\s\S]*?)^```$/gm)].map((match, index) => ({
    place: `${page}:${text.slice(0, match.index).split('\n').length}`,
    file: join(directory, `${page.replace(/\W+/g, '-')}-${index}.ts`),
    isForBrowser: match[1] !== undefined,
    text: match[2]!,
  }));
});

describe('the samples of the client', () => {
  let service: RunningService;

  before(async () => {
    service = new RunningService({
      data: join(directory, 'data'),
      env: { TAPELOOM_SIM_DAYS: '2' },
    });
    buildClientPackage(join(directory, 'node_modules/@tapeloom/client'));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    await service.ready();
    const url = new URL(service.address('REST')).origin;
    for (const { file, text } of samples) writeFileSync(file, text.replaceAll(EXAMPLE_URL, url));
    const types = await commandOutput('bin/tapeloom-types.js', '--url', url);
    writeFileSync(join(directory, 'indicators.ts'), types);
    // The newest time that can be seen is known once a stream is live.
    const subscriber = await service.open();
    await subscriber.send({ t: 'subscribe', sub: 'a', instrument: 'BTC.c.0', indicator: 'bars' });
    await subscriber.first(({ t, state }) => t === 'status' && state === 'live');
    await subscriber.close();
  });
  after(() => {
    killServices();
    rmSync(directory, { recursive: true, force: true });
  });

  it('are there', () => {
    const readme = samples.filter(({ place }) => place.startsWith('packages/client/README.md'));
    assert.ok(readme.length >= 8, `${readme.length} samples in the README`);
  });

  it('stand beside every close code, and every code of the client itself', () => {
    const readme = readFileSync(join(root, 'packages/client/README.md'), 'utf8');
    const told = (heading: string) => readme.split(`\n## ${heading}\n`)[1]!.split('\n## ')[0]!;
    const codes = new Set(CLOSE_MEANINGS.map(({ code }) => String(code)));
    for (const code of codes)
      assert.match(told('When the connection ends'), RegExp(`\\b${code}\\b`));
    for (const code of CLIENT_ERROR_CODES) assert.ok(told('Errors').includes(`\`${code}\``), code);
  });

  it('compile, with every check on', async () => {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      target: 'esnext',
      module: 'nodenext',
      lib: ['esnext', 'dom'],
      typeRoots: [join(root, 'node_modules/@types')],
      types: ['node'],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    };
    const files = samples.map(({ file }) => file);
    const config = join(directory, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, files }));
    const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [tsc, '-p', config], (_, stdout) => resolve(stdout));
    });
    const placed = samples.reduce(
      (text, { file, place }) => text.replaceAll(file.slice(directory.length + 1), place),
      said,
    );
    assert.equal(placed, '');
  });

  for (const sample of samples.filter(({ isForBrowser }) => !isForBrowser)) {
    it(`run: ${sample.place}`, async () => {
      const lines = await linesOf(sample, service.keys.live);
      assert.ok(lines.length > 0, 'it says nothing');
    });
  }

  it('run in a browser [CLIENT-04]', { skip: chromiumMissing }, async () => {
    await using browser = await launchChromium();
    for (const sample of samples.filter(({ isForBrowser }) => isForBrowser)) {
      const code = await bundle(sample.file, 'browser');
      const backend = createServer(async (request, response) => {
        const isToken = request.url === '/stream-token';
        response.setHeader('content-type', isToken ? 'text/plain' : 'text/html');
        response.end(isToken ? await streamToken(service) : '<!doctype html><title>sample</title>');
      });
      backend.listen(0, '127.0.0.1');
      await once(backend, 'listening');
      const page = await browser.newPage();
      const said: string[] = [];
      const enough = new Promise<void>((resolve, reject) => {
        page.on('pageerror', (error) => reject(new Error(`${sample.place}: ${error}`)));
        page.on('console', (message) => {
          if (said.push(message.text()) === LINES_ENOUGH) resolve();
        });
      });
      await page.goto(`http://127.0.0.1:${(backend.address() as AddressInfo).port}/`);
      await page.addScriptTag({ content: code, type: 'module' });
      await within(SAMPLE_MS_MAX, sample.place, enough);
      await page.close();
      backend.close();
    }
  });
});

/** What a command of the package prints. */
async function commandOutput(name: string, ...words: readonly string[]): Promise<string> {
  const path = join(directory, 'node_modules/@tapeloom/client', name);
  const { stdout } = await promisify(execFile)(process.execPath, [path, ...words]);
  return stdout;
}

/** What it prints, to its end or to as many lines as are enough. */
async function linesOf({ file, place, text }: Sample, key: string): Promise<readonly string[]> {
  const own = join(directory, `run-${place.replace(/\W+/g, '-')}`);
  mkdirSync(own);
  const env = { ...process.env, TAPELOOM_KEY: key };
  const script = `${file.slice(0, -3)}.js`;
  writeFileSync(script, await bundle(file, 'node'));
  const child = spawn(oldestNode, [script], { cwd: own, env, timeout: SAMPLE_MS_MAX });
  // A server says where it listens, and no more.
  const enough = text.includes('.listen(') ? 1 : LINES_ENOUGH;
  const lines: string[] = [];
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (it: string) => {
    errors += it;
  });
  createInterface(child.stdout).on('line', (line) => {
    if (lines.push(line) === enough) child.kill();
  });
  const [code] = (await once(child, 'close')) as [number | null];
  assert.equal(errors, '', place);
  assert.ok(code === 0 || lines.length >= enough, `${place} ends with ${code}`);
  return lines;
}

async function streamToken(service: RunningService): Promise<string> {
  const answer = await service.send('POST', '/v1/stream-tokens');
  return ((await answer.json()) as { readonly token: string }).token;
}

/** As JavaScript with all it needs, for what customers may have. */
async function bundle(input: string, platform: 'browser' | 'node'): Promise<string> {
  const transform = { target: 'es2022' };
  await using made = await rolldown({ input, platform, transform, tsconfig: false });
  const { output } = await made.generate({ format: 'esm' });
  return output[0].code;
}
