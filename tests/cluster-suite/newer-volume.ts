/** What every bar of the newer `delta` (`newer-delta.ts`) has more in volume. */
export const NEWER_VOLUME = 1_000_000_000;
