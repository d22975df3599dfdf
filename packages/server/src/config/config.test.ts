import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigError, type ConfigSources, DEFAULT_DEV_KEY, readConfig } from './config.ts';

const OWN_KEY = 'svc_live_abcdefghijklmnopqrstuvwxyz0123456';

function read(env: Record<string, string> = {}, args: string[] = [], file?: unknown) {
  const sources: ConfigSources = {
    env: file === undefined ? env : { ...env, TAPELOOM_CONFIG: 'tapeloom.json' },
    args,
    readFile: () => (typeof file === 'string' ? file : JSON.stringify(file)),
  };
  return readConfig(sources);
}

function faultsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.faults;
  }
  return assert.fail('the configuration was accepted');
}

test('without any setting the documented defaults hold', () => {
  assert.deepEqual(read({ HOME: '/root', PATH: '/bin' }), {
    port: 8080,
    host: '127.0.0.1',
    internalPort: 9464,
    internalHost: '127.0.0.1',
    data: resolve('./data'),
    devKey: DEFAULT_DEV_KEY,
    logLevel: 'info',
    docsUrl: null,
    simSeed: 1,
    simScale: 1,
    speed: null,
  });
});

test('the environment wins over the file, the file over the defaults', () => {
  const config = read({ TAPELOOM_PORT: '9000' }, [], {
    port: 7000,
    simScale: 0.25,
    data: '/srv/t',
  });
  assert.equal(config.port, 9000);
  assert.equal(config.simScale, 0.25);
  assert.equal(config.data, '/srv/t');
});

test('every wrong value is reported at once, by name, with what was read and is accepted', () => {
  const faults = faultsOf(() =>
    read(
      { TAPELOOM_PORT: '80a', TAPELOOM_LOG_LEVEL: 'loud', TAPELOOM_DOCS_URL: 'docs/' },
      ['--speed', '0'],
      { host: 7, simSeed: -1 },
    ),
  );
  assert.deepEqual(faults, [
    'TAPELOOM_PORT: read "80a", accepted is a whole number from 0 to 65535',
    '"host" in the file: read 7, accepted is a host name or an IP address',
    'TAPELOOM_LOG_LEVEL: read "loud", accepted is one of trace, debug, info, warn, error, fatal, silent',
    'TAPELOOM_DOCS_URL: read "docs/", accepted is an http or https address without a slash at its end',
    '"simSeed" in the file: read -1, accepted is a whole number from 0 to 4294967295',
    '--speed: read "0", accepted is a number from 1 to 10000',
  ]);
});

test('numbers in odd spellings are refused, not guessed', () => {
  for (const port of ['', ' 80', '0x50', '1e3', '-1', '65536', '080', '80.0', 'NaN', 'Infinity']) {
    assert.equal(faultsOf(() => read({ TAPELOOM_PORT: port })).length, 1, JSON.stringify(port));
  }
  for (const simScale of ['0', '101', '.5', '5.', 'NaN']) {
    assert.equal(faultsOf(() => read({ TAPELOOM_SIM_SCALE: simScale })).length, 1, simScale);
  }
});

test('a misspelt variable or key of the file is refused with the likely name', () => {
  const faults = faultsOf(() => read({ TAPELOOM_PROT: '1' }, [], { simscale: 1, nonsense: 2 }));
  assert.equal(faults.length, 3);
  assert.ok(faults.some((fault) => fault.includes('did you mean simScale?')));
  assert.ok(faults.some((fault) => fault.startsWith('"nonsense"') && fault.includes('there are')));
  assert.ok(faults.includes('TAPELOOM_PROT is no setting; did you mean TAPELOOM_PORT?'));
});

test('a file that is missing, no JSON or no object is refused by the variable that named it', () => {
  for (const file of ['{', '[]', 'null', '"text"']) {
    assert.match(faultsOf(() => read({}, [], file))[0]!, /^TAPELOOM_CONFIG: /);
  }
});

test('the public development key is refused on an address others can reach', () => {
  assert.match(
    faultsOf(() => read({ TAPELOOM_HOST: '0.0.0.0' }))[0]!,
    /^TAPELOOM_DEV_KEY: must be set/,
  );
  assert.equal(read({ TAPELOOM_HOST: '0.0.0.0', TAPELOOM_DEV_KEY: OWN_KEY }).devKey, OWN_KEY);
  for (const host of ['localhost', '::1', '127.0.0.5']) {
    assert.equal(read({ TAPELOOM_HOST: host }).host, host);
  }
});

test('a key that is refused is not printed', () => {
  const [fault] = faultsOf(() => read({ TAPELOOM_DEV_KEY: 'hunter2' }));
  assert.match(fault!, /^TAPELOOM_DEV_KEY: read a value not shown, accepted is a key/);
});

test('an accelerated service has a data directory of its own', () => {
  const config = read({ TAPELOOM_DATA: '/srv/t' }, ['--speed', '60']);
  assert.equal(config.speed, 60);
  assert.equal(config.data, '/srv/t-speed');
  assert.equal(read({}, ['--speed=2.5']).speed, 2.5);
  for (const args of [
    ['--speed'],
    ['--speed', 'x'],
    ['--speed', '2', '--speed', '3'],
    ['--fast'],
  ]) {
    assert.equal(faultsOf(() => read({}, args)).length > 0, true, args.join(' '));
  }
});
