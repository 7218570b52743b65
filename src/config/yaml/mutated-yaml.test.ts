// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of configurations
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inFolder, loadSettings, tokenAt } from '../config-fixtures.ts';
import { renderSettingsYaml } from '../effective/render-settings-yaml.ts';
import { hasErrors, renderDiagnostics } from '../findings/diagnostics.ts';
import { readConfig } from '../load-config.ts';
import { YAML_PIECES } from './yaml-fixtures.ts';

/** 150 in the check, 4,000 in `npm test`; `RALPH_MUTATIONS=100000 npx vitest run --project unit src/config/mutated-yaml` for more. */
const RUNS = Number(process.env['RALPH_MUTATIONS'] ?? 150);

const BASE = `mode: multi
event_loop:
  prompt: "Build it."
  completion_promise: DONE
  max_iterations: 10
  max_cost_usd: $5
  checkpoint_interval: \${NOPE:-5}
  timeout_seconds: 1h30m
  terminal_events: [over, out]
  loop_detection: {repetition: 3, oscillation: 0}
cli: &cli
  backend: [claude, {type: codex, model: gpt}]
  args: ["--x", 5]
  env: {A: b}
core: {scratchpad: .agent/s.md, guardrails: [a, b]}
x-hat: &hat {max_activations: 3}
hats:
  planner:
    <<: *hat
    triggers: ["task.start", "task.resume", build.*]
    publishes: [build.task, {topic: note, target: builder}]
    instructions: |
      Plan.
        Indented.
  builder:
    subscriptions: [build.task]
    publishes: [plan.done]
    default_publishes: plan.done
    import: ./hat.yml
    description: "$\${A} and \${NOPE:-b}"
    backend: {command: ./agent.sh, args: [a]}
ralph: {backend: claude, model: opus}
gates:
  - {on: [task.complete], run: npm test, timeout_seconds: 60}
prices: {m: {input: 1, output: 2}}
worktree: {link: [node_modules]}
`;

const PIECES = [
  ...YAML_PIECES,
  '<<: *hat',
  '*cli',
  '&hat ',
  '__proto__: 1\n',
  '\n  __proto__: {triggers: [a], instructions: hi}\n',
  '\n  constructor: {triggers: [b], publishes: [c]}\n',
  '\n  toString: 5\n',
  '"quoted key": 1\n\'other\': 2\n10: 3\ntrue: 4\n',
];

type Edit = (text: string) => string;

const position = fc.nat({ max: BASE.length });
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ at: position, length: fc.nat({ max: 40 }) }).map(
    ({ at, length }): Edit =>
      (text) =>
        text.slice(0, at) + text.slice(at + length),
  ),
  fc.record({ at: position, piece: fc.constantFrom(...PIECES) }).map(
    ({ at, piece }): Edit =>
      (text) =>
        text.slice(0, at) + piece + text.slice(at),
  ),
  fc.record({ at: position, from: position, length: fc.nat({ max: 80 }) }).map(
    ({ at, from, length }): Edit =>
      (text) =>
        text.slice(0, at) + text.slice(from, from + length) + text.slice(at),
  ),
  fc.record({ at: position, text: fc.string({ maxLength: 8 }) }).map(
    ({ at, text: piece }): Edit =>
      (text) =>
        text.slice(0, at) + piece + text.slice(at + piece.length),
  ),
  fc.record({ line: fc.nat({ max: 35 }), by: fc.integer({ min: -4, max: 4 }) }).map(
    ({ line, by }): Edit =>
      (text) =>
        text
          .split('\n')
          .map((row, index) => (index !== line ? row : by < 0 ? row.slice(-by) : ' '.repeat(by) + row))
          .join('\n'),
  ),
);

/** What is in force can be written out and loaded again. */
function expectSameAgain(cwd: string, path: string): void {
  const text = renderSettingsYaml(readConfig({ cwd }).listEffective());
  writeFileSync(path, text);
  const again = readConfig({ cwd });
  expect(again.diagnostics.filter((entry) => entry.severity === 'error').map((entry) => entry.message)).toEqual([]);
  expect(renderSettingsYaml(again.listEffective())).toBe(text);
}

describe('a configuration with anything in it', () => {
  it('is settings or findings with places in the text, never a crash', () => {
    inFolder({ 'hat.yml': 'max_activations: 2\nname: ${NOPE:-Builder}\n' }, (cwd) => {
      const path = join(cwd, 'ralph.yml');
      fc.assert(
        fc.property(fc.array(edit, { minLength: 1, maxLength: 6 }), (edits) => {
          const text = edits.reduce((before, change) => change(before), BASE);
          writeFileSync(path, text);
          const { settings, diagnostics } = loadSettings({ cwd, flags: { prompt: 'x' } });
          expect(settings === null).toBe(hasErrors(diagnostics));
          expect(JSON.parse(JSON.stringify(settings))).toEqual(settings);
          expect(renderDiagnostics(diagnostics)).not.toMatch(/undefined|\[object|\n {4}at /);
          for (const diagnostic of diagnostics.filter((entry) => entry.file === 'ralph.yml')) {
            expect(diagnostic.line).toBeGreaterThanOrEqual(1);
            expect(diagnostic.column).toBeGreaterThanOrEqual(1);
            expect(diagnostic.endColumn).toBeGreaterThan(diagnostic.column);
            expect(tokenAt(text, diagnostic)).not.toBe('(lines)');
          }
          if (settings !== null) expectSameAgain(cwd, path);
        }),
        { numRuns: RUNS },
      );
    });
  }, 600_000);
});
