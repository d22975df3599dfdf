/**
 * Programs that stand beside the service, with which files of `deploy/` are tried: those that `.ci/neighbours` has fetched
 * into the folder that `NEIGHBOURS` names, or those of this machine. Without them tests skip themselves.
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

/** For the option `skip` of a test. */
export function neighbourMissing(name: Neighbour): string | false {
  if (neighbourProgram(name) !== null) return false;
  return `there is no ${name} here; .ci/neighbours fetches one, and NEIGHBOURS names its folder`;
}
