/** The missing parts of a range, in responses to `gaps=allow`. */

import { GAPS_NAMED_MAX } from '../../history/gap-list.ts';
import { Instant } from './instant-schema.ts';
import { namedObject, Type } from './schema.ts';

const Gap = namedObject('Gap', {
  from: Instant('Start'),
  to: Instant('End, not part of it'),
  why: Type.Enum(['missing', 'damaged', 'partial'], {
    title: 'GapCause',
    description: '`partial`: other hours of the day are there.',
  }),
});

export const GapsView = {
  gaps: Type.Optional(
    Type.Array(Gap, {
      description:
        'With `gaps` `allow`: what is not there from the reading on, its first session since the open included, in ' +
        `hours in which the market was open; the first ${GAPS_NAMED_MAX.toLocaleString('en')}.`,
    }),
  ),
  gapsTotal: Type.Optional(Type.Integer({ minimum: 0, description: 'How many gaps there are.' })),
};
