/**
 * `node packages/portal/build.ts [--out folder]` builds the portal into `packages/portal/dist` or the given folder. A
 * new build replaces the old one in one step; a failed build changes nothing and exits with 1.
 */

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPortal, portalOut } from './build-steps/build-portal.ts';
import { sizeReport } from './build-steps/script-sizes.ts';

const { values } = parseArgs({ options: { out: { type: 'string', default: portalOut } } });
const startMs = performance.now();
const built = await buildPortal(resolve(values.out));
for (const line of sizeReport(built.sizes)) console.log(line);
const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
console.log(`portal: built into ${built.folder} in ${seconds} s`);
