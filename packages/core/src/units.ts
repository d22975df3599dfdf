/** Units of time and memory. Names ending in `_BIG` are bigints, like instants. */

export const MS_NS = 1_000_000;
export const SECOND_NS = 1_000_000_000;
export const MINUTE_NS = 60_000_000_000;
export const HOUR_NS = 3_600_000_000_000;
export const DAY_NS = 86_400_000_000_000;

export const MS_NS_BIG = 1_000_000n;
export const SECOND_NS_BIG = 1_000_000_000n;
export const MINUTE_NS_BIG = 60_000_000_000n;
export const HOUR_NS_BIG = 3_600_000_000_000n;
export const DAY_NS_BIG = 86_400_000_000_000n;

export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export const HOUR_SECONDS = 3_600;
export const DAY_SECONDS = 86_400;

export const KIB = 1_024;
export const MIB = 1_048_576;
export const GIB = 1_073_741_824;
