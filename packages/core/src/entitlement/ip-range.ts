/**
 * IP addresses and ranges as numbers of 128 bits. An IPv4 address is its IPv4-mapped form, so `10.0.0.1` and
 * `::ffff:10.0.0.1` are equal in every comparison. Hence an IPv6 range that contains the mapped addresses, such as
 * `::/0`, contains all IPv4 addresses. Parsing is strict: four decimal parts without leading zeros, or IPv6 groups with
 * at most one `::`; no shorthand, octal, zone or spaces.
 */

declare const brand: unique symbol;
export type Ip = bigint & { readonly [brand]: 'Ip' };

/** All addresses from `first` to `last`, inclusive. */
export interface IpRange {
  readonly first: Ip;
  readonly last: Ip;
}

const BITS = 128;
const IPV4_BITS = 32;
/** An IPv6 range of IPv4 addresses has at least this prefix; a shorter one would reach beyond them. */
const IPV4_PREFIX_MIN = BITS - IPV4_BITS;
const GROUPS = 8;
const GROUP_DIGITS = 4;
/** `::ffff:0:0/96`, the range of IPv4-mapped addresses. */
const IPV4_MAPPED = 0xffff_0000_0000n;
const IPV4_MASK = 0xffff_ffffn;
/** The longest text: six full groups, a dotted tail, a prefix length. */
const TEXT_CHARACTERS_MAX = 49;

const DOTTED = /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

export function parseIp(text: string): Ip | null {
  if (text.length > TEXT_CHARACTERS_MAX) return null;
  const value = text.includes(':') ? ipv6Value(text) : ipv4Value(text);
  return value === null ? null : (value as Ip);
}

/**
 * An address, or a range in CIDR notation; null if the text is neither. A range may name any of its addresses
 * (`10.0.0.1/24` is `10.0.0.0/24`). An IPv4 address in IPv6 form with a prefix below 96, such as `::ffff:10.0.0.1/8`,
 * is rejected: it would mean all of IPv4.
 */
export function parseIpRange(text: string): IpRange | null {
  const slash = text.indexOf('/');
  if (slash === -1) {
    const ip = parseIp(text);
    return ip === null ? null : { first: ip, last: ip };
  }
  const address = text.slice(0, slash);
  const ip = parseIp(address);
  const prefix = text.slice(slash + 1);
  if (ip === null || !PREFIX.test(prefix)) return null;
  const isIpv6 = address.includes(':');
  const hostBits = (isIpv6 ? BITS : IPV4_BITS) - Number(prefix);
  if (hostBits < 0) return null;
  const namesIpv4 = isIpv4(ip) || address.includes('.');
  if (isIpv6 && namesIpv4 && Number(prefix) < IPV4_PREFIX_MIN) return null;
  const first = (ip >> BigInt(hostBits)) << BigInt(hostBits);
  return { first: first as Ip, last: (first + (1n << BigInt(hostBits)) - 1n) as Ip };
}

export function contains(range: IpRange, ip: Ip): boolean {
  return range.first <= ip && ip <= range.last;
}

/** Whether `outer` contains every address of `inner`. */
export function includes(outer: IpRange, inner: IpRange): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

export function isIpv4(ip: Ip): boolean {
  return ip >= IPV4_MAPPED && ip <= (IPV4_MAPPED | IPV4_MASK);
}

/** The canonical text of an address: dotted for IPv4, otherwise by RFC 5952. */
export function ipText(ip: Ip): string {
  if (isIpv4(ip)) {
    const low = Number(ip & IPV4_MASK);
    return `${low >>> 24}.${(low >>> 16) & 255}.${(low >>> 8) & 255}.${low & 255}`;
  }
  const digits = ip.toString(16).padStart(GROUPS * GROUP_DIGITS, '0');
  const groups = Array.from({ length: GROUPS }, (_, index) =>
    digits.slice(index * GROUP_DIGITS, (index + 1) * GROUP_DIGITS).replace(/^0{1,3}/, ''),
  );
  const [start, length] = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** In CIDR notation; a single address as itself. */
export function rangeText({ first, last }: IpRange): string {
  const hostBits = first === last ? 0 : (last - first).toString(2).length;
  if (hostBits === 0) return ipText(first);
  const bits = isIpv4(first) && hostBits <= IPV4_BITS ? IPV4_BITS : BITS;
  return `${ipText(first)}/${bits - hostBits}`;
}

/** Start and length of the first of the longest runs of zero groups. */
function longestZeros(groups: readonly string[]): readonly [start: number, length: number] {
  let best: readonly [number, number] = [0, 0];
  let start = 0;
  groups.forEach((group, index) => {
    if (group !== '0') start = index + 1;
    else if (index + 1 - start > best[1]) best = [start, index + 1 - start];
  });
  return best;
}

function ipv4Value(text: string): bigint | null {
  const low = dottedValue(text);
  return low === null ? null : IPV4_MAPPED + BigInt(low);
}

function dottedValue(text: string): number | null {
  if (!DOTTED.test(text)) return null;
  return text.split('.').reduce((value, part) => value * 256 + Number(part), 0);
}

function ipv6Value(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const high = hexDigits(head!, tail === undefined);
  const low = hexDigits(tail ?? [], true);
  if (high === null || low === null) return null;
  const missing = GROUPS * GROUP_DIGITS - high.length - low.length;
  // `::` stands for at least one group; without it all groups must be there.
  if (tail === undefined ? missing !== 0 : missing < GROUP_DIGITS) return null;
  return BigInt(`0x${high}${'0'.repeat(missing)}${low}`);
}

/** Four digits per group. The last two groups of the address may be in IPv4 form. */
function hexDigits(groups: readonly string[], isEnd: boolean): string | null {
  let digits = '';
  for (const [index, group] of groups.entries()) {
    const dotted = isEnd && index === groups.length - 1 ? dottedValue(group) : null;
    if (dotted !== null) digits += dotted.toString(16).padStart(2 * GROUP_DIGITS, '0');
    else if (GROUP.test(group)) digits += group.padStart(GROUP_DIGITS, '0');
    else return null;
  }
  return digits;
}
