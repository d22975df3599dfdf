/** What charts with indicators, letters, tape speed or forced colours need besides: loaded when one shows some of it. */

export { paintBubbles } from './bubbles.ts';
export { paintForcedCells } from './forced-cells.ts';
export { paintLetters } from './letters.ts';
export { paintLevels } from './level-lines.ts';
export { paintPeriodProfiles } from './period-profiles.ts';
export { paintSpeedName } from './speed-name.ts';
export { paintSpeed } from './speed-pane.ts';
export { paintZones } from './zones.ts';
