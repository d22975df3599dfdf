/** The parameter and the words shared by indicators whose objects are carried over sessions. */

import type { SingleParameter } from './indicator.ts';

export const LOOK_BACK_PARAMETER: SingleParameter = {
  name: 'lookback',
  type: 'integer',
  default: 1,
  minimum: 1,
  maximum: 20,
  unit: 'sessions',
  description: 'How many sessions after its own an object lives at most, to the close of the last.',
};

export const CARRIED_RULES =
  'What is not removed so is removed at the close of the session lookback sessions after its own, the ' +
  'oldest first, after the births of that close. Objects are made by sessions that are whole on the tape: ' +
  'from the first UTC day on that a session lacks, nothing is born in it, and at its close all objects are ' +
  'removed, the oldest first, for the missing trades may have removed them. Only trades of the sessions chosen count. Objects are ' +
  "final at birth; a remove's ts is the time of the trade or the close that removed it.";
