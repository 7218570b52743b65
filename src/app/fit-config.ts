/** What is known about a project that a configuration can be fitted to. */
export interface Fitting {
  /** The agent CLI of the team; `null`: the first that is found when a run starts. */
  readonly backend: string | null;
  /** Its model; `null`: the CLI's own. */
  readonly model: string | null;
  /** An agent CLI of another make, for the hat that asks for one. */
  readonly otherBackend: string | null;
  /** What proves the work, and the file that names it (`null`: a person did); `null`: the gate stays a comment. */
  readonly gate: { readonly command: string; readonly from: string | null } | null;
  /** A person said that no command proves the work: then a run looks for none. */
  readonly wantsNoGate?: boolean;
}

/** Where the schema is written, for editors that complete and check YAML. */
export const SCHEMA_FILE = '.ralph/schema.json';

const SCHEMA_LINE = `# yaml-language-server: $schema=${SCHEMA_FILE}\n`;
const BACKEND = /^# cli:\n# {3}backend: claude.*$/m;
/** Beside it; once the line above is a setting, it must be one by taking the `#` away. */
const PERMISSIONS = /^# {3}permissions: default/m;
const GATES = /^# gates:\n# {3}- on: (\[.*\])\n# {5}run: npm test$/m;
const BASELINE = 'gate_baseline: green   # also run before the first turn: at the end it must run as many tests, and be green';
const NO_GATES = 'gates: []   # no command proves the work; without this line a run looks for one';
const OTHER_BACKEND = /^( +)# backend: codex$/m;

/**
 * Fits the text of a preset to a project: comments that hold a place become settings. Everything else stays as it is, letter by letter.
 */
export function fitConfig(text: string, { backend, model, otherBackend, gate, wantsNoGate = false }: Fitting): string {
  let fitted = text;
  if (backend !== null)
    fitted = fitted
      .replace(BACKEND, () => `cli:\n  backend: ${model === null ? backend : `{type: ${backend}, model: ${JSON.stringify(model)}}`}`)
      .replace(PERMISSIONS, '  # permissions: default');
  if (gate !== null) fitted = writeGate(fitted, gate.from === null ? JSON.stringify(gate.command) : gate.command);
  if (wantsNoGate) fitted = hasTestGate(fitted) ? fitted.replace(GATES, NO_GATES) : `${fitted.trimEnd()}\n\n${NO_GATES}\n`;
  if (otherBackend !== null) fitted = fitted.replace(OTHER_BACKEND, `$1backend: ${otherBackend}`);
  return `${SCHEMA_LINE}${fitted}`;
}

/** In the place that the text has for it; a team that has none is asked for it before its end. */
function writeGate(text: string, command: string): string {
  const toGate = (topics: string): string => `${BASELINE}\ngates:\n  - on: ${topics}\n    run: ${command}`;
  if (hasTestGate(text)) return text.replace(GATES, (_, topics: string) => toGate(topics));
  return `${text.trimEnd()}\n\n${toGate('[task.complete]')}\n`;
}

/** True if a text has a place for the command that runs the tests. */
export function hasTestGate(text: string): boolean {
  return GATES.test(text);
}

/** True if one of the hats asks for an agent of another make. */
export function wantsOtherBackend(text: string): boolean {
  return OTHER_BACKEND.test(text);
}
