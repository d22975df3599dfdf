import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portFaults } from './port-faults.ts';

const DOORS = {
  host: '127.0.0.1',
  port: 8080,
  internalHost: '127.0.0.1',
  internalPort: 9464,
  echoPort: null,
};

test('two doors with one port are refused by both names', () => {
  const both = ['TAPELOOM_PORT and TAPELOOM_INTERNAL_PORT are both 8080; use different ports.'];
  assert.deepEqual(portFaults(DOORS), []);
  assert.deepEqual(portFaults({ ...DOORS, internalPort: 8080 }), both);
  for (const host of ['0.0.0.0', '::', 'localhost']) {
    assert.deepEqual(portFaults({ ...DOORS, host, internalPort: 8080 }), both, host);
  }
  assert.deepEqual(portFaults({ ...DOORS, echoPort: 9464 }), [
    'TAPELOOM_INTERNAL_PORT and --echo-port are both 9464; use different ports.',
  ]);
});

test('a port of different addresses is two, and any free port is another one each time', () => {
  assert.deepEqual(portFaults({ ...DOORS, host: '192.0.2.1', internalPort: 8080 }), []);
  assert.deepEqual(portFaults({ ...DOORS, port: 0, internalPort: 0, echoPort: 0 }), []);
});
