import { describe, expect, it } from 'vitest';
import { loadText, settingsOf } from './config-fixtures.ts';

/** The samples of the seeds, as users write them. */
const SINGLE = `# ralph.yml - Simple single-agent loop
mode: "single"  # One hat subscribes to *, classic Ralph loop

event_loop:
  prompt_file: "PROMPT.md"
  completion_promise: "LOOP_COMPLETE"
  max_iterations: 100
  max_runtime_seconds: 14400
  max_cost_usd: 50.0              # Stop if cost exceeds this
  max_consecutive_failures: 5      # Stop after N failures in a row
  checkpoint_interval: 5           # Git commit every N iterations

cli:
  backend: "claude"

# Implicit default hat (created automatically in single mode):
# hats:
#   default:
#     subscriptions: ["*"]  # Receives all events
#     instructions: <classic ralph wiggum instructions>
`;

const MULTI = `# ralph.yml - Multi-agent with pub/sub routing
mode: "multi"

event_loop:
  prompt_file: "PROMPT.md"
  completion_promise: "LOOP_COMPLETE"
  max_iterations: 100
  max_runtime_seconds: 14400
  starting_hat: "implementer"

cli:
  backend: "claude"

hats:
  implementer:
    name: "Implementer"
    subscriptions: ["task.*", "review.done", "fix.done"]
    publishes: ["impl.done"]
    instructions: |
      You are the implementation agent.
      Focus on writing clean, tested code.

  reviewer:
    name: "Reviewer"
    subscriptions: ["impl.*"]
    publishes: ["review.done", "review.rejected"]
    instructions: |
      You are the code review agent.
      Review for bugs, style, and security.

  debugger:
    name: "Debugger"
    subscriptions: ["error.*", "review.rejected"]
    publishes: ["fix.done"]
    instructions: |
      You are the debugging specialist.
      Investigate and fix issues.
`;

const STANDARD = `hats:
  planner:
    name: "Planner"
    triggers: ["task.start", "task.resume", "build.done", "build.blocked"]
    publishes: ["build.task"]

  builder:
    name: "Builder"
    triggers: ["build.task"]
    publishes: ["build.done", "build.blocked"]
`;

const FIVE_HATS = `# config/hats.yaml
hats:
  explorer:
    profile: explorer
    triggers:
      - task.needs_exploration
    publishes:
      - exploration.complete

  planner:
    profile: planner
    triggers:
      - task.ready
      - plan.requested
    publishes:
      - plan.complete
      - implementation.ready
`;

const HOOKS = `hooks:
  PreToolUse:
    - matcher: "*"
      handler: "massgen.hooks.audit_all_tools"
      type: "python"

agents:
  - id: "agent1"
    backend:
      hooks:
        PreToolUse:
          - matcher: "Write"
`;

describe('the samples of the seeds', () => {
  it('seed 004, single-hat mode: loads without a finding', () => {
    expect(loadText(SINGLE).diagnostics).toEqual([]);
    const { spec, backends } = settingsOf(SINGLE);
    expect(spec).toMatchObject({
      mode: 'single',
      hats: null,
      promise: 'LOOP_COMPLETE',
      limits: { maxIterations: 100, maxRuntimeMs: 14_400_000, maxCostUsd: 50, maxConsecutiveFailures: 5, checkpointInterval: 5 },
    });
    expect(backends['default']).toMatchObject([{ type: 'claude' }]);
  });

  it('seed 004, multi-hat mode: loads without a finding, subscriptions and all', () => {
    expect(loadText(MULTI).diagnostics).toEqual([]);
    const { spec } = settingsOf(MULTI);
    expect(spec).toMatchObject({ mode: 'multi', startingHat: 'implementer' });
    expect(spec.hats?.map((hat) => [hat.id, hat.name, hat.triggers.length, hat.publishes.map((entry) => entry.topic)])).toEqual([
      ['implementer', 'Implementer', 3, ['impl.done']],
      ['reviewer', 'Reviewer', 1, ['review.done', 'review.rejected']],
      ['debugger', 'Debugger', 2, ['fix.done']],
    ]);
    expect(spec.hats?.[0]?.instructions).toBe('You are the implementation agent.\nFocus on writing clean, tested code.');
  });

  it('seed 001, planner and builder: loads without a finding', () => {
    expect(loadText(STANDARD).diagnostics).toEqual([]);
  });

  it('seed 000, hats with profiles: loads without a finding', () => {
    const { settings, diagnostics } = loadText(FIVE_HATS);
    expect(settings?.spec.hats).toHaveLength(2);
    expect(diagnostics).toEqual([]);
  });

  it('seed 002, hooks and agents: loads with notes only', () => {
    expect(loadText(HOOKS).diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['key-ignored', 'key-ignored']);
  });
});
