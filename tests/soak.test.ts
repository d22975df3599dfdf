import { test } from 'node:test';
import { run } from './torture/soak.ts';

test('memory stays flat under good, slow and bad customers, and nobody stops the service [SEC-36]', () =>
  run({ rounds: 9 }));
