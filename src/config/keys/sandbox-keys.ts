import { QUESTION_LIMITS } from '../../core/run/question-limits.ts';
import type { ChoiceSetting, FlagSetting, Keys, ObjectSetting } from './setting.ts';

const MODE = {
  kind: 'choice',
  doc: 'The sandbox of the operating system: `auto` where it is there, `off`, or `required` to refuse a run without it.',
  values: ['auto', 'off', 'required'],
} as const satisfies ChoiceSetting;

/** `hats.<id>.sandbox`. */
export const HAT_SANDBOX = {
  ...MODE,
  doc: 'The sandbox of this hat; `sandbox.mode` by default. `required` also holds a hat that may write: it then writes in the workspace only.',
} as const satisfies ChoiceSetting;

export const SANDBOX_KEYS = {
  mode: { ...MODE, default: 'auto' },
  scratch: {
    kind: 'list',
    doc: 'More folders (globs) that a hat without write access may write, beside the usual ones of builds, tests and caches.',
    items: { kind: 'path', doc: 'A folder, or a glob for some.' },
    default: [],
  },
  readable: {
    kind: 'list',
    doc: 'More files and folders that an agent in the sandbox can see; homes are hidden from it.',
    items: { kind: 'file', doc: 'An absolute path, or one that begins with `~/`.' },
    default: [],
  },
  network: {
    kind: 'flag',
    doc: 'Whether an agent in the sandbox has the network; agents whose model is elsewhere need it.',
    default: true,
  },
} as const satisfies Keys;

/** `sandbox:`, also as the mode alone. */
export const SANDBOX = {
  kind: 'object',
  doc: 'What the operating system holds back of hats whose profile may not write.',
  keys: SANDBOX_KEYS,
  short: 'mode',
} as const satisfies ObjectSetting;

export const ON_VIOLATION = {
  kind: 'choice',
  doc: 'What is done about files that a hat without write access changed all the same: `report` them, or `revert` them as well.',
  values: ['report', 'revert'],
  default: 'report',
} as const satisfies ChoiceSetting;

export const EXTERNAL_EVENTS = {
  kind: 'choice',
  doc: "Who may publish to a run from outside and stop it: `open` a person (the run's token, or a terminal), `terminal` only who has a terminal, `off` nobody.",
  values: ['open', 'terminal', 'off'],
  default: 'open',
} as const satisfies ChoiceSetting;

export const HUMAN_KEYS = {
  ask: {
    kind: 'choice',
    doc: 'Whether agents ask people: `auto`, they may, and are not told to; `on`, they are told how; `off`, the default that each question states counts at once.',
    values: ['auto', 'on', 'off'],
    default: 'auto',
  },
  deadline: {
    kind: 'duration',
    doc: 'How long an answer is waited for where a question does not say it itself; then its default counts; at most `1d`.',
    above: 0,
    max: QUESTION_LIMITS.deadlineMs / 1000,
    default: 1800,
  },
} as const satisfies Keys;

export const HUMAN = {
  kind: 'object',
  doc: 'What agents ask people while they work.',
  keys: HUMAN_KEYS,
} as const satisfies ObjectSetting;

export const ISOLATION = {
  kind: 'choice',
  doc: 'A process namespace for every agent, gate and program of a tool: `auto` where the system allows it, `off`, or `required` to refuse a run without it.',
  values: ['auto', 'off', 'required'],
  default: 'auto',
} as const satisfies ChoiceSetting;

export const WORKSPACE = {
  kind: 'choice',
  doc: 'Where a run works: `in_place`, in the folder itself, or in a git `worktree` of its own on the branch `ralph/<run>-<task>`. `in_place` by default; `worktree` with `safe`.',
  values: ['in_place', 'worktree'],
} as const satisfies ChoiceSetting;

export const SAFE = {
  kind: 'flag',
  doc: 'A run in a worktree of its own whose agents and gates are held by the sandbox of the operating system, with a home of their own; where that cannot be held, no run begins.',
  default: false,
} as const satisfies FlagSetting;

const NOTIFY_KEYS = {
  command: { kind: 'command', doc: 'A command line that is run; the facts are in its environment.' },
  url: { kind: 'line', doc: 'An address, http or https, that gets each news as JSON.' },
  on: {
    kind: 'list',
    doc: 'Of what: an open question, a park, a gate that is red three times in a row, four fifths of a limit, the end; `needs_you`, `parked` and `ended` by default.',
    items: { kind: 'choice', doc: 'One of these.', values: ['needs_you', 'parked', 'gate_red', 'near_limit', 'ended'] },
    nonEmpty: true,
  },
  secret: { kind: 'word', doc: 'What the JSON is signed with (HMAC-SHA256), best from a variable.' },
} as const satisfies Keys;

/** `notify:`, also as the command alone. */
export const NOTIFY = {
  kind: 'object',
  doc: 'Who is told news of a run.',
  keys: NOTIFY_KEYS,
  short: 'command',
} as const satisfies ObjectSetting;
