/** The lists and files of this repository, for the gate "an indicator has everything". */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TWINS } from '../../packages/core/testing/twins/indicator-twins.ts';
import { INDICATOR_TEXTS } from '../../packages/docs/src/indicator-texts.ts';
import { RECORDED } from '../../packages/portal/recording/recorded-indicators.ts';
import { CARDS } from '../../packages/portal/src/pages/landing/indicator-cards.ts';
import type { House } from './missing-places.ts';

const root = join(import.meta.dirname, '../..');

export const THIS_HOUSE: House = {
  lists: {
    'packages/core/testing/twins/indicator-twins.ts': Object.keys(TWINS),
    'packages/docs/src/indicator-texts.ts': Object.keys(INDICATOR_TEXTS),
    'packages/portal/src/pages/landing/indicator-cards.ts': Object.keys(CARDS),
    'packages/portal/recording/recorded-indicators.ts': Object.keys(RECORDED),
  },
  read: (path) => {
    const file = join(root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  },
};
