/**
 * The texts of secrets: a prefix that says what it is, 27 characters of base 62 that hold 160 random bits,
 * and 6 characters of base 62 that hold a CRC32 of all before them.
 */

export const SECRET_RANDOM_CHARACTERS = 27;
export const SECRET_CHECKSUM_CHARACTERS = 6;

/** An API key. */
export const KEY_TEXT = /^svc_(?:live|test)_[0-9A-Za-z]{33}$/;
/** A stream token. */
export const TOKEN_TEXT = /^svc_token_[0-9A-Za-z]{33}$/;
/** What a link that was mailed carries, and what a signed-in browser keeps. */
export const LINK_TEXT = /^svc_link_[0-9A-Za-z]{33}$/;
export const SESSION_TEXT = /^svc_session_[0-9A-Za-z]{33}$/;
