/** The parameter and the words shared by indicators whose objects are carried over sessions. */

import type { SingleParameter } from './indicator.ts';

export const LOOK_BACK_PARAMETER: SingleParameter = {
  name: 'lookback',
  type: 'integer',
  default: 1,
  minimum: 1,
  maximum: 20,
  unit: 'sessions',
  description:
    'The number of sessions after its own that an object lives at most; the close of the last of them removes it.',
};

export const CARRIED_RULES =
  'An object that remains is removed at the close of the session that is lookback sessions after ' +
  'its own. These removals follow the births of that close, the oldest object first. A session ' +
  'gives birth to objects only while it is whole on the tape: from its first missing UTC day on, ' +
  'nothing is born in it. At the close of such a session all objects are removed, the oldest first, ' +
  'because the missing trades may have removed them. Only trades of the selected sessions count. ' +
  'Objects are final at birth. The ts of a remove is the time of the trade or the close that ' +
  'removed the object.';
