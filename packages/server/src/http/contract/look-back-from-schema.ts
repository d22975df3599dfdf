/** How far back the objects come that an indicator carries over sessions, in estimates and pages. */

import { Instant } from './instant-schema.ts';
import { Type } from './schema.ts';

export const LookBackFrom = Type.Union(
  [
    Instant(
      'From when on the tape has no gap up to where the reading starts, as far as the indicator looks back: ' +
        'objects carried over from sessions since then are all there, older ones are not',
    ),
    Type.Null(),
  ],
  { description: 'Null for indicators that carry no objects over sessions.' },
);
