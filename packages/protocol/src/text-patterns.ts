/** JSON Schema patterns of the interface's structured texts. */

/** A cursor: UTC day, rank and k. */
export const CURSOR_PATTERN = '^[1-9][0-9]{7}\\.(0|[1-9][0-9]{0,9})\\.(0|[1-9][0-9]{0,9})$';
/** `next` of a page: a cursor, with the revision of imported days if there is one. */
export const NEXT_PATTERN = CURSOR_PATTERN.replace('$', '(~[0-9a-f]{12})?$');
/** An instant as the service sends it: nanoseconds since 1970-01-01 UTC. */
export const INSTANT_PATTERN = '^(0|[1-9][0-9]{0,18})$';
/** An instant as the service accepts it: nanoseconds, an RFC 3339 time, or a date. */
export const INSTANT_TEXT_PATTERN =
  '^((0|[1-9][0-9]{17,18})|[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt][0-9]{2}:[0-9]{2}:[0-5][0-9]([.][0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2}))?)$';
