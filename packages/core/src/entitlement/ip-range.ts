/**
 * Addresses and ranges as numbers. Every address is one number of 128 bits, and an IPv4 address is the
 * number of its IPv4-mapped form, so `10.0.0.1` and `::ffff:10.0.0.1` are the same address and no way of
 * writing it slips past a comparison. It follows that an IPv6 range wide enough to hold the mapped
 * addresses, such as `::/0`, holds all IPv4 addresses.
 *
 * Texts are read strictly: four decimal parts without leading zeros, or IPv6 groups with at most one
 * `::`; no shorthand, no octal, no zone, no spaces. A range may name any address inside of it
 * (`10.0.0.1/24` is `10.0.0.0/24`).
 */

declare const brand: unique symbol;
/** An address as a number of 128 bits. */
export type Ip = bigint & { readonly [brand]: 'Ip' };

/** All addresses from `first` to `last`, both included. */
export interface IpRange {
  readonly first: Ip;
  readonly last: Ip;
}

const BITS = 128;
const IPV4_BITS = 32;
const GROUPS = 8;
/** `::ffff:0:0/96`, where the IPv4 addresses are. */
const IPV4_MAPPED = 0xffff_0000_0000n;
/** The longest text: six full groups, a dotted tail, a prefix length. */
const TEXT_CHARACTERS_MAX = 49;

const DOTTED = /^(?:(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$)|$)){4}$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const PREFIX = /^(?:0|[1-9]\d{0,2})$/;

/** The address this text means; null when it is none. */
export function parseIp(text: string): Ip | null {
  if (text.length > TEXT_CHARACTERS_MAX) return null;
  const value = text.includes(':') ? ipv6Value(text) : ipv4Value(text);
  return value === null ? null : (value as Ip);
}

/** An address, or a range in CIDR notation; null when the text is neither. */
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
  const hostBits = (address.includes(':') ? BITS : IPV4_BITS) - Number(prefix);
  if (hostBits < 0) return null;
  const first = (ip >> BigInt(hostBits)) << BigInt(hostBits);
  return { first: first as Ip, last: (first + (1n << BigInt(hostBits)) - 1n) as Ip };
}

export function contains(range: IpRange, ip: Ip): boolean {
  return range.first <= ip && ip <= range.last;
}

/** Whether every address of `inner` is one of `outer`. */
export function includes(outer: IpRange, inner: IpRange): boolean {
  return outer.first <= inner.first && inner.last <= outer.last;
}

export function isIpv4(ip: Ip): boolean {
  return ip >> BigInt(IPV4_BITS) === IPV4_MAPPED >> BigInt(IPV4_BITS);
}

/** The one text of an address: dotted for IPv4, otherwise as RFC 5952 writes it. */
export function ipText(ip: Ip): string {
  if (isIpv4(ip)) {
    return [24n, 16n, 8n, 0n].map((shift) => (ip >> shift) & 0xffn).join('.');
  }
  const groups = Array.from({ length: GROUPS }, (_, index) =>
    ((ip >> BigInt(16 * (GROUPS - 1 - index))) & 0xffffn).toString(16),
  );
  const [start, length] = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
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
  return low === null ? null : IPV4_MAPPED | low;
}

function dottedValue(text: string): bigint | null {
  if (!DOTTED.test(text)) return null;
  return text.split('.').reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function ipv6Value(text: string): bigint | null {
  const halves = text.split('::');
  if (halves.length > 2) return null;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const high = groupValues(head!, tail === undefined);
  const low = groupValues(tail ?? [], true);
  if (high === null || low === null) return null;
  const missing = GROUPS - high.length - low.length;
  // `::` stands for at least one group; without it all groups must be there.
  if (tail === undefined ? missing !== 0 : missing < 1) return null;
  return [...high, ...Array<bigint>(missing).fill(0n), ...low].reduce(
    (value, group) => (value << 16n) | group,
    0n,
  );
}

/** The groups as numbers; where the address ends, its last 32 bits may be written as IPv4. */
function groupValues(groups: readonly string[], isEnd: boolean): bigint[] | null {
  const values: bigint[] = [];
  for (const [index, group] of groups.entries()) {
    const dotted = isEnd && index === groups.length - 1 ? dottedValue(group) : null;
    if (dotted !== null) values.push(dotted >> 16n, dotted & 0xffffn);
    else if (GROUP.test(group)) values.push(BigInt(`0x${group}`));
    else return null;
  }
  return values;
}
