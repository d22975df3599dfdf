import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { contains, parseIp } from '@tapeloom/core/entitlement/ip-range';
import { BY_NPM } from './called-as.ts';
import { asksForHelp } from './command-line.ts';
import { ConfigError, readConfig } from './config.ts';
import { helpText } from './help-text.ts';

function read(env: Record<string, string> = {}, args: string[] = [], file?: unknown) {
  return readConfig({
    env: file === undefined ? env : { ...env, TAPELOOM_CONFIG: 'tapeloom.json' },
    args,
    readFile: () => (typeof file === 'string' ? file : JSON.stringify(file)),
  });
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
    pushSecretFile: null,
    data: resolve('./data'),
    trustedProxies: [],
    logLevel: 'info',
    publicUrl: null,
    portal: null,
    pages: null,
    docsUrl: null,
    stripeKey: null,
    stripeWebhookSecrets: [],
    stripeTax: 'off',
    stripeUrl: 'https://api.stripe.com',
    paddleKey: null,
    paddleWebhookSecrets: [],
    paddleClientToken: null,
    paddleUrl: null,
    smtpUrl: null,
    support: null,
    mailFrom: null,
    sim: null,
    simSeed: 1,
    simScale: 1,
    simDays: 10,
    cacheBytes: 2 * 1024 ** 3,
    keepDays: 0,
    auditDays: 400,
    accessDays: 0,
    ordersYears: 10,
    offersFile: null,
    cluster: null,
    speed: null,
    echoPort: null,
    feeds: [],
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
      {
        TAPELOOM_PORT: '80a',
        TAPELOOM_LOG_LEVEL: 'loud',
        TAPELOOM_PUBLIC_URL: 'https://tapeloom.example.com/',
        TAPELOOM_DOCS_URL: 'docs/',
      },
      ['--speed', '0'],
      { host: 7, simSeed: -1 },
    ),
  );
  assert.deepEqual(faults, [
    'TAPELOOM_PORT must be a whole number from 0 to 65535; got "80a".',
    '"host" in the file must be a host name or an IP address; got 7.',
    'TAPELOOM_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent; got "loud".',
    'TAPELOOM_PUBLIC_URL must be an http or https address without a path, such as https://tapeloom.example.com; got "https://tapeloom.example.com/".',
    'TAPELOOM_DOCS_URL must be an http or https address without a slash at the end; got "docs/".',
    '"simSeed" in the file must be a whole number from 0 to 4294967295; got -1.',
    '--speed must be a number from 1 to 10000; got "0".',
  ]);
});

test('a mail server needs a sender, and its password is never repeated', () => {
  const smtpUrl = 'smtp://ada:hunter2@mail.example.com';
  const sender = 'Tapeloom <no-reply@example.com>';
  const config = read({ TAPELOOM_SMTP_URL: smtpUrl, TAPELOOM_MAIL_FROM: sender });
  assert.deepEqual([config.smtpUrl, config.mailFrom], [smtpUrl, sender]);
  const [missing] = faultsOf(() => read({ TAPELOOM_SMTP_URL: smtpUrl }));
  assert.match(missing!, /^TAPELOOM_MAIL_FROM is required when TAPELOOM_SMTP_URL is set\. /);
  for (const wrong of ['http://ada:hunter2@mail.example.com', 'smtp://hunter2@mail.example.com']) {
    const faults = faultsOf(() => read({ TAPELOOM_SMTP_URL: wrong }));
    assert.match(faults[0]!, /^TAPELOOM_SMTP_URL must be smtp:.*; got a value that is not shown/);
    assert.match(
      faultsOf(() => read({}, [], { smtpUrl: wrong }))[0]!,
      /^"smtpUrl" in the file must be /,
    );
    assert.ok(!faults.join().includes('hunter2'));
  }
  for (const from of [
    '',
    'Tapeloom',
    'Tapeloom <x>',
    'a@example.com, b@example.com',
    'A\nB <a@b.de>',
  ]) {
    const faults = faultsOf(() => read({ TAPELOOM_MAIL_FROM: from }));
    assert.match(faults[0]!, /^TAPELOOM_MAIL_FROM must be .*; got /s, from);
  }
});

test('numbers in odd spellings are refused, not guessed', () => {
  for (const port of ['', ' 80', '0x50', '1e3', '-1', '65536', '080', '80.0', 'NaN', 'Infinity']) {
    assert.equal(faultsOf(() => read({ TAPELOOM_PORT: port })).length, 1, JSON.stringify(port));
  }
  for (const simScale of ['0', '101', '.5', '5.', 'NaN']) {
    assert.equal(faultsOf(() => read({ TAPELOOM_SIM_SCALE: simScale })).length, 1, simScale);
  }
});

test('the size of the cache is a count of bytes, plain or with a unit', () => {
  const sizes: readonly (readonly [string | number, number])[] = [
    ['0', 0],
    ['1073741824', 1024 ** 3],
    ['64KiB', 64 * 1024],
    ['512MiB', 512 * 1024 ** 2],
    ['20GiB', 20 * 1024 ** 3],
    ['3TiB', 3 * 1024 ** 4],
    [0, 0],
    [4_096, 4_096],
  ];
  for (const [text, bytes] of sizes) {
    if (typeof text === 'string') {
      assert.equal(read({ TAPELOOM_CACHE_BYTES: text }).cacheBytes, bytes, text);
    }
    assert.equal(read({}, [], { cacheBytes: text }).cacheBytes, bytes);
  }
});

test('a size of the cache that is none stops the start with the variable named', () => {
  const wrong = [
    '',
    '-1',
    '1.5GiB',
    '2GB',
    '2G',
    '2gib',
    '2 GiB',
    '0x10',
    '1e9',
    '0GiB',
    '9999TiB9',
  ];
  for (const text of [...wrong, '99999999999999999', '9007199254740991TiB']) {
    assert.deepEqual(
      faultsOf(() => read({ TAPELOOM_CACHE_BYTES: text })),
      [
        `TAPELOOM_CACHE_BYTES must be a number of bytes such as 0, 1073741824, 512MiB, 2GiB or 1TiB; got ${JSON.stringify(text)}.`,
      ],
    );
  }
  for (const cacheBytes of [-1, 1.5, null, true, ['1']]) {
    assert.match(
      faultsOf(() => read({}, [], { cacheBytes }))[0]!,
      /^"cacheBytes" in the file must be /,
    );
  }
});

test('a misspelt variable or key of the file is refused with the likely name', () => {
  const faults = faultsOf(() => read({ TAPELOOM_PROT: '1' }, [], { simscale: 1, nonsense: 2 }));
  assert.equal(faults.length, 3);
  assert.ok(faults.some((fault) => fault.includes('Did you mean simScale?')));
  assert.ok(
    faults.some((fault) => fault.startsWith('"nonsense"') && fault.includes('The settings are ')),
  );
  assert.ok(faults.includes('TAPELOOM_PROT is not a setting. Did you mean TAPELOOM_PORT?'));
  const [added] = faultsOf(() => read({ TAPELOOM_DATA_DIR: '/srv' }));
  assert.equal(added, 'TAPELOOM_DATA_DIR is not a setting. Did you mean TAPELOOM_DATA?');
});

test('a file that is missing, no JSON or no object is refused by the variable that named it', () => {
  for (const file of ['{', '[]', 'null', '"text"']) {
    assert.match(faultsOf(() => read({}, [], file))[0]!, /^TAPELOOM_CONFIG: /);
  }
});

test('trusted proxies are ranges between commas, or an array in the file', () => {
  const trusts = (config: ReturnType<typeof read>, address: string) =>
    config.trustedProxies.some((range) => contains(range, parseIp(address)!));
  const fromEnv = read({ TAPELOOM_TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::/32,192.0.2.7' });
  const fromFile = read({}, [], { trustedProxies: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'] });
  for (const config of [fromEnv, fromFile]) {
    for (const address of ['10.255.0.1', '2001:db8::1', '192.0.2.7', '::ffff:10.0.0.1']) {
      assert.ok(trusts(config, address), address);
    }
    for (const address of ['11.0.0.1', '2001:db9::1', '192.0.2.8', '127.0.0.1']) {
      assert.ok(!trusts(config, address), address);
    }
  }
  assert.deepEqual(read({ TAPELOOM_TRUSTED_PROXIES: '' }).trustedProxies, []);
});

test('a proxy that is no address or range stops the start with the variable named', () => {
  for (const text of ['all', '10.0.0', '10.0.0.0/33', '10.0.0.1,', ',', '10.0.0.1 10.0.0.2', '*']) {
    assert.match(
      faultsOf(() => read({ TAPELOOM_TRUSTED_PROXIES: text })).join('\n'),
      /^TAPELOOM_TRUSTED_PROXIES must be a list of addresses or CIDR ranges .*; got ".*"\.$/,
      text,
    );
  }
  for (const trustedProxies of [7, {}, null, [7], [['10.0.0.1']], ['10.0.0.1,10.0.0.2']]) {
    const faults = faultsOf(() => read({}, [], { trustedProxies }));
    assert.match(faults.join('\n'), /^"trustedProxies" in the file must be /);
  }
});

test('variables of the command line tool do not stop the service', () => {
  const ofCommands = { TAPELOOM_URL: 'http://x', TAPELOOM_PROFILE: 'work', TAPELOOM_DEBUG: '1' };
  assert.equal(read({ TAPELOOM_KEY: 'svc_live_x', ...ofCommands }).port, 8080);
  const [fault] = faultsOf(() => read({ TAPELOOM_DEV_KEY: 'svc_live_x' }));
  assert.match(fault!, /^TAPELOOM_DEV_KEY is not a setting/);
  assert.ok(!fault!.includes('svc_live_x'));
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

test('an echo port is a port, and nothing else is taken for one', () => {
  assert.equal(read({}, ['--echo-port', '9001']).echoPort, 9_001);
  const both = read({ TAPELOOM_DATA: '/srv/t' }, ['--echo-port=0', '--speed', '60']);
  assert.deepEqual([both.echoPort, both.speed], [0, 60]);
  assert.deepEqual(
    faultsOf(() => read({}, ['--echo-port', '65536'])),
    ['--echo-port must be a whole number from 0 to 65535; got "65536".'],
  );
  for (const text of ['', 'x', '-1', '080', '1.5', '0x50', ' 80', '99999']) {
    assert.equal(faultsOf(() => read({}, [`--echo-port=${text}`])).length, 1, text);
  }
  assert.equal(faultsOf(() => read({}, ['--echo-port'])).length, 1);
  assert.deepEqual(
    faultsOf(() => read({}, ['--echo-port', '1', '--echo-port=2', '--echo'])),
    [
      '--echo-port is given twice; give it once.',
      'Unknown option --echo. The options are --speed N, --echo-port N and --feed <venue> <symbols>. See --help.',
    ],
  );
});

test('an unknown option is one sentence, whatever its value', () => {
  const sentence = 'Unknown option --spede. Did you mean --speed? See --help.';
  for (const args of [['--spede', '60'], ['--spede=60'], ['--spede']]) {
    assert.deepEqual(
      faultsOf(() => read({}, args)),
      [sentence],
      args.join(' '),
    );
  }
  const both = faultsOf(() => read({}, ['--spede', '--speed', '0']));
  assert.deepEqual(both, [sentence, '--speed must be a number from 1 to 10000; got "0".']);
  assert.equal(faultsOf(() => read({}, ['60'])).length, 1);
});

test('feeds are groups of symbols, each with the options behind it', () => {
  const feed = { dataset: null, streamAddress: null, restAddress: null, keyFile: null };
  const none = { venueDataset: null, backfillHours: null };
  const line = '--feed okx BTC-USDT-SWAP ETH-USDT-SWAP --feed=databento --key-file k ESZ6 ESZ6';
  assert.deepEqual(read({}, line.split(' ')).feeds, [
    { ...feed, venue: 'okx', symbols: ['BTC-USDT-SWAP', 'ETH-USDT-SWAP'], ...none },
    { ...feed, venue: 'databento', symbols: ['ESZ6'], keyFile: 'k', ...none },
  ]);
  const others = '--echo-port 0 --feed okx A --dataset one --stream-address wss://h/p B';
  const [one] = read({}, others.split(' ')).feeds;
  const backfills = read({}, '--feed okx A --backfill 90d --feed okx B --backfill 12h'.split(' '));
  assert.deepEqual(
    backfills.feeds.map(({ backfillHours }) => backfillHours),
    [2_160, 12],
  );
  assert.deepEqual(
    [one!.symbols, one!.dataset, one!.streamAddress],
    [['A', 'B'], 'one', 'wss://h/p'],
  );
  for (const [words, fault] of [
    ['--feed', '--feed needs the name of a venue.'],
    ['--feed okx', '--feed okx needs a symbol, as the venue writes it.'],
    ['--feed okx A --feed', '--feed needs the name of a venue.'],
    ['--feed okx A --key-file', '--key-file needs <file>.'],
    ['--feed okx A --key-file --dataset x', '--key-file needs <file>.'],
    ['--feed okx A --dataset x --dataset y', '--dataset is given twice; give it once.'],
    [
      '--feed okx A --backfill 30m',
      '--backfill must be a time as 12h or 1d, up to 90d; got "30m".',
    ],
    [
      '--feed okx A --backfill 91d',
      '--backfill must be a time as 12h or 1d, up to 90d; got "91d".',
    ],
    ['--dataset x', '--dataset belongs to a feed; write it after --feed.'],
    ['--feeed okx A', 'Unknown option --feeed. Did you mean --feed? See --help.'],
    [
      '--feed okx A --speed 2',
      '--speed cannot be used with --feed: the trades of a venue come in real time.',
    ],
  ] as const) {
    assert.equal(faultsOf(() => read({}, words.split(' ')))[0], fault, words);
  }
});

test('help is asked for by a word anywhere, and names every option and true variables only', () => {
  assert.equal(asksForHelp(['--speed', '--help']), true);
  assert.equal(asksForHelp(['-h']), true);
  assert.equal(asksForHelp(['--speed', '60']), false);
  const text = helpText(BY_NPM);
  for (const option of ['--speed N', '--echo-port N', '--feed <venue>', '--key-file', '--help'])
    assert.ok(text.includes(option), option);
  const variables = [...text.matchAll(/TAPELOOM_\w+/g)].map(([name]) => name);
  assert.ok(variables.length >= 6);
  const faults = faultsOf(() => read(Object.fromEntries(variables.map((name) => [name, '\0']))));
  assert.ok(!faults.some((fault) => fault.includes('is not a setting')), String(faults));
  assert.ok(text.split('\n').every((line) => line.length <= 110));
});

test('days that streams stand on cannot be given up', () => {
  assert.equal(read({ TAPELOOM_KEEP_DAYS: '30' }).keepDays, 30);
  assert.throws(() => read({ TAPELOOM_KEEP_DAYS: '29' }), {
    message: 'TAPELOOM_KEEP_DAYS must be 0 (keep everything) or at least 30; got 29.',
  });
});
