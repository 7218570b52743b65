import { GATE_BASELINES } from '../../core/gates/gate-spec.ts';
import type { ChoiceSetting, Keys } from './setting.ts';

const GATE_ISOLATION = {
  kind: 'choice',
  doc: '`off` for a command that must see the other processes of the machine, or needs `sudo`; as the run by default.',
  values: ['auto', 'off'],
} as const satisfies ChoiceSetting;

export const GATE_KEYS = {
  on: {
    kind: 'list',
    doc: 'Topics and patterns that it guards.',
    items: { kind: 'pattern', doc: 'A topic or pattern.' },
    nonEmpty: true,
    default: ['task.complete'],
  },
  run: {
    kind: 'command',
    doc: "The command line that must succeed; or `tests`, `lint`, `build`, `typecheck`: what the project's files say does that.",
    required: true,
  },
  name: { kind: 'line', doc: 'What it is called; its command by default.' },
  timeout_seconds: { kind: 'duration', doc: 'Longest time it may take.', above: 0, default: 600 },
  timeout: { kind: 'duration', doc: 'Another name of `timeout_seconds`.', above: 0 },
  required: { kind: 'flag', doc: 'Whether its failure holds events back; `false` only tells it.', default: true },
  hats: { kind: 'list', doc: 'Hats whose events it guards; all by default.', items: { kind: 'word', doc: 'A hat.' }, nonEmpty: true },
  only_if: {
    kind: 'list',
    doc: 'It runs only if a file of these globs changed since the run began, or since it last passed.',
    items: { kind: 'line', doc: 'A glob of paths relative to the workspace.' },
    nonEmpty: true,
  },
  retries: { kind: 'integer', doc: 'How often a failure is tried again, for tests that fail by chance.', min: 0, default: 0 },
  serial: { kind: 'flag', doc: 'Whether it runs while no other gate does.', default: false },
  cache: { kind: 'flag', doc: 'Whether a pass counts for as long as no file changes.', default: true },
  fewer_tests: {
    kind: 'choice',
    doc: 'Whether it counts although it runs fewer tests than before the first turn: `allow` for a task that takes tests away.',
    values: ['refuse', 'allow'],
    default: 'refuse',
  },
  isolation: GATE_ISOLATION,
  runs_on: {
    kind: 'list',
    doc: 'Labels that a worker of a fleet must have to run it; without any it runs where the run is. Without a fleet they mean nothing.',
    default: [],
    items: { kind: 'label', doc: 'A label, as `ralph worker --labels` says it.' },
  },
} as const satisfies Keys;

export const GATE_BASELINE = {
  kind: 'choice',
  doc: 'Required gates are run once before the first turn; one that is red then must be green at the end, or no redder (`no_worse`). Without it only a command that Ralph found himself is.',
  values: [...GATE_BASELINES, 'off'],
} as const satisfies ChoiceSetting;

export const CHANGED_TESTS = {
  kind: 'choice',
  doc: 'Whether a completion counts although its gates would fail with the tests as they were when the run began: `allow` for a task that is to change what tests say.',
  values: ['refuse', 'allow'],
} as const satisfies ChoiceSetting;

export const PROTECT = {
  kind: 'list',
  doc: 'Files that agents must leave as they were when the run began, looked at before the end: test configuration, CI, scripts of gates.',
  items: { kind: 'path', doc: 'A glob of paths relative to the workspace.' },
} as const;
