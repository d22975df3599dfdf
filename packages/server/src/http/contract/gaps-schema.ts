/** The missing parts of a range, in responses to `gaps=allow`. */

import { GAPS_NAMED_MAX } from '../../history/gap-list.ts';
import { Instant } from './instant-schema.ts';
import { namedObject, Type } from './schema.ts';

const Gap = namedObject('Gap', {
  from: Instant('Start'),
  to: Instant('End, exclusive'),
  why: Type.Enum(['missing', 'damaged', 'partial'], {
    title: 'GapCause',
    description:
      '`partial`: the tape has other hours of the day. A gap that still grows ends where the tape does.',
  }),
});

export const GapsView = {
  gaps: Type.Optional(
    Type.Array(Gap, {
      description:
        'With `gaps=allow`: the open market hours that are missing from the tape, starting at the open of ' +
        `the first session that the query reads. The first ${GAPS_NAMED_MAX.toLocaleString('en')} are ` +
        'listed.',
    }),
  ),
  gapsTotal: Type.Optional(Type.Integer({ minimum: 0, description: 'The number of gaps.' })),
};
