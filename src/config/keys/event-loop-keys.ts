import type { Keys } from './setting.ts';

const TOPIC = { kind: 'topic', doc: 'A topic.' } as const;

export const EVENT_LOOP_KEYS = {
  prompt: { kind: 'text', doc: 'What is to be done, in words.', verbatim: true },
  prompt_file: { kind: 'file', doc: 'The file that says what is to be done, relative to the workspace.', default: 'PROMPT.md' },
  completion_promise: { kind: 'promise', doc: 'The word that ends the run.', default: 'LOOP_COMPLETE' },
  starting_event: { kind: 'topic', doc: 'The topic that begins the run instead of `task.start`.' },
  starting_hat: { kind: 'word', doc: 'The hat that gets the first event.' },
  coordinator: { kind: 'choice', doc: 'Who coordinates.', values: ['auto', 'ralph', 'hats'], default: 'auto' },
  routing: {
    kind: 'choice',
    doc: 'Whether one hat or all hats of the best match get an event.',
    values: ['exclusive', 'fanout'],
    default: 'exclusive',
  },
  parallel: {
    kind: 'flag',
    doc: 'Whether hats that wait at the same time work at the same time, each in a copy of the folder; needs `routing: fanout`.',
  },
  event_sources: {
    kind: 'list',
    doc: "Where events are read from: the events file, the agents' text.",
    items: { kind: 'choice', doc: 'A channel.', values: ['jsonl', 'text'] },
    nonEmpty: true,
    default: ['jsonl', 'text'],
  },
  terminal_events: { kind: 'list', doc: 'Topics that need no hat to take them.', items: TOPIC, default: [] },
  recovery_hat: { kind: 'word', doc: 'The hat that is called when the queue is empty.' },
  required_events: { kind: 'list', doc: 'Topics that must have been published before the run may complete.', items: TOPIC, default: [] },
  strict_validation: { kind: 'flag', doc: 'Whether findings about the flow of events stop a run from starting.', default: true },
  max_iterations: { kind: 'integer', doc: 'Turns before the run stops.', min: 1, default: 100 },
  max_runtime_seconds: { kind: 'duration', doc: 'Running time before the run stops.', above: 0, default: 14_400 },
  max_cost_usd: { kind: 'money', doc: 'Cost before the run stops, in US dollars; no limit by default.', above: 0 },
  unknown_cost: {
    kind: 'choice',
    doc: 'Whether a native agent may begin whose cost is not known, although there is a limit of cost.',
    values: ['refuse', 'allow'],
    default: 'refuse',
  },
  max_consecutive_failures: { kind: 'integer', doc: 'Failed turns in a row before the run stops.', min: 1, default: 5 },
  checkpoint_interval: { kind: 'integer', doc: 'Turns between two git commits of what the run changed; 0 for none.', min: 0, default: 5 },
  checkpoint_branch: { kind: 'word', doc: 'The branch that checkpoints go to; the current one by default.' },
  agent_commits: {
    kind: 'choice',
    doc: 'Whether agents are told to commit what is green: always, only in a worktree of the run, never.',
    values: ['always', 'own_branch', 'never'],
    default: 'always',
  },
  gates_at_once: { kind: 'integer', doc: 'How many gates run at once.', min: 1, default: 2 },
  timeout_seconds: { kind: 'duration', doc: 'Longest turn.', above: 0, default: 3600 },
  idle_timeout_seconds: { kind: 'duration', doc: 'Longest silence of an agent.', above: 0, default: 900 },
  cooldown_delay_seconds: {
    kind: 'duration',
    doc: 'Pause between two turns; none between those that run at the same time.',
    min: 0,
    default: 0,
  },
  on_limit: {
    kind: 'choice',
    doc: "What to do when an agent's usage limit is reached.",
    values: ['wait', 'switch', 'stop'],
    default: 'wait',
  },
  loop_detection: {
    kind: 'object',
    doc: 'When the same events again and again are called a loop.',
    keys: {
      repetition: { kind: 'integer', doc: 'The same event this often in a row; 0 for never.', min: 2, or: 0, default: 3 },
      oscillation: { kind: 'integer', doc: 'The same pair of events this often in a row; 0 for never.', min: 2, or: 0, default: 3 },
    },
  },
  retry: {
    kind: 'object',
    doc: 'How transient errors of an agent are tried again, with a pause that doubles.',
    keys: {
      max_attempts: { kind: 'integer', doc: 'Attempts of one turn.', min: 1, default: 6 },
      base_seconds: { kind: 'duration', doc: 'The first pause.', min: 0, default: 5 },
      max_seconds: { kind: 'duration', doc: 'The longest pause.', min: 0, default: 300 },
    },
  },
} as const satisfies Keys;
