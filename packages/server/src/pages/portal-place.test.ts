import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../config/config.ts';
import { requirePortal } from './portal-place.ts';

const read = (path: string) => readFileSync(path, 'utf8');

test('a portal of the operator’s own that is not there stops the start, by the name of its setting', () => {
  assert.throws(
    () => requirePortal({ portal: '/nope' }, read),
    (error) => {
      assert.ok(error instanceof ConfigError);
      assert.match(error.message, /^TAPELOOM_PORTAL: \/nope contains no built portal: ENOENT/);
      return true;
    },
  );
  const built = join(import.meta.dirname, '../../../../tests/fixtures/no-portal');
  requirePortal({ portal: built }, read);
  requirePortal({ portal: null }, read);
});
