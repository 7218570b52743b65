/** Variables of a process's environment, as `process.env` has them: one that is not set is absent or undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;
