/**
 * Where a guide about a venue is followed: its commands run in the order of the page in a folder of its own, against a
 * local server. `tapeloom serve` runs until the next one. A block of text says what the block before it prints.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { RunningService, WAIT_LIMIT_MS } from '../running-service.ts';
import { COMMAND } from '../tapeloom-program.ts';
import { type Fence, fencesIn, root } from './fences.ts';

const SERVE = /^(?:TAPELOOM_DATA=(\S+) )?tapeloom serve\b(.*)$/m;
/** A sample that only looks may be repeated until it shows what the page says. */
const CHANGES = /doctor|instruments|kill|>/;
const TRIES = 40;
const TRY_AGAIN_MS = 500;

export interface GuideOptions {
  /** `docs/operating/okx-live.md` */
  readonly page: string;
  /** The options that name the local server, behind every `--feed` and `feed doctor`. */
  readonly addresses: readonly string[];
  /** What the page shortens or what is old by now, and what stands for it. */
  readonly replaced?: readonly (readonly [shown: string, real: string])[];
  /** Cuts the connections to the venue. */
  readonly cut: () => void;
}

export class GuideStage implements AsyncDisposable {
  readonly directory: string;
  readonly #options: GuideOptions;
  readonly #fences: readonly Fence[];
  readonly #lines: readonly string[];
  #service: RunningService | null = null;

  constructor(options: GuideOptions) {
    this.#options = options;
    const text = readFileSync(join(root, options.page), 'utf8');
    this.#lines = text.split('\n');
    this.#fences = fencesIn(options.page, text);
    this.directory = realpathSync(mkdtempSync(join(tmpdir(), 'tapeloom-guide-')));
    this.#writePrograms();
  }

  /** The blocks of the page, each with what it printed. */
  async follow(): Promise<ReadonlyMap<Fence, string>> {
    const printed = new Map<Fence, string>();
    let cuts = 0;
    for (const [index, fence] of this.#fences.entries()) {
      if (fence.language !== 'sh') continue;
      if (cuts === 0 && this.#headingOf(fence).endsWith('When it is cut')) {
        await this.#cut();
        cuts += 1;
      }
      const next = this.#fences[index + 1];
      const said = next?.language === 'text' ? this.#real(next.text) : null;
      printed.set(fence, await this.#perform(fence, said));
    }
    return printed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stop();
  }

  /** Resolves when the feed has noticed. */
  async #cut(): Promise<void> {
    const before = await this.#reconnects();
    for (let attempt = 1; (await this.#reconnects()) === before; attempt += 1) {
      assert.ok(attempt < TRIES, 'the feed does not notice that it is cut');
      this.#options.cut();
      await pause(TRY_AGAIN_MS);
    }
  }

  async #reconnects(): Promise<number> {
    const text = await (await this.#service!.internal('metrics')).text();
    return Number(/^tapeloom_feed_reconnects_total\S* (\d+)$/m.exec(text)![1]);
  }

  async #perform(fence: Fence, said: string | null): Promise<string> {
    const [command, data, words] = SERVE.exec(this.#real(fence.text)) ?? [];
    if (command !== undefined) {
      const service = await this.#serve(data ?? 'data', words!);
      return await this.#shown(fence, said, TRIES, async () => service.output);
    }
    const tries = CHANGES.test(fence.text) ? 1 : TRIES;
    return await this.#shown(fence, said, tries, () => this.#run(fence));
  }

  async #shown(
    { place }: Fence,
    said: string | null,
    tries: number,
    perform: () => Promise<string>,
  ): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const output = await perform();
        if (said !== null) assertShows(output, said, place);
        return output;
      } catch (error) {
        if (attempt === tries) throw error;
        await pause(TRY_AGAIN_MS);
      }
    }
  }

  async #serve(data: string, words: string): Promise<RunningService> {
    await this.#stop();
    const args = words.trim().split(/\s+/).filter(Boolean);
    const own = args.includes('--feed') ? this.#options.addresses : [];
    const service = new RunningService({
      data: join(this.directory, data),
      cwd: this.directory,
      program: [...COMMAND, 'serve'],
      args: [...args, ...own],
      env: { TAPELOOM_PORTAL: join(root, 'tests/fixtures/no-portal') },
    });
    this.#service = service;
    await service.ready();
    return service;
  }

  /** As ctrl-c does. */
  async #stop(): Promise<void> {
    const service = this.#service;
    this.#service = null;
    if (service === null) return;
    const { code } = await service.stop('SIGINT');
    assert.equal(code, 0, `${code}: ${service.output}${service.errors}`);
  }

  async #run({ place, text }: Fence): Promise<string> {
    const service = this.#service;
    const env = {
      ...process.env,
      PATH: `${join(this.directory, 'bin')}:${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: this.directory,
      ...(service !== null && { TAPELOOM_URL: new URL(service.address('REST')).origin }),
      ...(service !== null && { TAPELOOM_KEY: service.keys.live }),
    };
    const words = ['-eu', '-o', 'pipefail', '-c', this.#real(text, true)];
    const options = { cwd: this.directory, env, timeout: WAIT_LIMIT_MS };
    return new Promise((resolve, reject) => {
      execFile('bash', words, options, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(`${place}: ${error.message}\n${stdout}${stderr}`));
      });
    });
  }

  #real(text: string, withKey = false): string {
    let real = text;
    for (const [shown, value] of this.#options.replaced ?? []) {
      real = real.replaceAll(shown, value);
    }
    const service = this.#service;
    if (service === null) return real;
    const key = withKey ? service.keys.live : 'svc_live_…';
    return real
      .replaceAll('svc_live_…', key)
      .replaceAll('http://127.0.0.1:8080', new URL(service.address('REST')).origin)
      .replaceAll('http://127.0.0.1:9464', new URL(service.address('metrics')).origin);
  }

  #headingOf({ place }: Fence): string {
    const line = Number(place.slice(place.lastIndexOf(':') + 1));
    return this.#lines.slice(0, line).findLast((it) => it.startsWith('## ')) ?? '';
  }

  #writePrograms(): void {
    const bin = join(this.directory, 'bin');
    mkdirSync(bin);
    const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ');
    const own = quoted(this.#options.addresses);
    const tapeloom = `${quoted([process.execPath, ...COMMAND])} "$@"`;
    const programs = {
      tapeloom: [
        'case " $* " in',
        // On a busy machine trades come late, which is the only thing that the doctor may say of it.
        `*" feed doctor "*) ${tapeloom} ${own} > doctor.out || { grep -q FAILED doctor.out && ! grep FAILED doctor.out | grep -v "arrival within" >&2; } || exit 1`,
        'cat doctor.out;;',
        `*" --feed "*) exec ${tapeloom} ${own};;`,
        `*) exec ${tapeloom};;`,
        'esac',
      ].join('\n'),
      curl: 'PATH=$(echo "$PATH" | cut -d: -f2-)\nexec curl --fail-with-body "$@"',
    };
    for (const [name, script] of Object.entries(programs)) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    }
  }
}

function assertShows(output: string, said: string, place: string): void {
  const missing = firstMissing(output, said);
  assert.equal(missing, null, `${place} does not print ${missing}, but\n${output}`);
}

/** The lines must come in this order. `…` is anything. Null: none is missing. */
function firstMissing(output: string, said: string): string | null {
  const printed = output.split('\n');
  let at = 0;
  for (const line of said.trimEnd().split('\n')) {
    const parts = line.split('…').map((part) => RegExp.escape(part));
    const pattern = new RegExp(`^${parts.join('.*')}$`);
    const found = printed.findIndex((one, index) => index >= at && pattern.test(one));
    if (found < 0) return line;
    at = found + 1;
  }
  return null;
}
