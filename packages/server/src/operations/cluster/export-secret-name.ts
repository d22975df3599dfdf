/** The name of the secret behind export tokens. */
export const EXPORT_SECRET = 'export';
