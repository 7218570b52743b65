import type { RalphEvent } from '../core/events/event.ts';
import type { Feedback } from '../core/run/feedback.ts';
import type { HatSpec, RunSpec } from '../core/run/run-spec.ts';
import { makeHat, makeSpec } from '../core/spec-fixtures.ts';
import { compileTopology, type Topology } from '../topology/routing/compile-topology.ts';
import type { MergeFacts } from './merge-task.ts';
import type { PromptOptions, PromptTurn } from './prompt-context.ts';

export const SETTINGS: PromptOptions = {
  scratchpad: '.agent/scratchpad.md',
  eventsFile: '.agent/events.jsonl',
  specsDir: './specs/',
  promptFile: null,
  guardrails: null,
  workspaceDir: '.agent/workspace/',
};

export const OBJECTIVE = 'Add a `--json` flag to the `list` command.\n\nIt prints one object a line, and the README says so.';

export function sampleSpec(changes: Partial<RunSpec> = {}): RunSpec {
  return makeSpec({ objective: OBJECTIVE, ...changes });
}

export function sampleTopology(changes: Partial<RunSpec> = {}): Topology {
  return compileTopology(sampleSpec(changes));
}

/** A builder and a reviewer under Ralph. */
export const TEAM: readonly HatSpec[] = [
  makeHat('builder', ['build.task', 'review.rejected'], ['build.done', 'build.blocked'], {
    name: 'Builder',
    description: 'Writes code and its tests.',
    instructions: 'Implement exactly what the task says.\nKeep functions short.',
    defaultPublishes: ['build.done'],
  }),
  makeHat('reviewer', ['build.done'], ['review.approved', 'review.rejected'], {
    name: 'Reviewer',
    description: 'Reads diffs; looks for bugs.',
    instructions: 'Read the diff of the last commit.\nReject with the reason, approve with what you checked.',
  }),
];

/** A planner and a builder that need no coordinator. */
export const SELF_COORDINATED: readonly HatSpec[] = [
  makeHat('planner', ['task.start', 'task.resume', 'build.done', 'build.blocked'], ['build.task'], { name: 'Planner' }),
  makeHat('builder', ['build.task'], ['build.done', 'build.blocked'], { name: 'Builder' }),
];

export function sampleEvent(topic: string, payload: RalphEvent['payload'] = '', changes: Partial<RalphEvent> = {}): RalphEvent {
  return { id: 'e7', topic, payload, source: 'system', ts: 0, iteration: 1, ...changes };
}

export function sampleTurn(hat: string, changes: Partial<PromptTurn> = {}): PromptTurn {
  return { hat, events: [], feedback: [], fallback: null, iteration: 3, maxIterations: 100, ...changes };
}

export const FAILED_GATE: Feedback = {
  kind: 'gate-failed',
  topic: 'build.done',
  results: [
    {
      gate: 0,
      command: 'npm test',
      passed: false,
      exitCode: 1,
      timedOut: false,
      durationMs: 900,
      outputTail: '1 test failed\nlist --json prints nothing\n',
    },
    { gate: 1, command: 'npm run lint', passed: true, exitCode: 0, timedOut: false, durationMs: 100, outputTail: 'clean' },
  ],
};

export const MERGE_FACTS: MergeFacts = {
  runId: '20261121-220301-k7f2a',
  task: OBJECTIVE,
  branch: 'ralph/20261121-220301-k7f2a-add-a-json-flag',
  onto: 'main',
  files: [
    { path: 'src/list.ts', what: 'changed by both', isMarked: true },
    { path: 'logo.png', what: 'changed by both', isMarked: false },
  ],
  ontoCommits: ['3f2a91c List by date', '77aa012 A new logo'],
  branchCommits: ['9b1c4d2 ralph: Add a `--json` flag to the `list` command.'],
};
