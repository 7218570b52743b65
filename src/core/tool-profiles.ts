/** The tool profiles that are built in (seed 000); a configuration can name more under `profiles:`. */
export const BUILT_IN_PROFILES: readonly string[] = ['explorer', 'planner', 'creator', 'critic', 'editor'];
