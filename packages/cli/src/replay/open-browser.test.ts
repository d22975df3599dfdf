import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserProgram, type Desk } from './open-browser.ts';

const AT_A_SCREEN: Desk = {
  env: { DISPLAY: ':0' },
  platform: 'linux',
  isTerminal: true,
  isTyped: true,
};

test('a browser is opened by the program of the system', () => {
  assert.deepEqual(browserProgram(AT_A_SCREEN), ['xdg-open']);
  const wayland = { WAYLAND_DISPLAY: 'wayland-0' };
  assert.deepEqual(browserProgram({ ...AT_A_SCREEN, env: wayland }), ['xdg-open']);
  assert.deepEqual(browserProgram({ ...AT_A_SCREEN, platform: 'darwin', env: {} }), ['open']);
  const [program] = browserProgram({ ...AT_A_SCREEN, platform: 'win32', env: {} })!;
  assert.equal(program, 'rundll32');
});

test('no browser is opened where nobody would see it: in a pipe, in CI, without a screen, over SSH', () => {
  for (const changed of [
    { isTerminal: false },
    { isTyped: false },
    { env: { DISPLAY: ':0', CI: 'true' } },
    { env: { SSH_CONNECTION: '192.0.2.1 5 192.0.2.2 22' } },
    { env: {} },
    { platform: 'darwin', env: { SSH_CONNECTION: '192.0.2.1 5 192.0.2.2 22' } },
  ] as const) {
    assert.equal(browserProgram({ ...AT_A_SCREEN, ...changed }), null, JSON.stringify(changed));
  }
});
