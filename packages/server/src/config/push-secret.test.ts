import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const GOOD = 'a'.repeat(32);
const files: Readonly<Record<string, string>> = {
  '/good': `${GOOD}\n`,
  '/two': `${GOOD}\r\n\r\n${'b'.repeat(40)}\r\n`,
  '/empty': ' \n',
  '/short': 'a'.repeat(31),
  '/spaces': `${GOOD} ${GOOD}`,
  '/three': [GOOD, GOOD, GOOD].join('\n'),
};

function faultOf(path: string): string | null {
  try {
    const config = readConfig({
      env: { TAPELOOM_PUSH_SECRET_FILE: path },
      args: [],
      readFile: (name) => {
        if (Object.hasOwn(files, name)) return files[name]!;
        throw new Error('EACCES: permission denied');
      },
    });
    assert.equal(config.pushSecretFile, path);
    return null;
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.message;
  }
}

test('a file with one secret, or two of a rotation, is accepted', () => {
  assert.equal(faultOf('/good'), null);
  assert.equal(faultOf('/two'), null);
});

test('an unusable secret stops the start with the name of the variable, and is not shown', () => {
  for (const [path, fault] of [
    ['/none', /^TAPELOOM_PUSH_SECRET_FILE: cannot read \/none: EACCES/],
    ['/empty', /^TAPELOOM_PUSH_SECRET_FILE: the file \/empty is empty/],
    ['/short', /^TAPELOOM_PUSH_SECRET_FILE: a secret in \/short must have at least 32 characters/],
    ['/spaces', /without spaces/],
    ['/three', /has 3 lines/],
  ] as const) {
    const message = faultOf(path);
    assert.match(message!, fault);
    assert.doesNotMatch(message!, /aaaa/);
  }
});
