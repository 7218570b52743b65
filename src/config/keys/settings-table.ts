import { EXTERNAL, QUALITY_GATE, RALPH, SYSTEM } from '../../core/events/reserved.ts';
import { AGENT_KEYS, BACKEND, BACKEND_PRIORITY, EMIT_TOOL } from './backend-keys.ts';
import { EVENT_LOOP_KEYS } from './event-loop-keys.ts';
import { CHANGED_TESTS, GATE_BASELINE, GATE_KEYS, PROTECT } from './gate-keys.ts';
import { PANEL } from './panel-keys.ts';
import { EXTERNAL_EVENTS, HAT_SANDBOX, HUMAN, ISOLATION, NOTIFY, ON_VIOLATION, SAFE, SANDBOX, WORKSPACE } from './sandbox-keys.ts';
import type { Keys, MapSetting, ObjectSetting, ValuesOf } from './setting.ts';
import { MCP_SERVERS, ON_ASK_KEY, PERMISSIONS, PROFILE, PROFILES, TOOLS } from './tool-keys.ts';

const LATER = { kind: 'later', doc: 'Not read by this version.' } as const;

const HOOKS = { kind: 'hooks', verbatim: true } as const;

const PRICE = { kind: 'number', min: 0 } as const;

const PATTERN = { kind: 'pattern', doc: 'A topic, or a pattern in which `*` is a whole segment.' } as const;

export const HAT_KEYS = {
  name: { kind: 'word', doc: 'What people call the hat; its id by default.' },
  description: { kind: 'text', doc: 'What the hat is for, in a sentence that the other hats read.' },
  triggers: { kind: 'list', doc: 'Topics and patterns that wake the hat; each hat needs one.', items: PATTERN, nonEmptyByRule: true },
  subscriptions: { kind: 'list', doc: 'Another name of `triggers`.', items: PATTERN, nonEmptyByRule: true },
  subscribes_to: { kind: 'list', doc: 'Another name of `triggers`.', items: PATTERN, nonEmptyByRule: true },
  publishes: {
    kind: 'list',
    doc: 'Topics and patterns that the hat may publish; everything else is refused.',
    default: [],
    items: {
      kind: 'publish',
      doc: 'A topic or pattern, or `{topic, target}` for an event that goes to one hat.',
      topic: PATTERN,
      keys: {
        topic: { ...PATTERN, required: true },
        target: { kind: 'word', doc: 'The hat that gets it.' },
      },
    },
  },
  default_publishes: {
    kind: 'list',
    doc: 'Topics, no patterns, that are published for the hat when a turn succeeded, said something and emitted nothing.',
    default: [],
    items: PATTERN,
  },
  transitions: {
    kind: 'list',
    doc: 'Hats that a `HAT_TRANSITION:` line of this hat may call.',
    default: [],
    items: { kind: 'word', doc: 'A hat.' },
  },
  instructions: { kind: 'text', doc: "The hat's own words; derived from the rest where absent.", verbatim: true },
  instructions_file: { kind: 'file', doc: 'A file with more instructions, relative to the configuration file.' },
  max_activations: { kind: 'integer', doc: 'Turns after which the hat is not called again and its events go to Ralph.', min: 1 },
  takes: { kind: 'choice', doc: 'How many of the events that wait for the hat one turn is given.', values: ['all', 'one'], default: 'all' },
  parallel: {
    kind: 'integer',
    doc: 'How many turns of the hat work at the same time where so many events wait for it, each with one of them and in a copy of the folder; implies `takes: one`.',
    min: 1,
    max: 64,
  },
  timeout_seconds: { kind: 'duration', doc: 'Longest turn; `event_loop.timeout_seconds` by default.', above: 0 },
  idle_timeout_seconds: { kind: 'duration', doc: 'Longest silence; `event_loop.idle_timeout_seconds` by default.', above: 0 },
  backend: BACKEND,
  runs_on: {
    kind: 'list',
    doc: 'Labels that a worker of a fleet must have to take turns of this hat, beside those of its agents. Without a fleet they mean nothing.',
    default: [],
    items: { kind: 'label', doc: 'A label, as `ralph worker --labels` says it.' },
  },
  profile: PROFILE,
  hooks: {
    ...HOOKS,
    doc: 'What is asked about every call of a tool by this hat, after those of `hooks`; `{override: true, hooks: […]}` in their place.',
  },
  permissions: {
    ...PERMISSIONS,
    doc: 'Rules about calls of tools by this hat, beside those of `permissions`; its `on_ask` counts for it.',
  },
  panel: PANEL,
  import: { kind: 'file', doc: 'A file with the keys of one hat, relative to this file; keys beside it win.' },
  sandbox: HAT_SANDBOX,
} as const satisfies Keys;

export const HOOKS_DEFAULTS_KEYS = {
  fail_closed: { kind: 'flag', doc: 'A hook that fails, or gives no answer in time, denies.', default: false },
  timeout: { kind: 'duration', doc: 'How long a hook may take, at most `1d`.', above: 0, default: 30 },
  tool_result: {
    kind: 'choice',
    doc: 'How the native agent is given what hooks say behind a result: as text under a heading, or as `system_notes` of a JSON object whose `output` is what the tool said.',
    values: ['text', 'json'],
    default: 'text',
  },
} as const satisfies Keys;

export const RALPH_KEYS = {
  backend: BACKEND,
  model: { kind: 'word', doc: "Ralph's own model." },
  args: { kind: 'list', doc: "Extra arguments of Ralph's own agent.", items: { kind: 'variable', doc: 'One argument.' } },
  instructions: { kind: 'text', doc: 'More instructions for Ralph himself.', verbatim: true },
  instructions_file: { kind: 'file', doc: 'A file with more instructions, relative to the configuration file.' },
  profile: PROFILE,
  hooks: { ...HOOKS, doc: 'The same for Ralph.' },
  permissions: { ...PERMISSIONS, doc: 'The same for Ralph.' },
} as const satisfies Keys;

export const CLI_KEYS = {
  backend: BACKEND,
  ...AGENT_KEYS,
  permissions: { ...AGENT_KEYS.permissions, default: 'bypass' },
  priority: BACKEND_PRIORITY,
  emit_tool: EMIT_TOOL,
} as const satisfies Keys;

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

const PRICE_KEYS = {
  input: { ...PRICE, doc: 'US dollars for a million input tokens.', required: true },
  output: { ...PRICE, doc: 'US dollars for a million output tokens.', required: true },
  cache_read: { ...PRICE, doc: 'US dollars for a million tokens read from the cache; `input` by default.' },
  cache_write: { ...PRICE, doc: 'US dollars for a million tokens written to the cache; `input` by default.' },
  as_of: { kind: 'word', doc: 'The day on which the price was true, such as 2026-11-21.' },
} as const satisfies Keys;

const LIMITS_KEYS = {
  watch: {
    kind: 'choice',
    doc: 'Whether quotas and rate limits are looked for of which an agent CLI says nothing in its output: in its log, else by a silence of 120 s.',
    values: ['auto', 'off'],
    default: 'auto',
  },
} as const satisfies Keys;

export const WORKTREE_KEYS = {
  link: {
    kind: 'list',
    doc: 'Files and folders that a worktree shares with the main checkout.',
    items: { kind: 'path', doc: 'A path.' },
    default: [],
  },
} as const satisfies Keys;

const EVENT_KEYS = {
  description: { kind: 'text', doc: 'What the event says, in a sentence that agents and people read.', verbatim: true },
  schema: { kind: 'schema', doc: 'JSON Schema of the payload; an event with another payload is refused.', verbatim: true },
  schema_file: { kind: 'file', doc: 'A file with that JSON Schema, as JSON or YAML, relative to the configuration file.' },
} as const satisfies Keys;

const EVENTS = {
  kind: 'map',
  doc: 'What is known of topics beyond who publishes and takes them; each written out, no patterns.',
  values: { kind: 'object', doc: 'A topic.', keys: EVENT_KEYS },
} as const satisfies MapSetting;

export const TOP_KEYS = {
  name: { kind: 'word', doc: 'What people call this collection.' },
  description: { kind: 'text', doc: 'What this collection is for.' },
  mode: {
    kind: 'choice',
    doc: '`single`: one agent, the classic loop; `multi`: the hats coordinate themselves.',
    values: ['single', 'multi'],
  },
  event_loop: { kind: 'object', doc: 'The loop: its prompt, its limits, who coordinates.', keys: EVENT_LOOP_KEYS },
  max_parallel: { kind: 'integer', doc: 'How many hats work at the same time, under `event_loop.parallel`.', min: 1, default: 4 },
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
  notify: NOTIFY,
  workspace: WORKSPACE,
  safe: SAFE,
  worktree: { kind: 'object', doc: 'Runs in a git worktree of their own.', keys: WORKTREE_KEYS },
  protect: PROTECT,
  gate_baseline: GATE_BASELINE,
  changed_tests: CHANGED_TESTS,
  profiles: PROFILES,
  permissions: PERMISSIONS,
  on_ask: ON_ASK_KEY,
  hooks: { ...HOOKS, doc: 'What is asked about every call of a tool, by event (`PreToolUse` and others).' },
  hooks_defaults: { kind: 'object', doc: 'What counts for a hook that does not say it.', keys: HOOKS_DEFAULTS_KEYS },
  mcp_servers: MCP_SERVERS,
  events: EVENTS,
  sandbox: SANDBOX,
  on_violation: ON_VIOLATION,
  external_events: EXTERNAL_EVENTS,
  human: HUMAN,
  isolation: ISOLATION,
  limits: { kind: 'object', doc: 'Quotas and rate limits of agents.', keys: LIMITS_KEYS },
  tools: TOOLS,
  providers: LATER,
  agents: LATER,
  fleet: LATER,
} as const satisfies Keys;

/** The settings table: everything that can be written in a configuration file. */
export const SETTINGS_TABLE = { kind: 'object', doc: 'A configuration of Ralph.', keys: TOP_KEYS } as const satisfies ObjectSetting;

/** A configuration as it was written, checked: what is wrong or unknown is left out. */
export type Declared = ValuesOf<typeof TOP_KEYS>;

export type DeclaredHat = ValuesOf<typeof HAT_KEYS>;

export type DeclaredPanel = NonNullable<DeclaredHat['panel']>;

/** The names of the key that says what wakes a hat; the first is ours. */
export const TRIGGER_KEYS = ['triggers', 'subscriptions', 'subscribes_to'] as const;

/** Topics and patterns that wake a hat, each once, whatever their key is called. */
export function triggersOf(hat: DeclaredHat): readonly string[] {
  const key = TRIGGER_KEYS.find((name) => hat[name] !== undefined);
  return key === undefined ? [] : [...new Set(hat[key])];
}

/** The form of a hat's id, as a regular expression. */
export const HAT_ID_PATTERN = '^[A-Za-z0-9_-]+$';

/** The longest id of a hat, in characters. */
export const MAX_HAT_ID_LENGTH = 100;

/** Ids that already mean something to the loop, or to JavaScript. */
export const RESERVED_HAT_IDS: readonly string[] = [RALPH, EXTERNAL, SYSTEM, QUALITY_GATE, ...Object.getOwnPropertyNames(Object.prototype)];

/** The names under which a configuration is looked for; the first that exists is taken. */
export const CONFIG_FILE_NAMES = ['ralph.yml', 'ralph.yaml', '.ralph/config.yml'] as const;
