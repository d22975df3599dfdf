/** The name of the secret behind the tokens of exports. */
export const EXPORT_SECRET = 'export';
