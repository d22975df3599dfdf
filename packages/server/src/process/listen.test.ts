import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { MisconfiguredError, StartRefusedError } from '../operations/start/start-refused-error.ts';
import { listen } from './listen.ts';

const DOOR = { host: 'TAPELOOM_HOST', port: 'TAPELOOM_PORT' };

async function refusalOf(host: string, port: number): Promise<StartRefusedError> {
  const server = createServer();
  try {
    await listen(server, host, port, DOOR);
  } catch (error) {
    assert.ok(error instanceof StartRefusedError, String(error));
    return error;
  } finally {
    server.close();
  }
  return assert.fail('the port was opened');
}

test('an address that this machine does not have is a wrong setting, named by both variables', async () => {
  const error = await refusalOf('192.0.2.77', 8080);
  assert.ok(error instanceof MisconfiguredError);
  assert.equal(
    error.message,
    'cannot listen on 192.0.2.77:8080 (TAPELOOM_HOST, TAPELOOM_PORT): this machine does not have that address',
  );
});

test('a port that is in use may be free later, so the start may be tried again', async () => {
  const first = createServer();
  const { port } = new URL(await listen(first, '127.0.0.1', 0, DOOR));
  const error = await refusalOf('127.0.0.1', Number(port));
  first.close();
  assert.ok(!(error instanceof MisconfiguredError));
  assert.match(error.message, /\(TAPELOOM_PORT\): the port is in use$/);
});
