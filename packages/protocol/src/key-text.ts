/** The text of an API key: prefix, then at least 160 random bits and a checksum in base 62. */

export const KEY_TEXT = /^svc_(?:live|test)_[0-9A-Za-z]{24,128}$/;
