/**
 * The package `@tapeloom/charts` as customers get it: built, packed, installed beside the packed client, and on a page
 * under a strict policy, with the sample of `docs/component.md`. The page in `examples/charts-page/README.md` runs too.
 */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, it, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { type OutputChunk, rolldown } from 'rolldown';
import { buildChartsPackage } from '../tools/build/charts-package.ts';
import { writeClientDownload } from '../tools/build/client-download.ts';
import { npm } from '../tools/build/npm.ts';
import { writePackedFile } from '../tools/build/packed-file.ts';
import { fencesIn } from './docs-samples/fences.ts';
import { chromiumMissing, launchChromium } from './headless-chromium.ts';
import { killServices, NO_PAST, RunningService, WAIT_LIMIT_MS, within } from './running-service.ts';

/** What a page with a chart loads at first, without the client. */
const SCRIPT_BYTES_MAX = 60_000;
const PAGE_PASSWORD = 'only for this test';

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'tapeloom-charts-'));
const project = join(directory, 'project');
const installed = join(project, 'node_modules/@tapeloom/charts');
const packed = join(directory, 'tapeloom-charts.tgz');

before(() => {
  const built = join(directory, 'built');
  buildChartsPackage(built);
  writePackedFile(built, packed);
  const client = join(directory, 'tapeloom-client.tgz');
  writeClientDownload(client);
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  const words = ['--offline', '--ignore-scripts', '--no-fund', '--no-audit'];
  npm(project, 'install', ...words, client, packed);
});
after(() => {
  killServices();
  rmSync(directory, { recursive: true, force: true });
});

test('modules, their maps and types, and one style sheet are published; only the client comes with them', () => {
  const files = globSync('**/*', { cwd: installed, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(installed.length + 1));
  const others = files.filter((name) => !/^lib\/[\w/-]+\.(?:js|js\.map|d\.ts)$/.test(name));
  assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json', 'style.css']);
  for (const name of files) assert.doesNotMatch(name, /\.test\.|testing/);
  assert.deepEqual(readdirSync(join(project, 'node_modules/@tapeloom')).sort(), [
    'charts',
    'client',
  ]);
  const styles = readFileSync(join(installed, 'style.css'), 'utf8');
  assert.doesNotMatch(styles, /@import/);
  for (const name of ['--chart-bg', '.tl-stage', '.tlc-legend']) assert.ok(styles.includes(name));
  for (const path of files.filter((name) => /\.(?:js|d\.ts)$/.test(name))) {
    const text = readFileSync(join(installed, path), 'utf8');
    for (const [, name] of text.matchAll(/from '(@tapeloom\/[^']+)'/g)) {
      assert.match(name!, /^@tapeloom\/client(?:\/stream)?$/, path);
    }
  }
});

test('publint and are-the-types-wrong find nothing', async () => {
  const tarball = readFileSync(packed);
  const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(tarball).buffer } });
  assert.deepEqual(
    messages.map((message) => formatMessage(message, pkg)),
    [],
  );
  const result = await checkPackage(createPackageFromTarballData(tarball));
  assert.ok(result.types !== false && 'problems' in result);
  // The package is for bundlers and browsers; a style sheet has no types.
  const problems = result.problems.filter(
    (problem) =>
      !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)) &&
      !('entrypoint' in problem && problem.entrypoint === './style.css'),
  );
  assert.deepEqual(problems, []);
});

test('its types are strict, and need none of Node', () => {
  const said = typeFaults(`
    import { createChart } from '@tapeloom/charts';
    import { TapeloomClient } from '@tapeloom/client';
    const client = new TapeloomClient({ token: () => 'one' });
    const chart = createChart(document.body, { client, instrument: 'ES.c.0', layers: ['vwap'] });
    chart.update({ look: 'deltas' });
    chart.on('crosshair', (at) => console.log(at?.bar?.close, at?.tick));
    const look: string = JSON.stringify(chart.layout());
    createChart(document.body, { ...JSON.parse(look), client });
  `);
  assert.match(said, /^\S+\(6,\d+\): error \S+ Type '"deltas"' is not assignable/m);
  assert.match(said, /^\S+\(7,\d+\): error \S+ Property 'tick' does not exist/m);
  assert.equal(said.match(/: error /g)?.length, 2, said);
});

test('a page with a chart loads little at first, and the rest when it is used', async (t) => {
  const text = `
    import { createChart } from '@tapeloom/charts';
    createChart(document.querySelector('#chart'), { instrument: 'BTC.c.0', url: '/', token: () => '' });
  `;
  const chunks = await chunksOf('size.js', text, /^@tapeloom\/client/);
  const first = new Set<string>();
  const visit = (name: string) => {
    const chunk = chunks.find(({ fileName }) => fileName === name);
    if (chunk === undefined || first.has(name)) return;
    first.add(name);
    chunk.imports.forEach(visit);
  };
  visit(chunks.find(({ isEntry }) => isEntry)!.fileName);
  const bytesOf = (parts: typeof chunks) =>
    parts.reduce((sum, { code }) => sum + gzipSync(code).length, 0);
  const bytes = bytesOf(chunks.filter(({ fileName }) => first.has(fileName)));
  t.diagnostic(`${bytes} bytes at first, ${bytesOf(chunks)} in all`);
  assert.ok(bytes <= SCRIPT_BYTES_MAX, `${bytes} bytes`);
  assert.ok(chunks.length > first.size);
});

describe('on a page', { skip: chromiumMissing }, () => {
  let service: RunningService;
  let browser: Browser;
  const servers: Server[] = [];
  const children: ChildProcess[] = [];

  before(async () => {
    service = new RunningService({
      data: join(directory, 'data'),
      args: ['--speed', '60'],
      env: NO_PAST,
    });
    [browser] = await Promise.all([launchChromium(), service.ready()]);
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const server of servers) server.close();
    await browser?.close();
  });

  interface OpenPage {
    readonly page: Page;
    /** Errors of scripts and of the policy. */
    readonly faults: readonly string[];
  }

  async function open(address: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
    const size = { width: 1200, height: 720 };
    const page = await browser.newPage({ viewport: size, reducedMotion: 'reduce', ...options });
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (line) => {
      if (line.type() === 'error') faults.push(line.text());
    });
    await page.goto(address);
    return { page, faults };
  }

  /** Serves a page with that script and the packed styles, tokens, and the policy of the docs. */
  async function pageWith(script: string): Promise<string> {
    const rest = new URL(service.address('REST'));
    const files = new Map<string, readonly [type: string, content: string]>([
      ...[...(await bundleOf('page.js', script))].map(
        ([name, code]) => [`/${name}`, ['text/javascript', code]] as const,
      ),
      ['/style.css', ['text/css', readFileSync(join(installed, 'style.css'), 'utf8')]] as const,
      ['/page.css', ['text/css', '#chart { height: 640px; }']] as const,
      ['/', ['text/html', PAGE]] as const,
    ]);
    const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self' ws://${rest.host}`;
    const server = createServer(async (request, response) => {
      if (request.url === '/stream-token') {
        const answer = await service.send('POST', '/v1/stream-tokens');
        response.end(((await answer.json()) as { token: string }).token);
        return;
      }
      const [type, content] = files.get(request.url!) ?? ['', null];
      if (content === null) response.writeHead(404).end();
      else {
        response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
        response.end(content);
      }
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('the sample of the docs draws bars with a token alone, under a strict policy', async () => {
    const docs = readFileSync(join(root, 'docs/component.md'), 'utf8');
    const sample = fencesIn('docs/component.md', docs).find(({ text }) =>
      text.includes('createChart'),
    )!;
    const { origin } = new URL(service.address('REST'));
    const script = sample.text.replace('https://api.example.com', origin);
    const { page, faults } = await open(await pageWith(script));
    await drawn(page);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Home');
    await page
      .getByText('The chart begins here.')
      .waitFor({ state: 'attached', timeout: WAIT_LIMIT_MS });
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('a page reads, changes, keeps and ends its chart', async () => {
    const script = `
      import { createChart } from '@tapeloom/charts';
      const token = async () => (await fetch('/stream-token')).text();
      const url = '${new URL(service.address('REST')).origin}';
      const element = document.querySelector('#chart');
      const events = [];
      const chart = createChart(element, { instrument: 'BTC.c.0', url, token, theme: 'dark' });
      for (const kind of ['crosshair', 'layout', 'range', 'status']) chart.on(kind, (it) => events.push([kind, it]));
      Object.assign(globalThis, { chart, events, createChart, element, options: { url, token } });
    `;
    const { page, faults } = await open(await pageWith(script));
    await drawn(page);
    await page.mouse.move(700, 300);
    await page.waitForFunction(`events.some(([kind, it]) => kind === 'crosshair' && it?.bar)`);
    const box = (await page.locator('.tl-stage').boundingBox())!;
    await page.locator('.tl-stage').focus();
    await page.keyboard.press('h');
    await page.mouse.click(box.x + 300, box.y + 100);
    const kept = await page.evaluate(`JSON.stringify(chart.layout())`);
    assert.match(String(kept), /"kind":"line"/);
    await page.evaluate(`chart.update({ look: 'candles', bar: { size: 60 }, panes: [] })`);
    await page.waitForFunction(`chart.layout().look === 'candles'`);
    await page.evaluate(`chart.ready`);
    assert.match(
      String(await page.evaluate(`chart.svg('light')`)),
      /^<svg [\s\S]*BTC\.c\.0[\s\S]*<\/svg>/,
    );
    const png = await page.evaluate(
      `chart.png().then((blob) => blob.arrayBuffer()).then((bytes) => [...new Uint8Array(bytes, 1, 3)])`,
    );
    assert.equal(String.fromCharCode(...(png as number[])), 'PNG');
    await page.keyboard.press('v');
    await page.locator('dialog table').waitFor({ timeout: WAIT_LIMIT_MS });
    await page.keyboard.press('Escape');
    await page.evaluate(`chart.destroy()`);
    assert.equal(await page.locator('#chart > *').count(), 0);
    await page.evaluate(`globalThis.chart = createChart(element, { ...${kept}, ...options })`);
    await drawn(page);
    const lines = await page.evaluate(`chart.layout().drawings.length`);
    assert.equal(lines, 1);
    assert.deepEqual(faults, []);
    await page.close();
  });

  it('the first key and click need not wait for their part, and a part that does not come is told', async () => {
    const script = `
      import { createChart } from '@tapeloom/charts';
      const token = async () => (await fetch('/stream-token')).text();
      const url = '${new URL(service.address('REST')).origin}';
      globalThis.chart = createChart(document.querySelector('#chart'), { instrument: 'BTC.c.0', url, token });
    `;
    const { page, faults } = await open(await pageWith(script));
    await drawn(page);
    const held = Promise.withResolvers<void>();
    const part = '**/hand-part-*.js';
    await page.route(part, async (route) => {
      await held.promise;
      await route.continue();
    });
    const box = (await page.locator('.tl-stage').boundingBox())!;
    await page.locator('.tl-stage').focus();
    await page.keyboard.press('h');
    await page.mouse.click(box.x + 300, box.y + 100);
    await page.keyboard.press('g');
    assert.equal(await page.evaluate(`chart.layout().drawings.length`), 1);
    assert.equal(await page.evaluate(`chart.layout().group`), 'auto');
    held.resolve();
    await within(
      WAIT_LIMIT_MS,
      'the key that waited',
      (async () => {
        while ((await page.evaluate(`chart.layout().group`)) !== 1) await page.waitForTimeout(20);
      })(),
    );
    assert.deepEqual(faults, []);
    await page.unroute(part);
    await page.reload();
    await drawn(page);
    await page.route(part, (route) => route.abort());
    await page.locator('.tl-stage').focus();
    const told = page.getByRole('alert');
    await told.waitFor({ timeout: WAIT_LIMIT_MS });
    assert.match((await told.textContent())!, /could not be loaded\. *Try again/);
    await page.close();
  });

  it('the example loads history through its back end, which keeps the key', async () => {
    const child = spawn(process.execPath, [join(root, 'examples/charts-page/backend.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SERVICE_URL: new URL(service.address('REST')).origin,
        TAPELOOM_KEY: service.keys.live,
        ...{ PORT: '0', PAGE_PASSWORD },
      },
    });
    children.push(child);
    const [address] = await within(
      WAIT_LIMIT_MS,
      'the back end',
      once(createInterface(child.stdout!), 'line'),
    );
    assert.equal((await fetch(address)).status, 401);
    const httpCredentials = { username: 'visitor', password: PAGE_PASSWORD };
    const { page, faults } = await open(address, { httpCredentials });
    await drawn(page);
    const bars = async () => {
      await page.locator('.tl-stage').focus();
      await page.keyboard.press('v');
      await page.locator('dialog tbody tr').first().waitFor({ timeout: WAIT_LIMIT_MS });
      const count = await page.locator('dialog tbody tr').count();
      await page.keyboard.press('Escape');
      return count;
    };
    const before = await bars();
    const loaded = page.waitForResponse(
      (answer) => answer.url().includes('/tapeloom/v1/history?') && answer.ok(),
      { timeout: WAIT_LIMIT_MS },
    );
    await page.keyboard.press('Home');
    await page.keyboard.press('Alt+ArrowLeft');
    await loaded;
    // A table ends at 500 bars; the session alone has fewer. Bars of the stream come one at a time.
    await within(
      WAIT_LIMIT_MS,
      'older bars',
      (async () => {
        while ((await bars()) < before + 10) await page.waitForTimeout(200);
      })(),
    );
    assert.deepEqual(faults, []);
    assert.equal((await page.content()).includes(service.keys.live), false);
    for (const path of ['/tapeloom/v1/keys', '/tapeloom/v1/export', '/tapeloom/v1/../v1/keys']) {
      const answer = await page.evaluate(`fetch('${path}').then(({ status }) => status)`);
      assert.equal(answer, 404, path);
    }
    await page.close();
  });
});

const PAGE = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Chart</title>
<link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="/page.css">
<script type="module" src="/page.js"></script></head><body><main><div id="chart"></div></main></body></html>`;

/** Waits until the chart has its label, which names the last price, and has painted bars in both dyes. */
async function drawn(page: Page): Promise<void> {
  await page
    .locator('.tl-stage[aria-label*="Last price"]')
    .waitFor({ timeout: WAIT_LIMIT_MS, state: 'visible' });
  const colours = await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => {
    const canvas = document.querySelector('.tl-base');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const seen = new Set();
    for (let at = 0; at < data.length; at += 4) seen.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
    resolve(seen.size);
  }))`);
  assert.ok(Number(colours) > 20, `${colours} colours`);
}

async function bundleOf(name: string, text: string): Promise<ReadonlyMap<string, string>> {
  const chunks = await chunksOf(name, text);
  return new Map(chunks.map(({ fileName, code }) => [fileName, code]));
}

/** The first is the page's own. */
async function chunksOf(
  name: string,
  text: string,
  external?: RegExp,
): Promise<readonly OutputChunk[]> {
  const input = join(project, name);
  writeFileSync(input, text);
  await using bundle = await rolldown({
    input,
    platform: 'browser',
    tsconfig: false,
    ...(external === undefined ? {} : { external }),
  });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  return output.filter((part) => part.type === 'chunk');
}

function typeFaults(text: string): string {
  writeFileSync(join(project, 'program.ts'), text);
  const compilerOptions = {
    ...{ strict: true, noEmit: true, target: 'es2022', module: 'nodenext', types: [] },
    ...{ exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false },
    lib: ['es2022', 'dom', 'dom.iterable', 'esnext.disposable'],
  };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  );
  const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
  return spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' }).stdout;
}
