import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArgs } from 'node:util';
import { type RecordedIoOptions, runRecorded } from '../testing/recorded-io.ts';
import { type Command, UsageError } from './command.ts';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function command(path: string, run: Command['run']): Command {
  return { path: path.split(' '), summary: `does ${path}`, usage: `Usage: tapeloom ${path}`, run };
}

const seen: (readonly string[])[] = [];
const commands = [
  command('tape', () => Promise.resolve(9)),
  command('tape ls', (args) => {
    seen.push(args);
    return Promise.resolve(0);
  }),
  command('tape verify', () => Promise.resolve(1)),
  command('stream', () => Promise.reject(new UsageError('which instrument?'))),
  command('sim fill', async (args) => {
    parseArgs({ args: [...args], options: { days: { type: 'string' } } });
    await Promise.resolve();
    throw new Error('disk is full\nsecond line', { cause: new Error('ENOSPC') });
  }),
];

async function dispatched(words: string, io: RecordedIoOptions = {}): Promise<Outcome> {
  return runRecorded(commands, words.split(' ').filter(Boolean), io);
}

test('runs the command with the longest matching path and hands it the rest', async () => {
  const outcome = await dispatched('tape ls --json ES.c.0');
  assert.deepEqual(outcome, { code: 0, out: '', err: '' });
  assert.deepEqual(seen.at(-1), ['--json', 'ES.c.0']);
  assert.equal((await dispatched('tape x')).code, 9);
});

test('the exit code of a command is the exit code of the process', async () => {
  assert.equal((await dispatched('tape verify')).code, 1);
});

test('no words and --help list every command with its summary', async () => {
  for (const words of ['', '--help', '-h']) {
    const { code, out, err } = await dispatched(words);
    assert.equal(code, 0);
    assert.equal(err, '');
    for (const { path, summary } of commands) {
      assert.match(out, new RegExp(`^ {2}${path.join(' ')} +${summary}$`, 'm'));
    }
  }
});

test('--help after a command prints its usage and runs nothing', async () => {
  const calls = seen.length;
  const { code, out } = await dispatched('tape ls ES --help');
  assert.equal(code, 0);
  assert.equal(out, 'Usage: tapeloom tape ls\n');
  assert.equal(seen.length, calls);
});

test('words after -- are never taken for --help', async () => {
  assert.equal((await dispatched('tape ls -- --help')).out, '');
  assert.deepEqual(seen.at(-1), ['--', '--help']);
});

test('--version prints the version', async () => {
  assert.equal((await dispatched('--version')).out, 'tapeloom 1.2.3\n');
});

test('the beginning of a path lists what may follow', async () => {
  const { code, err } = await dispatched('sim');
  assert.equal(code, 2);
  assert.match(err, /sim needs one more word/);
  assert.match(err, /sim fill/);
  assert.doesNotMatch(err, /stream/);
  assert.equal((await dispatched('sim --help')).code, 0);
});

test('an unknown command is refused with the nearest known one', async () => {
  const { code, err } = await dispatched('sim fil --days 3');
  assert.equal(code, 2);
  assert.match(err, /unknown command "sim fil 3"/);
  assert.match(err, /Did you mean "tapeloom sim fill"\?/);
});

test('a command unlike any other gets no suggestion', async () => {
  const { code, err } = await dispatched('frobnicate');
  assert.equal(code, 2);
  assert.equal(err, 'tapeloom: unknown command "frobnicate". See tapeloom --help.\n');
});

test('an unknown option before any command is refused', async () => {
  const { code, err } = await dispatched('--colour');
  assert.equal(code, 2);
  assert.match(err, /unknown option --colour/);
});

test('wrong usage prints what was wrong and the usage', async () => {
  const { code, err } = await dispatched('stream');
  assert.equal(code, 2);
  assert.equal(err, 'tapeloom stream: which instrument?\n\nUsage: tapeloom stream\n');
});

test('an option the command does not know is wrong usage', async () => {
  const { code, err } = await dispatched('sim fill --weeks 3');
  assert.equal(code, 2);
  assert.match(err, /--weeks/);
  assert.match(err, /Usage: tapeloom sim fill/);
});

test('an unexpected error is one line', async () => {
  const { code, err } = await dispatched('sim fill');
  assert.equal(code, 1);
  assert.equal(err, 'tapeloom sim fill: disk is full\n');
});

test('TAPELOOM_DEBUG adds the stack and the cause', async () => {
  const { code, err } = await dispatched('sim fill', { env: { TAPELOOM_DEBUG: '1' } });
  assert.equal(code, 1);
  assert.match(err, /dispatch\.test\.ts/);
  assert.match(err, /caused by Error: ENOSPC/);
});

test('an error after an interruption is not reported as a failure', async () => {
  const outcome = await dispatched('sim fill', { signal: AbortSignal.abort() });
  assert.deepEqual(outcome, { code: 130, out: '', err: '' });
});
