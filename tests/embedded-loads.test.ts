/** A standalone service loads no cluster code: no PostgreSQL or NATS client, no module of ours. */

import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { killServices, NO_PAST, NO_PORTAL, RunningService } from './running-service.ts';
import { SERVICE_OF_SOURCES } from './tapeloom-program.ts';

after(killServices);

/** Reports every such module that any thread loads. */
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  import { writeSync } from 'node:fs';
  registerHooks({
    load(url, context, next) {
      if (/node_modules\\/(pg|pg-[a-z]+|@nats-io)\\/|server\\/src\\/(platform\\/postgres|tape\\/stream\\/|accounts\\/shared\\/|process\\/(cluster\\/node-services|shared-))/.test(url)) {
        writeSync(2, 'loaded ' + url + '\\n');
      }
      return next(url, context);
    },
  });
`)}`;

test('a service without a cluster loads no client of PostgreSQL or NATS, in no thread', async () => {
  const data = await mkdtemp(join(tmpdir(), 'tapeloom-loads-'));
  const service = new RunningService({
    data,
    program: ['--import', WATCH, ...SERVICE_OF_SOURCES],
    env: { ...NO_PAST, TAPELOOM_PORTAL: NO_PORTAL },
  });
  await service.ready();
  assert.equal((await service.get('/v1/instruments', service.authorized)).status, 200);
  const loaded = service.errors.split('\n').filter((line) => line.startsWith('loaded '));
  assert.deepEqual(loaded, []);
  await service.stop('SIGTERM');
  await rm(data, { recursive: true, force: true });
});
