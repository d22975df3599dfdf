/**
 * Where documentation samples run: one service with a week of simulated days, the published client,
 * and per page a folder with `tapeloom`, `npx` and `npm run` on its path. In a sample, the
 * service's address and shortened keys become the real ones, and dates move to days that the
 * service has.
 */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { rolldown } from 'rolldown';
import { buildClientPackage } from '../../tools/build/client-package.ts';
import { launchChromium } from '../headless-chromium.ts';
import { olderNodes, olderNodesMissing } from '../older-nodes.ts';
import { killServices, RunningService, WAIT_LIMIT_MS, within } from '../running-service.ts';
import { COMMAND } from '../tapeloom-program.ts';
import { type Fence, root } from './fences.ts';
import { pythonFor } from './python.ts';

/** As many days as the samples look back. */
const DAYS = 7;
const DAY_MS = 86_400_000;
const SPEED = 60;
/** By then a stream has printed its status and snapshot; the next trade may take any time. */
const LINES_ENOUGH = 2;
/** What samples may import besides the client; a reader installs these. */
const PACKAGES = [
  'lightweight-charts',
  'fzstd',
  'ws',
  '@duckdb/node-api',
  '@types/node',
  '@types/ws',
];
const ADDRESSES = /(http|ws)(?:s:\/\/api\.example\.com|:\/\/(?:127\.0\.0\.1|localhost):8080)/g;
const oldestNode = olderNodesMissing === false ? olderNodes.get(22)! : process.execPath;

/** The output of a sample that failed. */
class SampleFailedError extends Error {}

export class SampleStage implements AsyncDisposable {
  readonly directory: string;
  readonly #service: RunningService;
  readonly #bin: string;
  /** By page, the days by which its dates move. */
  readonly #days = new Map<string, number>();

  private constructor(directory: string, service: RunningService) {
    this.directory = directory;
    this.#service = service;
    this.#bin = join(directory, 'bin');
  }

  static async start(): Promise<SampleStage> {
    const directory = realpathSync(mkdtempSync(join(tmpdir(), 'tapeloom-samples-')));
    const service = new RunningService({
      data: join(directory, 'data'),
      // Else samples that wait for a bar to end would take a minute.
      args: ['--speed', String(SPEED)],
      env: { TAPELOOM_SIM_DAYS: String(DAYS) },
    });
    const stage = new SampleStage(directory, service);
    buildClientPackage(join(directory, 'node_modules/@tapeloom/client'));
    writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
    for (const name of PACKAGES) {
      mkdirSync(dirname(join(directory, 'node_modules', name)), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), join(directory, 'node_modules', name));
    }
    stage.#writePrograms();
    await service.ready();
    await within(WAIT_LIMIT_MS, 'the past', stage.#past());
    return stage;
  }

  /** Waits for the past days. A live stream shows that the newest visible time is known. */
  async #past(): Promise<void> {
    const made = /making past days: (\d+) of \1\b/;
    while (!made.test(this.#service.output)) await pause(50);
    const subscriber = await this.#service.open();
    await subscriber.send({ t: 'subscribe', sub: 'a', instrument: 'BTC.c.0', indicator: 'bars' });
    await subscriber.first(({ t, state }) => t === 'status' && state === 'live');
    await subscriber.close();
  }

  #writePrograms(): void {
    mkdirSync(this.#bin);
    const client = join(this.directory, 'node_modules/@tapeloom/client/bin');
    const tapeloom = [process.execPath, ...COMMAND].map((word) => `'${word}'`).join(' ');
    const programs = {
      tapeloom: `exec ${tapeloom} "$@"`,
      'tapeloom-types': `exec '${process.execPath}' '${client}/tapeloom-types.js' "$@"`,
      // An error response of the service is a fault of the sample.
      curl: [
        'PATH=$(echo "$PATH" | cut -d: -f2-)',
        'case " $* " in *" -f "*|*" -sSf "*|*" -fsS "*|*" -sf "*|*" --fail"*) exec curl -sS "$@";; esac',
        'exec curl --fail-with-body -sS "$@"',
      ].join('\n'),
      npx: 'case "$1" in -y|--yes) shift;; esac; exec "$@"',
      npm: [
        '[ "$1" = run ] && shift; [ "$1" = -s ] && shift; name=$1; shift; [ "$1" = -- ] && shift',
        'case $name in tapeloom) exec tapeloom "$@";; stream) exec tapeloom stream "$@";; esac',
        'echo "no sample runs npm $name" >&2; exit 1',
      ].join('\n'),
    };
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(this.#bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
  }

  /** The folder of a page. */
  folderOf(page: string): string {
    const folder = join(this.directory, page.replace(/\W+/g, '-'));
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  /** Creates the folder of a page, with the files that its samples expect. */
  openPage(fences: readonly Fence[]): void {
    const { page } = fences[0]!;
    writeFileSync(join(this.folderOf(page), 'key.txt'), `${this.#service.keys.live}\n`);
    this.#days.set(page, daysToMove(fences.map(({ text }) => text).join('\n')));
    // Programs may use files that stand further down.
    for (const fence of fences) if (fence.marks.has('file')) this.fileOf(fence);
  }

  /** Writes the sample to its file, as it runs; returns the path. */
  fileOf({ page, place, language, marks, text }: Fence): string {
    const line = place.slice(place.lastIndexOf(':') + 1);
    const name = marks.get('file') ?? `sample-${line}.${language}`;
    const path = join(this.folderOf(page), name);
    writeFileSync(path, this.#real(page, text));
    return path;
  }

  #real(page: string, text: string): string {
    const { host } = new URL(this.#service.address('REST'));
    const days = this.#days.get(page) ?? 0;
    return text
      .replace(ADDRESSES, (_, scheme: string) => `${scheme}://${host}`)
      .replace(/svc_(live|test)_…/g, (_, kind: 'live' | 'test') => this.#service.keys[kind])
      .replace(/\b20\d\d-\d\d-\d\d(?!\d)/g, (date) => dayText(Date.parse(date) + days * DAY_MS));
  }

  /** Runs a sample to its end, or until it has printed enough lines; returns its output. */
  async run(fence: Fence): Promise<readonly string[]> {
    const { language, marks } = fence;
    const file = this.fileOf(fence);
    const [command, isProgram] =
      language === 'sh'
        ? [['bash', '-eu', '-o', 'pipefail', file], false]
        : language === 'python'
          ? [[pythonFor(fence.text) ?? 'python3', file], false]
          : [[oldestNode, await this.#script(file)], true];
    // A server prints only its address.
    const usual = isProgram ? (fence.text.includes('.listen(') ? 1 : LINES_ENOUGH) : null;
    const wanted = marks.get('lines');
    return this.#lines(
      fence,
      command,
      wanted === undefined ? usual : Number(wanted),
      wanted !== undefined,
    );
  }

  async #lines(
    { page, place, text }: Fence,
    [program, ...words]: readonly string[],
    enough: number | null,
    isNeeded: boolean,
  ): Promise<readonly string[]> {
    const cwd = this.folderOf(page);
    if (text.includes('/v1/keys')) await this.#revokeSampleKeys();
    const env = {
      ...process.env,
      PATH: `${this.#bin}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: cwd,
      XDG_CONFIG_HOME: join(cwd, '.config'),
      TAPELOOM_DATA: /^ {2}data +(.*)$/m.exec(this.#service.output)?.[1],
      TAPELOOM_URL: new URL(this.#service.address('REST')).origin,
      TAPELOOM_KEY: this.#service.keys.live,
      // The id of a key that a sample may rotate or revoke.
      ...(text.includes('KEY_ID') && { KEY_ID: await this.#newKey() }),
    };
    // In its own process group, so that its children end with it.
    const child = spawn(program!, words, { cwd, env, detached: true });
    const end = () => endGroup(child.pid!);
    const late = setTimeout(end, WAIT_LIMIT_MS);
    const lines: string[] = [];
    let errors = '';
    child.stdin.end();
    child.stderr.setEncoding('utf8').on('data', (it: string) => {
      errors += it;
    });
    createInterface(child.stdout).on('line', (line) => {
      if (lines.push(line) === enough) end();
    });
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(late);
    // Commands print progress to stderr; our programs must print nothing there.
    const isNoisy = program === oldestNode && errors !== '';
    const isEnough = enough !== null && lines.length >= enough;
    if ((code !== 0 && !isEnough) || (isNeeded && !isEnough) || isNoisy) {
      const said = `${lines.slice(-5).join('\n')}\n${errors}`.trim();
      throw new SampleFailedError(
        `${place} ends with ${code} after ${lines.length} lines:\n${said}`,
      );
    }
    return lines;
  }

  async #script(file: string): Promise<string> {
    const script = `${file.replace(/\.\w+$/, '')}.run.mjs`;
    writeFileSync(script, await bundle(file, 'node'));
    return script;
  }

  /** The compiler's errors for these samples, with every check on, by their location. */
  async compile(fences: readonly Fence[]): Promise<string> {
    const files = new Map(fences.map((fence) => [this.fileOf(fence), fence.place]));
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
    const config = join(this.directory, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions, files: [...files.keys()] }));
    const tsc = join(root, 'node_modules/typescript/lib/tsc.js');
    const said = await new Promise<string>((resolve) => {
      execFile(process.execPath, [tsc, '-p', config], (_, stdout) => resolve(stdout));
    });
    return [...files].reduce(
      (text, [file, place]) => text.replaceAll(file.slice(this.directory.length + 1), place),
      said,
    );
  }

  /** Runs the samples in pages, with a back end that issues stream tokens. */
  async runInBrowser(fences: readonly Fence[]): Promise<void> {
    await using browser = await launchChromium();
    for (const fence of fences) {
      const code = await bundle(this.fileOf(fence), 'browser');
      const backend = createServer(async (request, response) => {
        const isToken = request.url === '/stream-token';
        response.setHeader('content-type', isToken ? 'text/plain' : 'text/html');
        response.end(isToken ? await this.#streamToken() : '<!doctype html><title>sample</title>');
      });
      backend.listen(0, '127.0.0.1');
      await once(backend, 'listening');
      const page = await browser.newPage();
      const said: string[] = [];
      const enough = new Promise<void>((resolve, reject) => {
        page.on('pageerror', (error) => reject(new SampleFailedError(`${fence.place}: ${error}`)));
        page.on('console', (message) => {
          if (said.push(message.text()) === LINES_ENOUGH) resolve();
        });
      });
      await page.goto(`http://127.0.0.1:${(backend.address() as AddressInfo).port}/`);
      await page.addScriptTag({ content: code, type: 'module' });
      await within(WAIT_LIMIT_MS, fence.place, enough);
      await page.close();
      backend.close();
    }
  }

  /** Revokes keys of earlier reference samples, because an account may have only a few. */
  async #revokeSampleKeys(): Promise<void> {
    const listed = await this.#service.send('GET', '/v1/keys');
    const { keys } = (await listed.json()) as {
      readonly keys: readonly { readonly id: string; readonly name: string }[];
    };
    for (const { id, name } of keys) {
      if (SAMPLE_KEYS.includes(name)) await this.#service.send('DELETE', `/v1/keys/${id}`);
    }
  }

  async #newKey(): Promise<string> {
    const body = { name: 'a sample', environment: 'live', scopes: ['stream'] };
    const answer = await this.#service.send('POST', '/v1/keys', { body });
    if (!answer.ok) throw new Error(`a key could not be made: ${await answer.text()}`);
    return ((await answer.json()) as { readonly id: string }).id;
  }

  async #streamToken(): Promise<string> {
    const answer = await this.#service.send('POST', '/v1/stream-tokens');
    return ((await answer.json()) as { readonly token: string }).token;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    killServices();
    rmSync(this.directory, { recursive: true, force: true });
  }
}

/** The names of the reference's keys, and of the keys made for `KEY_ID`. */
const SAMPLE_KEYS = ['trading desk', 'a sample'];

/** Moves the newest named day to today, or to yesterday if the sample names times of it. */
function daysToMove(text: string): number {
  const dates = [...text.matchAll(/\b(20\d\d-\d\d-\d\d)(T?)/g)];
  const ends = dates.map(([, date, time]) => Date.parse(date!) + (time === '' ? 0 : DAY_MS));
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  return ends.length === 0 ? 0 : Math.round((today - Math.max(...ends)) / DAY_MS);
}

function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Bundles a sample with all code of ours that it needs, for a supported platform. */
async function bundle(input: string, platform: 'browser' | 'node'): Promise<string> {
  const transform = { target: 'es2022' };
  const external = platform === 'node' ? PACKAGES : [];
  await using made = await rolldown({ input, platform, transform, external, tsconfig: false });
  const { output } = await made.generate({ format: 'esm' });
  return output[0].code;
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // The group has already ended.
  }
}
