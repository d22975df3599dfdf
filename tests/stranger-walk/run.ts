/**
 * `node tests/stranger-walk/run.ts [--write]` follows docs/quick-start.md alone, from a fresh clone
 * in its own folder to a moving footprint, and times each step. Commands and programs come from the
 * page. The ports 8080 and 9464 must be free, as the page requires. `--write` stores the seconds in
 * docs/walk.md.
 */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '../headless-chromium.ts';
import { browserSteps, type WalkedStep } from './browser-steps.ts';
import { commandWith, quickStartSteps } from './quick-start-steps.ts';
import { inTerminal, strangersNode, Typed } from './typed.ts';

const root = join(import.meta.dirname, '../..');
const walkPage = join(root, 'docs/walk.md');
const MARKS = ['<!-- begin walk -->', '<!-- end walk -->'] as const;

const steps = quickStartSteps();
const folder = mkdtempSync(join(tmpdir(), 'tapeloom-walk-'));
const home = join(folder, 'tapeloom');
const walked: WalkedStep[] = [];
const loadBefore = loadavg()[0]!.toFixed(1);

try {
  await walk();
  console.log(table());
  if (process.argv.includes('--write')) await writeTable();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function walk(): Promise<void> {
  const clone = commandWith(steps, 'git clone').replace(/https:\S+/, `file://${root} tapeloom`);
  await step('get it', `a clone, by \`git clone\``, () => ends(clone, folder));
  await step('install', '`npm ci`', () => ends(commandWith(steps, 'npm ci'), home));
  await using service = new Typed(commandWith(steps, 'npm start'), home);
  await step('start', '`npm start`, until it is ready and has printed the keys', () =>
    service.shows(/is ready after [\s\S]*test key/),
  );
  const key = /svc_live_\w+/.exec(service.output)![0];
  const env = { TAPELOOM_KEY: key };
  await using stream = terminal('npx tapeloom stream', env);
  await step('watch in the terminal', 'until the first picture', () => stream.shows(/forming/));
  await step('watch in the terminal', 'until the picture has changed', () =>
    stream.shows(/forming +volume (\d+)[\s\S]*forming +volume (?!\1\b)\d+/),
  );
  await service.shows(/The portal was built/);
  await using browser = await launchChromium();
  walked.push(...(await browserSteps(browser, { steps, home })));
  await program('look.ts', "the eight lines, on one's own machine", env);
  await program('watch.ts', 'the eight lines, against a service', env);
}

function terminal(words: string, env: Readonly<Record<string, string>>): Typed {
  return new Typed(inTerminal(commandWith(steps, words)), home, env);
}

/** Saves and runs one of the page's programs as the page says. */
async function program(
  file: string,
  what: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const source = steps.flatMap(({ files }) => files.get(file) ?? []).at(0);
  if (source === undefined) throw new Error(`docs/quick-start.md has no ${file}`);
  writeFileSync(
    join(home, file),
    source.replace('https://api.example.com', 'http://127.0.0.1:8080'),
  );
  await step('watch from a program', `${what}, until the first update`, async () => {
    const command = commandWith(steps, 'npx node').replace('look.ts', file);
    await using typed = new Typed(command, home, env);
    return await typed.shows(/^upsert .* levels/m);
  });
}

async function ends(command: string, cwd: string): Promise<number> {
  await using typed = new Typed(command, cwd);
  return await typed.ends();
}

async function step(name: string, what: string, take: () => Promise<number>): Promise<void> {
  const seconds = await take();
  walked.push({ name, what, seconds });
  console.error(`${seconds.toFixed(1)} s  ${name}: ${what}`);
}

function table(): string {
  const rows = walked.map(
    ({ name, what, seconds }) => `| ${name} | ${what} | ${seconds.toFixed(1)} |`,
  );
  return ['| step | what was waited for | seconds |', '| --- | --- | ---: |', ...rows].join('\n');
}

/** Describes the machine, so that walks can be compared. */
async function machine(): Promise<string> {
  const gib = (totalmem() / 1_024 ** 3).toFixed(0);
  const model = cpus()[0]?.model.trim() || 'unnamed processor';
  const day = new Date().toISOString().slice(0, 10);
  return (
    `${day}, ${type()} ${release()}, ${availableParallelism()} cores (${model}), ${gib} GiB, ` +
    `Node ${await strangersNode()} before \`npm ci\`, load of the machine before and after ${loadBefore} and ${loadavg()[0]!.toFixed(1)}.`
  );
}

/** The total wait from nothing to the first picture. */
function sum(): string {
  const picture = walked.findIndex(({ what }) => what.includes('first picture'));
  const seconds = walked.slice(0, picture + 1).reduce((total, it) => total + it.seconds, 0);
  return `From nothing to the first picture: **${seconds.toFixed(0)} seconds** of waiting.`;
}

async function writeTable(): Promise<void> {
  const text = readFileSync(walkPage, 'utf8');
  const before = text.slice(0, text.indexOf(MARKS[0]) + MARKS[0].length);
  const after = text.slice(text.indexOf(MARKS[1]));
  writeFileSync(walkPage, [before, await machine(), table(), sum(), after].join('\n\n'));
}
