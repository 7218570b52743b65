import { describe, expect, it } from 'vitest';
import { findingsOf, loadText, settingsOf } from '../config-fixtures.ts';

/** A line with one mistake, and the finding it must give with the text at its place. */
const MISTAKES: readonly (readonly [yaml: string, finding: string])[] = [
  ['event_loop: {max_iterations: ten}', 'error number-invalid ten'],
  ['event_loop: {max_iterations: 0}', 'error number-invalid 0'],
  ['event_loop: {max_iterations: -3}', 'error number-invalid -3'],
  ['event_loop: {max_iterations: 1.5}', 'error number-invalid 1.5'],
  ['event_loop: {max_iterations: .inf}', 'error number-invalid .inf'],
  ['event_loop: {max_iterations: 1_000}', 'error number-invalid 1_000'],
  ['event_loop: {max_iterations: [3]}', 'error type-invalid max_iterations'],
  ['event_loop: {max_iterations: true}', 'error number-invalid true'],
  ['event_loop: {max_cost_usd: free}', 'error money-invalid free'],
  ['event_loop: {max_cost_usd: 0}', 'error money-invalid 0'],
  ['event_loop: {timeout_seconds: 0}', 'error duration-invalid 0'],
  ['event_loop: {timeout_seconds: "10 x"}', 'error duration-invalid "10 x"'],
  ['event_loop: {timeout_seconds: ""}', 'error duration-invalid ""'],
  ['event_loop: {idle_timeout_seconds: -1}', 'error duration-invalid -1'],
  ['event_loop: {max_runtime_seconds: 60d}', 'error duration-invalid 60d'],
  ['event_loop: {cooldown_delay_seconds: -1s}', 'error duration-invalid -1s'],
  ['event_loop: {max_consecutive_failures: 0}', 'error number-invalid 0'],
  ['event_loop: {checkpoint_interval: -1}', 'error number-invalid -1'],
  ['event_loop: {loop_detection: {repetition: 1}}', 'error number-invalid 1'],
  ['event_loop: {retry: {max_attempts: 0}}', 'error number-invalid 0'],
  ['event_loop: {completion_promise: ""}', 'error promise-invalid ""'],
  ['event_loop: {completion_promise: "ALL DONE"}', 'error promise-invalid "ALL DONE"'],
  ['event_loop: {completion_promise: "DONE\\n"}', 'error promise-invalid "DONE\\n"'],
  ['event_loop: {coordinator: rlaph}', 'error choice-unknown rlaph'],
  ['event_loop: {routing: 1}', 'error type-invalid 1'],
  ['event_loop: {event_sources: []}', 'error type-invalid event_sources'],
  ['event_loop: {event_sources: [jsonl, xml]}', 'error choice-unknown xml'],
  ['event_loop: {starting_event: build*}', 'error topic-invalid build*'],
  ['event_loop: {starting_event: build.*}', 'error topic-invalid build.*'],
  ['event_loop: {terminal_events: [done, "a b"]}', 'error topic-invalid "a b"'],
  ['event_loop: {strict_validation: no}', 'error type-invalid no'],
  ['event_loop: {prompt: 42}', 'error type-invalid 42'],
  ['event_loop: 5', 'error type-invalid 5'],
  ['mode: duo', 'error choice-unknown duo'],
  ['hats: [a, b]', 'error type-invalid hats'],
  ['hats: {a: planner}', 'error type-invalid planner'],
  ['hats: {a: {triggers: [build*]}}', 'error topic-invalid build*'],
  ['hats: {a: {triggers: [a..b]}}', 'error topic-invalid a..b'],
  ['hats: {a: {triggers: [a, ]}, b: {triggers: [5]}}', 'error topic-invalid 5'],
  ['hats: {a: {triggers: {b: c}}}', 'error type-invalid {b: c}'],
  ['hats: {a: {triggers: [x], publishes: [{target: a}]}}', 'error key-missing {target: a}'],
  ['hats: {a: {triggers: [x], max_activations: 0}}', 'error number-invalid 0'],
  ['hats: {a: {triggers: [x], backend: claud}}', 'error backend-unknown claud'],
  ['hats: {a: {triggers: [x], backend: {type: Claude-Code}}}', 'error backend-unknown Claude-Code'],
  ['hats: {a: {triggers: [x], backend: [claude, nobody]}}', 'error backend-unknown nobody'],
  ['hats: {a: {triggers: [x], backend: []}}', 'error type-invalid backend'],
  ['hats: {a: {triggers: [x], backend: 7}}', 'error type-invalid 7'],
  ['hats: {a: {triggers: [x], panel: {}}}', 'error key-missing panel'],
  ['hats: {a: {triggers: [x], panel: 5}}', 'error type-invalid 5'],
  ['hats: {a: {triggers: [x], panel: {agents: 5}}}', 'error type-invalid 5'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b}, {backend: codex}]}}}', 'error key-missing {backend: codex}'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b, backend: [claude]}, {id: c}]}}}', 'error type-invalid backend'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b, backend: claud}, {id: c}]}}}', 'error backend-unknown claud'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b, effort: high}, {id: c}]}}}', 'error key-misplaced effort'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b, model: [opus]}, {id: c}]}}}', 'error type-invalid model'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b, profile: 5}, {id: c}]}}}', 'error profile-unknown 5'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b}, {id: c}], strategy: votes}}}', 'error choice-unknown votes'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b}, {id: c}], quorum: 0}}}', 'error number-invalid 0'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b}, {id: c}], budget_usd: 0}}}', 'error money-invalid 0'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b}, {id: c}], timeout: 0}}}', 'error duration-invalid 0'],
  ['hats: {a: {triggers: [x], panel: {agents: [{id: b}, {id: c}], timeout_seconds: 60}}}', 'error key-unknown timeout_seconds'],
  ['cli: {backend: claude, prompt_mode: pipe}', 'error choice-unknown pipe'],
  ['cli: {env: {RALPH_BIN: x}}', 'error env-reserved RALPH_BIN'],
  ['cli: {env: {"A=B": x}}', 'error env-invalid "A=B"'],
  ['cli: {args: [{a: b}]}', 'error type-invalid {a: b}'],
  ['cli: {command: "a\\0b"}', 'error type-invalid "a\\0b"'],
  ['core: {state_dir: .}', 'error path-invalid .'],
  ['core: {state_dir: ../x}', 'error path-invalid ../x'],
  ['core: {events_file: /tmp/x}', 'error path-invalid /tmp/x'],
  ['core: {scratchpad: .git/x}', 'error path-invalid .git/x'],
  ['core: {turn_log_mb: 0}', 'error number-invalid 0'],
  ['gates: [{on: a}]', 'error key-missing {on: a}'],
  ['gates: [{run: ""}]', 'error type-invalid ""'],
  ['gates: [{run: x, on: []}]', 'error type-invalid on'],
  ['gates: [npm test]', 'error type-invalid npm test'],
  ['prices: {m: {input: -1, output: 2}}', 'error number-invalid -1'],
  ['prices: {m: {input: 1}}', 'error key-missing m'],
  ['worktree: {link: [../x]}', 'error path-invalid ../x'],
  ['notify: ["say", "done"]', 'error type-invalid notify'],
  ['recovery_hat: a', 'error key-misplaced recovery_hat'],
  ['max_iteratons: 3', 'error key-unknown max_iteratons'],
  ['backend: claude', 'error key-misplaced backend'],
  ['event_loop: {hats: {}}', 'error key-misplaced hats'],
  ['event_loop: {max_iteratons: 3}', 'error key-unknown max_iteratons'],
  ['hats: {a: {triggers: [x], model: opus}}', 'error key-misplaced model'],
  ['zebra: 1', 'warning key-unknown zebra'],
  ['hats: {a: {triggers: [x], zebra: 1}}', 'warning key-unknown zebra'],
  ['fleet: [secrets]', 'note key-ignored fleet'],
  ['fleet: auto', 'note key-ignored fleet'],
];

describe('the check against the settings table', () => {
  it.each(MISTAKES)('finds what is wrong in `%s`, at its place', (yaml, finding) => {
    expect(findingsOf(yaml)).toContain(finding);
  });

  it.each(MISTAKES.filter(([, finding]) => finding.startsWith('error')))('starts no run with `%s`', (yaml) => {
    expect(loadText(yaml).settings).toBeNull();
  });

  it.each(MISTAKES.filter(([, finding]) => !finding.startsWith('error')))('starts a run with `%s`', (yaml) => {
    expect(loadText(yaml).settings).not.toBeNull();
  });

  it('says what each finding means and what to do about it', () => {
    for (const [yaml] of MISTAKES) {
      for (const { message, why, fix } of loadText(yaml).diagnostics) {
        expect(message).toMatch(/[.?]$/);
        expect(message).not.toMatch(/undefined|\[object|NaN/);
        expect(why).not.toBe('');
        expect(fix).not.toMatch(/^$|undefined|\[object/);
      }
    }
  });

  it('reports all mistakes of a file at once, in the order of the text', () => {
    const yaml = 'zebra: 1\nevent_loop:\n  max_iterations: x\n  coordinator: y\ncli:\n  backend: z\nhats:\n  a b: {}\n';
    const lines = loadText(yaml).diagnostics.map((diagnostic) => diagnostic.line);
    expect(lines).toEqual([1, 3, 4, 6, 8, 8]);
  });

  it('names the key, the topic and the backend that were meant', () => {
    const messageOf = (yaml: string) => loadText(yaml).diagnostics[0]?.message;
    expect(messageOf('hats: {a: {trigers: [x], triggers: [x]}}')).toBe('Unknown key "trigers": did you mean `triggers`?');
    expect(messageOf('cli: {backend: claude-code}')).toBe('There is no backend "claude-code": did you mean `claude`?');
    expect(messageOf('event_loop: {coordinator: hat}')).toBe('`event_loop.coordinator` cannot be "hat": did you mean `hats`?');
    expect(messageOf('recovery_hat: a')).toBe('The key `recovery_hat` belongs under `event_loop:`.');
    expect(loadText('hats: {a: {triggers: [build*]}}').diagnostics[0]?.fix).toContain('write `build.*`');
  });

  it('tells a misspelt key once: that the right one is missing is no mistake of its own', () => {
    expect(findingsOf('hats: {a: {trigers: [task.start]}}')).toEqual(['error key-unknown trigers']);
    expect(findingsOf('prices: {m: {inpt: 1, output: 1}}')).toEqual(['error key-unknown inpt']);
  });

  it('takes an empty value as one that is not there', () => {
    const settings = settingsOf('event_loop:\n  max_iterations:\n  prompt: ~\ncli:\n  env:\n    A:\ncore:\ngates:\n');
    expect(settings.spec.limits.maxIterations).toBe(100);
    expect(settings.spec.gates).toEqual([]);
  });

  it('leaves keys that begin with x- to the user', () => {
    expect(findingsOf('x-shared: &s {max_iterations: 7}\nevent_loop: *s\n')).toEqual([]);
  });

  it('takes numbers and truth values as they are written where a word is asked for', () => {
    const settings = settingsOf('cli: {backend: claude, model: 4.10, args: [--max-turns, 5, 0x1F, true], env: {N: 1.0, T: true}}');
    expect(settings.backends['ralph']).toEqual([
      { type: 'claude', model: '4.10', args: ['--max-turns', '5', '0x1F', 'true'], env: { N: '1.0', T: 'true' }, permissions: 'bypass' },
    ]);
  });
});
