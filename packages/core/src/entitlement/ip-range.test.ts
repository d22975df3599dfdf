import assert from 'node:assert/strict';
import { BlockList, isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { contains, includes, ipText, isIpv4, parseIp, parseIpRange } from './ip-range.ts';

const rangeOf = (text: string) => {
  const range = parseIpRange(text);
  assert.ok(range, text);
  return range;
};
const ipOf = (text: string) => {
  const ip = parseIp(text);
  assert.ok(ip !== null, text);
  return ip;
};

const familyOf = (text: string) => (text.includes(':') ? 'ipv6' : 'ipv4');

/** Addresses near each other, so that ranges often contain them and often just miss them. */
const ipv4Texts = fc
  .tuple(...[10, 255, 255, 255].map((max) => fc.constantFrom(0, 1, 10, 127, 128, 192, 255, max)))
  .map((parts) => parts.join('.'));
const groups = fc.array(fc.constantFrom('0', '1', 'ffff', '8000', 'a01', '2001', 'db8'), {
  minLength: 8,
  maxLength: 8,
});
const mappedTexts = ipv4Texts.map((text) => `::ffff:${text}`);
const ipv6Texts = fc.oneof(
  fc.ipV6(),
  groups.map((parts) => parts.join(':')),
  mappedTexts,
);
const ipTexts = fc.oneof(ipv4Texts, fc.ipV4(), ipv6Texts);
const namesIpv4 = (text: string) => text.includes('.') || isIpv4(ipOf(text));
const cidrTexts = fc.oneof(
  fc.tuple(ipv4Texts, fc.nat(32)).map(([text, prefix]) => `${text}/${prefix}`),
  fc
    .tuple(ipv6Texts, fc.nat(128))
    .map(([text, prefix]) => `${text}/${namesIpv4(text) ? 96 + (prefix % 33) : prefix}`),
  fc.tuple(mappedTexts, fc.integer({ min: 96, max: 128 })).map(([text, n]) => `${text}/${n}`),
);

test('addresses are read in their full form only; shorthand and tricks are refused [SEC-04]', () => {
  const sound = [
    '0.0.0.0',
    '255.255.255.255',
    '192.168.1.10',
    '::',
    '::1',
    '1::',
    '2001:db8::1',
    '2001:0DB8:0000:0000:0000:0000:0000:0001',
    '1:2:3:4:5:6:7:8',
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '::ffff:10.0.0.1',
    '64:ff9b::192.0.2.33',
    '1:2:3:4:5:6:1.2.3.4',
    'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255',
  ];
  const refused = [
    '',
    ' ',
    '192.168.1',
    '192.168.1.',
    '.192.168.1.1',
    '192.168..1',
    '10',
    '167772161',
    '0x0a000001',
    '0x0a.0.0.1',
    '012.0.0.1',
    '10.0.0.01',
    '10.0.0.00',
    '10.0.0.1.1',
    '256.0.0.1',
    '300.1.1.1',
    '1e1.0.0.1',
    '-1.0.0.1',
    '+1.0.0.1',
    ' 10.0.0.1',
    '10.0.0.1 ',
    '10.0.0.1\n',
    '10.0.0.1\0',
    '10,0,0,1',
    '١٠.0.0.1',
    '10.0.0.1:80',
    '[::1]',
    ':',
    ':::',
    '1::2::3',
    ':1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4::5:6:7:8',
    '::1:2:3:4:5:6:7:8',
    '12345::',
    'g::',
    '0x1::',
    'fe80::1%eth0',
    'fe80::1%0',
    '::ffff:10.0.0',
    '::ffff:10.0.0.01',
    '::10.0.0.1:1',
    '10.0.0.1::',
    '1:2:3:4:5:6:7:1.2.3.4',
    '::1.2.3.4.5',
    'abc',
    'localhost',
    `${'0'.repeat(100)}::`,
  ];
  for (const text of sound) assert.notEqual(parseIp(text), null, text);
  for (const text of refused) {
    assert.equal(parseIp(text), null, JSON.stringify(text));
    assert.equal(parseIpRange(text), null, JSON.stringify(text));
    assert.equal(parseIpRange(`${text}/32`), null, JSON.stringify(text));
  }
});

test('a prefix length is a plain number within the bits of its address [SEC-04]', () => {
  const sound = ['10.0.0.0/0', '10.0.0.0/32', '10.0.0.1/24', '::/0', '::1/128', '::ffff:0:0/96'];
  const refused = [
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/+8',
    '10.0.0.0/8.0',
    '10.0.0.0/1e1',
    '10.0.0.0/ 8',
    '10.0.0.0/8 ',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.0.0',
    '10/8',
    '192.168.1/24',
    '::/129',
    '::/1000',
    '/8',
    'fe80::%eth0/64',
    '10.0.0.0/99999999999999999999999999999999999999',
  ];
  for (const text of sound) assert.notEqual(parseIpRange(text), null, text);
  for (const text of refused) assert.equal(parseIpRange(text), null, JSON.stringify(text));
});

test('an address text is sound exactly when Node thinks so, but for zones', () => {
  const characters = fc.constantFrom(...'0123456789abcdfF:::...%/ x'.split(''));
  const nearly = fc
    .tuple(ipTexts, fc.nat(45), fc.nat(3), fc.string({ unit: characters, maxLength: 3 }))
    .map(([text, at, cut, added]) => text.slice(0, at) + added + text.slice(at + cut));
  const texts = fc.oneof(ipTexts, nearly, fc.string({ unit: characters, maxLength: 24 }));
  fc.assert(
    fc.property(texts, (text) => {
      assert.equal(parseIp(text) !== null, isIP(text) !== 0 && !text.includes('%'), text);
    }),
    { numRuns: 20_000 },
  );
});

test('a range holds an address exactly when Node thinks so [SEC-04]', () => {
  fc.assert(
    fc.property(cidrTexts, ipTexts, (cidr, text) => {
      const [address, prefix] = cidr.split('/') as [string, string];
      const peer = new BlockList();
      peer.addSubnet(address, Number(prefix), familyOf(address));
      assert.equal(contains(rangeOf(cidr), ipOf(text)), peer.check(text, familyOf(text)));
    }),
    { numRuns: 5000 },
  );
});

test('a mapped address is its IPv4 address, alone and in ranges [SEC-04]', () => {
  fc.assert(
    fc.property(ipv4Texts, fc.nat(32), (text, prefix) => {
      const mapped = `::ffff:${text}`;
      const hex = ipOf(text).toString(16).padStart(12, '0');
      const inGroups = `0:0:0:0:0:${hex.slice(0, 4)}:${hex.slice(4, 8)}:${hex.slice(8)}`;
      assert.equal(ipOf(mapped), ipOf(text));
      assert.equal(ipOf(inGroups), ipOf(text));
      assert.deepEqual(rangeOf(`${mapped}/${96 + prefix}`), rangeOf(`${text}/${prefix}`));
      assert.deepEqual(rangeOf(`${inGroups}/${96 + prefix}`), rangeOf(`${text}/${prefix}`));
    }),
  );
  assert.deepEqual(rangeOf('::ffff:10.0.0.0/104'), rangeOf('10.0.0.0/8'));
  // Two other forms of IPv4 inside IPv6 are different addresses.
  assert.notEqual(ipOf('::10.0.0.1'), ipOf('10.0.0.1'));
  assert.notEqual(ipOf('64:ff9b::10.0.0.1'), ipOf('10.0.0.1'));
});

test('an IPv4 address inside of an IPv6 one has no range that reaches beyond it [SEC-04]', () => {
  for (const text of ['::ffff:10.0.0.1', '::ffff:a00:1', '::10.0.0.1', '64:ff9b::10.0.0.1']) {
    assert.notEqual(parseIpRange(`${text}/96`), null, text);
    for (const prefix of [0, 8, 24, 80, 95]) {
      const cidr = `${text}/${prefix}`;
      assert.equal(parseIpRange(cidr), null, cidr);
    }
  }
  // A neighbouring address is an ordinary one.
  assert.notEqual(parseIpRange('::fffe:a00:1/80'), null);
  assert.notEqual(parseIpRange('64:ff9b::a00:1/64'), null);
});

test('an IPv6 range that reaches over the mapped addresses holds all of IPv4', () => {
  assert.equal(contains(rangeOf('::/0'), ipOf('192.0.2.1')), true);
  assert.equal(contains(rangeOf('::/80'), ipOf('192.0.2.1')), true);
  assert.equal(includes(rangeOf('::/0'), rangeOf('0.0.0.0/0')), true);
  assert.equal(includes(rangeOf('0.0.0.0/0'), rangeOf('::/0')), false);
  assert.equal(contains(rangeOf('2000::/3'), ipOf('192.0.2.1')), false);
});

test('a range may name any of its addresses', () => {
  assert.deepEqual(rangeOf('10.0.0.1/24'), rangeOf('10.0.0.0/24'));
  assert.deepEqual(rangeOf('10.0.0.255/24'), rangeOf('10.0.0.0/24'));
  assert.deepEqual(rangeOf('2001:db8::1/64'), rangeOf('2001:db8::/64'));
  assert.deepEqual(rangeOf('10.0.0.1'), rangeOf('10.0.0.1/32'));
  assert.deepEqual(rangeOf('::1'), rangeOf('::1/128'));
  fc.assert(
    fc.property(cidrTexts, (cidr) => {
      assert.ok(contains(rangeOf(cidr), ipOf(cidr.slice(0, cidr.indexOf('/')))));
    }),
  );
});

test('a range includes another exactly when it holds both of its ends [SEC-04]', () => {
  fc.assert(
    fc.property(cidrTexts, cidrTexts, ipTexts, (a, b, text) => {
      const [outer, inner] = [rangeOf(a), rangeOf(b)];
      const isIncluded = includes(outer, inner);
      assert.equal(isIncluded, contains(outer, inner.first) && contains(outer, inner.last));
      const ip = ipOf(text);
      if (isIncluded && contains(inner, ip)) assert.ok(contains(outer, ip));
      // CIDR ranges nest or are disjoint; they never overlap in part.
      const overlap = inner.first <= outer.last && outer.first <= inner.last;
      assert.equal(overlap, isIncluded || includes(inner, outer));
    }),
    { numRuns: 2000 },
  );
});

test('an address has one text, which reads back as the same address', () => {
  fc.assert(
    fc.property(ipTexts, (text) => {
      const ip = ipOf(text);
      assert.equal(ipOf(ipText(ip)), ip);
      assert.equal(ipText(ipOf(ipText(ip))), ipText(ip));
      assert.equal(isIP(ipText(ip)), isIpv4(ip) ? 4 : 6);
    }),
    { numRuns: 1000 },
  );
  const cases: readonly [string, string][] = [
    ['::ffff:127.0.0.1', '127.0.0.1'],
    ['::FFFF:7F00:1', '127.0.0.1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['1:0:0:0:0:0:0:0', '1::'],
    ['2001:0DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
    ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ];
  for (const [text, expected] of cases) assert.equal(ipText(ipOf(text)), expected);
});
