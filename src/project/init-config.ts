import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Environment } from '../core/values/environment.ts';
import { captureBase } from '../git/repository.ts';
import { findSafetyObstacle } from '../safety/safe-runs.ts';

/** What is known about a project that a configuration can be fitted to. */
export interface Fitting {
  /** The agent CLI of the team; `null`: the first that is found when a run starts. */
  readonly backend: string | null;
  /** Its model; `null`: the CLI's own. */
  readonly model: string | null;
  /** An agent CLI of another make, for the hat that asks for one. */
  readonly otherBackend: string | null;
  /** What proves the work, and the file that names it (`null`: a person did; `preset`: it is there already); `null`: the gate stays a comment. */
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
/** That of a team which makes no sense without one. */
const OWN_GATE = /^gates:\n {2}- on: (\[.*\])\n {4}run: (.+)$/m;
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
  if (gate !== null && gate.from !== 'preset') fitted = writeGate(fitted, gate.from === null ? JSON.stringify(gate.command) : gate.command);
  if (wantsNoGate) fitted = hasTestGate(fitted) ? fitted.replace(GATES, NO_GATES) : `${fitted.trimEnd()}\n\n${NO_GATES}\n`;
  if (otherBackend !== null) fitted = fitted.replace(OTHER_BACKEND, `$1backend: ${otherBackend}`);
  return `${SCHEMA_LINE}${fitted}`;
}

/** In the place that the text has for it; a team that has none is asked for it before its end. */
function writeGate(text: string, command: string): string {
  const toGate = (topics: string): string => `${BASELINE}\ngates:\n  - on: ${topics}\n    run: ${command}`;
  if (hasTestGate(text)) return text.replace(GATES, (_, topics: string) => toGate(topics));
  if (findOwnGate(text) !== null) return text.replace(OWN_GATE, (_, topics: string) => toGate(topics));
  return `${text.trimEnd()}\n\n${toGate('[task.complete]')}\n`;
}

/** What the gate of a team that brings one runs; `null`: it brings none. */
export function findOwnGate(text: string): string | null {
  return OWN_GATE.exec(text)?.[2] ?? null;
}

/** True if a text has a place for the command that runs the tests. */
export function hasTestGate(text: string): boolean {
  return GATES.test(text);
}

/** True if one of the hats asks for an agent of another make. */
export function wantsOtherBackend(text: string): boolean {
  return OTHER_BACKEND.test(text);
}

/** What `ralph init` writes without a preset: one agent does everything. */
export const STARTER_CONFIG = `# Ralph keeps agents at work until the task in PROMPT.md is really done.
# Every key: \`ralph config schema\`. Teams that are ready to use: \`ralph presets\`.

# cli:
#   backend: claude   # without it: the first agent CLI that is found, see \`ralph doctor\`
#   permissions: default   # agents run unattended with their own "ask nobody" flag; this leaves it out

event_loop:
  max_iterations: 30
  max_runtime_seconds: 2h
  # max_cost_usd: 10

# Ralph runs these commands itself before it believes that the work is done.
# gates:
#   - on: [task.complete]
#     run: npm test
# Tests that are there already are kept from being rewritten (a run that changes them says so in any case):
# protect: ['test/**', package.json]

# Without hats one agent does everything. A team hands on by events:
# hats:
#   builder:
#     description: Does one step, test first.
#     triggers: [build.task, review.rejected]
#     publishes: [build.done, build.blocked]
#   reviewer:
#     description: Reads the step, runs the tests, passes it or sends it back.
#     triggers: [build.done]
#     publishes: [review.approved, review.rejected]
`;

/** The task beside it. */
export const STARTER_PROMPT = `# What is to be done

Describe the outcome, not the steps. Say how anybody can see that it is reached:

- [ ] … (a sentence that somebody else can check)
- [ ] the project's tests, linter and build pass
`;

/** Where the runs of a project can work. */
export interface InitPlace {
  /** What keeps a run from being safe here, in words; `null`: nothing does. */
  readonly obstacle: string | null;
  /** What a worktree should share with the main checkout, because it is slow to make. */
  readonly links: readonly string[];
}

const STATE_DIRS = ['.ralph', '.agent'];

/** `null` where there can be no worktree: outside of git, and before the first commit. */
export async function findInitPlace(cwd: string, env: Environment): Promise<InitPlace | null> {
  const { commit } = await captureBase({ cwd, env, stateDirs: STATE_DIRS });
  if (commit === null) return null;
  const obstacle = await findSafetyObstacle(cwd, env, STATE_DIRS);
  return { obstacle: obstacle?.what ?? null, links: listLinks(cwd) };
}

/** By what tells that a tool keeps installed packages there. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  node_modules: ['package.json'],
  '.venv': ['pyproject.toml', 'requirements.txt', 'setup.py'],
};

function listLinks(cwd: string): readonly string[] {
  return Object.entries(PACKAGES).flatMap(([folder, files]) => (files.some((file) => existsSync(join(cwd, file))) ? [folder] : []));
}

/** What a configuration says of it. */
export function toWorkspaceText({ obstacle, links }: InitPlace): string {
  const shared = links.length === 0 ? '' : `worktree:\n  link: [${links.join(', ')}]   # shared with it\n`;
  const safe =
    obstacle === null
      ? '# Agents and gates are held by the sandbox of the operating system; once without: ralph run --no-safe\nsafe: true\n'
      : `# safe: true   # not here: ${obstacle.replace(/\s+/g, ' ')}\n`;
  return `\n# A run works in a git worktree of its own; what it did is merged or thrown away afterwards. In this folder instead: in_place\nworkspace: worktree\n${shared}${safe}`;
}
