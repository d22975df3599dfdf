/**
 * The texts of secrets: a prefix with the kind, 27 base-62 characters with 160 random bits, and 6 base-62 characters
 * with a CRC32 of all before them.
 */

export const SECRET_RANDOM_CHARACTERS = 27;
export const SECRET_CHECKSUM_CHARACTERS = 6;

export const KEY_TEXT = /^svc_(?:live|test)_[0-9A-Za-z]{33}$/;
export const TOKEN_TEXT = /^svc_token_[0-9A-Za-z]{33}$/;
/** The secret of a mailed link, and that of a signed-in browser. */
export const LINK_TEXT = /^svc_link_[0-9A-Za-z]{33}$/;
export const SESSION_TEXT = /^svc_session_[0-9A-Za-z]{33}$/;
