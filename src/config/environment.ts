/** Variables that the loop sets for its agents, and the token of people. They are never read as configuration, and no configuration may set them. */
export const RESERVED_VARIABLES: readonly string[] = [
  'RALPH_BIN',
  'RALPH_EVENTS_FILE',
  'RALPH_RUN_ID',
  'RALPH_ITERATION',
  'RALPH_HAT',
  'RALPH_TURN',
  'RALPH_CONTRACT',
  'RALPH_PANEL_ROUND',
  'RALPH_TOKEN',
];

/** The environment of this process, for those who start others and for `readConfig`. No other room reads it. */
export function readEnvironment(): Readonly<Record<string, string>> {
  const entries = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}
