/** The version of this program, as the command line prints it and `/v1/status` tells it. */

import packageJson from '../../package.json' with { type: 'json' };

export const VERSION = packageJson.version;
