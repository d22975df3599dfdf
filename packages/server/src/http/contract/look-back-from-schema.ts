/** How far back the objects come that an indicator carries over sessions, in estimates and pages. */

import { Instant } from './instant-schema.ts';
import { Type } from './schema.ts';

export const LookBackFrom = Type.Union(
  [
    Instant(
      'The time from which the tape has no gap up to the start of the reading, within the look-back of the indicator',
    ),
    Type.Null(),
  ],
  {
    description:
      'From this time to the start of the reading the tape has no gap, within the look-back of the ' +
      'indicator. The results include all objects carried over from sessions since then, and no older ' +
      'ones. Null for indicators that carry no objects from session to session.',
  },
);
