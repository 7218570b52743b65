import { AGENT_KEYS, BACKEND, BACKEND_PRIORITY } from './backend-keys.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { HAT_KEYS, RALPH_KEYS } from './hat-keys.ts';
import type { Keys, ObjectSetting, ValuesOf } from './setting.ts';

const LATER = { kind: 'later', doc: 'Not read by this version.' } as const;
const TOOL = { kind: 'word', doc: 'A tool or a group of tools.' } as const;
const PRICE = { kind: 'number', min: 0 } as const;

/** The keys of `cli:`. */
export const CLI_KEYS = {
  backend: BACKEND,
  ...AGENT_KEYS,
  permissions: { ...AGENT_KEYS.permissions, default: 'bypass' },
  priority: BACKEND_PRIORITY,
} as const satisfies Keys;

/** The keys of `core:`. */
export const CORE_KEYS = {
  scratchpad: { kind: 'path', doc: 'The notes that agents keep between turns.', default: '.agent/scratchpad.md' },
  events_file: { kind: 'path', doc: 'The file that agents append events to.', default: '.agent/events.jsonl' },
  specs_dir: { kind: 'file', doc: 'Where agents find specifications.', default: './specs/' },
  guardrails: {
    kind: 'list',
    doc: 'Rules for every agent instead of the built-in ones.',
    items: { kind: 'text', doc: 'One rule.', verbatim: true },
  },
  state_dir: { kind: 'path', doc: 'Where the journals of runs are kept.', default: '.ralph' },
  turn_log_mb: { kind: 'number', doc: 'How much of the output of one turn is kept, in megabytes.', above: 0, default: 64 },
} as const satisfies Keys;

/** The keys of one entry of `gates:`. */
export const GATE_KEYS = {
  on: {
    kind: 'list',
    doc: 'Topics and patterns that it guards.',
    items: { kind: 'pattern', doc: 'A topic or pattern.' },
    nonEmpty: true,
    default: ['task.complete'],
  },
  run: { kind: 'command', doc: 'The command line that must succeed.', required: true },
  timeout_seconds: { kind: 'duration', doc: 'Longest time it may take.', above: 0, default: 600 },
} as const satisfies Keys;

/** The keys of `prices.<model>`. */
const PRICE_KEYS = {
  input: { ...PRICE, doc: 'US dollars for a million input tokens.', required: true },
  output: { ...PRICE, doc: 'US dollars for a million output tokens.', required: true },
  cache_read: { ...PRICE, doc: 'US dollars for a million tokens read from the cache; `input` by default.' },
  cache_write: { ...PRICE, doc: 'US dollars for a million tokens written to the cache; `input` by default.' },
  as_of: { kind: 'word', doc: 'The day on which the price was true, such as 2026-11-21.' },
} as const satisfies Keys;

/** The keys of `profiles.<name>`. */
const PROFILE_KEYS = {
  description: { kind: 'text', doc: 'What the profile is for.' },
  allow: { kind: 'list', doc: 'Tools and groups of tools that are there.', items: TOOL },
  deny: { kind: 'list', doc: 'Tools and groups that are not, whatever else says so.', items: TOOL },
  exempt: { kind: 'list', doc: 'Tools and groups that stay though they are not read-only.', items: TOOL },
  require_read_only: { kind: 'flag', doc: 'Only tools that change nothing.' },
  deny_destructive: { kind: 'flag', doc: 'No tools that can lose data.' },
} as const satisfies Keys;

/** The keys of `worktree:`. */
export const WORKTREE_KEYS = {
  link: {
    kind: 'list',
    doc: 'Files and folders that a worktree shares with the main checkout.',
    items: { kind: 'path', doc: 'A path.' },
    default: [],
  },
} as const satisfies Keys;

/** The keys of the whole file. */
export const TOP_KEYS = {
  name: { kind: 'word', doc: 'What people call this collection.' },
  description: { kind: 'text', doc: 'What this collection is for.' },
  mode: {
    kind: 'choice',
    doc: '`single`: one agent, the classic loop; `multi`: the hats coordinate themselves.',
    values: ['single', 'multi'],
  },
  event_loop: { kind: 'object', doc: 'The loop: its prompt, its limits, who coordinates.', keys: EVENT_LOOP_KEYS },
  cli: { kind: 'object', doc: 'The agent that hats wear by default.', keys: CLI_KEYS },
  core: { kind: 'object', doc: 'Files and folders.', keys: CORE_KEYS },
  hats: { kind: 'map', doc: 'The team.', hatIds: true, values: { kind: 'object', doc: 'A hat.', keys: HAT_KEYS } },
  ralph: { kind: 'object', doc: 'Ralph himself.', keys: RALPH_KEYS },
  gates: {
    kind: 'list',
    doc: 'Commands that must succeed before an event counts.',
    items: { kind: 'object', doc: 'A gate.', keys: GATE_KEYS },
  },
  prices: {
    kind: 'map',
    doc: 'Prices of models (or backends) whose agent reports tokens but no cost.',
    values: { kind: 'object', doc: 'Prices for a million tokens.', keys: PRICE_KEYS },
  },
  notify: { kind: 'command', doc: 'A command line that is run at the end of a run.' },
  worktree: { kind: 'object', doc: 'Runs in a git worktree of their own.', keys: WORKTREE_KEYS },
  protect: LATER,
  profiles: {
    kind: 'map',
    doc: 'Tool profiles of your own; they bind from the version that brings tool profiles.',
    values: { kind: 'object', doc: 'A tool profile.', keys: PROFILE_KEYS },
  },
  permissions: LATER,
  hooks: LATER,
  hooks_defaults: LATER,
  mcp_servers: LATER,
  events: LATER,
  sandbox: LATER,
  on_violation: LATER,
  tools: LATER,
  providers: LATER,
  native: LATER,
  agents: LATER,
  fleet: LATER,
} as const satisfies Keys;

/** The settings table: everything that can be written in a configuration file. */
export const SETTINGS_TABLE = { kind: 'object', doc: 'A configuration of Ralph.', keys: TOP_KEYS } as const satisfies ObjectSetting;

/** A configuration as it was written, checked: what is wrong or unknown is left out. */
export type Declared = ValuesOf<typeof TOP_KEYS>;
/** One hat of it. */
export type DeclaredHat = ValuesOf<typeof HAT_KEYS>;
