import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TapeloomError } from '@tapeloom/client';
import { type RecordedIoOptions, runRecorded } from '../testing/recorded-io.ts';
import { type Command, CommandError, UsageError } from './command.ts';
import { NotSignedInError } from './customer/failure.ts';
import { ExitCode } from './exit-codes.ts';
import { readArgs } from './read-args.ts';

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
    readArgs(args, { texts: ['days', 'data'], flags: ['json'], words: [] });
    await Promise.resolve();
    throw new Error('disk is full\nsecond line', { cause: new Error('ENOSPC') });
  }),
];

/** Commands that throw, or that print an error and return a code. */
const failures: readonly Command[] = [
  command('usage', () => Promise.reject(new UsageError('which svc_live_abcdef one?'))),
  command('missing', () =>
    Promise.reject(new CommandError('there is none', ExitCode.notFound, 'UNKNOWN_INDICATOR')),
  ),
  command('signed-out', () => Promise.reject(new NotSignedInError('nobody is signed in'))),
  command('refused', () =>
    Promise.reject(
      new TapeloomError('RATE_LIMITED', 'Too many.', {
        status: 429,
        requestId: 'req_1',
        retryAfterSeconds: 3,
      }),
    ),
  ),
  command('broken', () => Promise.reject(new Error('disk is full\nsecond line'))),
  command('worded', async (_args, io) => {
    io.stderr('first this\n');
    io.stderr('it cannot be done\n');
    return ExitCode.failure;
  }),
  command('asked', async (_args, io) => {
    io.stderr('it is not clear\n  Which zone?\nHelp: --explain\n');
    return ExitCode.failure;
  }),
  command('checked', async (_args, io) => {
    io.stderr('looking\n');
    io.stdout('{"faults":1}\n');
    return ExitCode.failure;
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
  assert.match(err, /sim needs a subcommand/);
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

test('an option that is nearly right is refused with the ones that may be meant', async () => {
  for (const [written, meant] of [
    ['--dys 3', 'unknown option --dys. Did you mean "--days"?'],
    ['--dat x', 'unknown option --dat. Did you mean "--data"?'],
    ['--jsn', 'unknown option --jsn. Did you mean "--json"?'],
    ['--frobnicate', 'unknown option --frobnicate.'],
  ]) {
    const { code, err } = await dispatched(`sim fill ${written}`);
    assert.equal(code, 2);
    assert.equal(err.split('\n')[0], `tapeloom sim fill: ${meant}`);
  }
});

test('with --json an error is one line of JSON, the last on stderr', async () => {
  const errorOf = async (words: string) => {
    const { code, out, err } = await runRecorded(failures, `${words} --json`.split(' '));
    const { error } = JSON.parse(err.trimEnd().split('\n').at(-1)!);
    assert.equal(error.exitCode, code);
    assert.equal(out, '');
    return error;
  };
  const message = 'which svc_live_… one?';
  assert.deepEqual(await errorOf('usage'), { code: 'USAGE', message, exitCode: 2 });
  assert.deepEqual(await errorOf('missing'), {
    code: 'UNKNOWN_INDICATOR',
    message: 'there is none',
    exitCode: 4,
  });
  assert.deepEqual(await errorOf('signed-out'), {
    code: 'NOT_SIGNED_IN',
    message: 'nobody is signed in',
    exitCode: 3,
  });
  assert.deepEqual(await errorOf('refused'), {
    code: 'RATE_LIMITED',
    message: 'Too many. Try again in 3 seconds. (RATE_LIMITED, request req_1)',
    exitCode: 5,
    status: 429,
    requestId: 'req_1',
    retryAfterSeconds: 3,
  });
  assert.deepEqual(await errorOf('broken'), {
    code: 'FAILED',
    message: 'disk is full',
    exitCode: 1,
  });
  assert.deepEqual(await errorOf('worded'), {
    code: 'FAILED',
    message: 'it cannot be done',
    exitCode: 1,
  });
  const asked = await errorOf('asked');
  assert.equal(asked.message, 'it is not clear Which zone? Help: --explain');
  assert.deepEqual((await errorOf('nothing')).code, 'USAGE');
});

test('with --json what a check found is on stdout, and no error beside it', async () => {
  assert.deepEqual(await runRecorded(failures, ['checked', '--json']), {
    code: 1,
    out: '{"faults":1}\n',
    err: 'looking\n',
  });
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
