/**
 * External programs that test files of `deploy/`: from the folder `NEIGHBOURS`, filled by
 * `.ci/neighbours`, or from this machine. Without them, tests skip themselves.
 */

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export type Neighbour = 'nginx' | 'haproxy' | 'promtool';

export function neighbourProgram(name: Neighbour): string | null {
  const { NEIGHBOURS: fetched = '', PATH: path = '' } = process.env;
  const places = [fetched, ...path.split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const paths = places.filter((place) => place !== '').map((place) => join(place, name));
  return paths.find((candidate) => existsSync(candidate)) ?? null;
}

/** The value for a test's option `skip`. */
export function neighbourMissing(name: Neighbour): string | false {
  if (neighbourProgram(name) !== null) return false;
  return `there is no ${name} here; .ci/neighbours fetches one, and NEIGHBOURS names its folder`;
}
