/** The version of this package, as in its package.json. */
export const version: string = RALPH_VERSION;
