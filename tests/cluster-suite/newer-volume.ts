/** The volume that every bar of the newer `delta` (`newer-delta.ts`) has in addition. */
export const NEWER_VOLUME = 1_000_000_000;
