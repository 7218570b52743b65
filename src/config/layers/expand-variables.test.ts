// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are texts of configurations
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadText, settingsOf, tokenAt } from '../config-fixtures.ts';
import { substituteVariables } from './expand-variables.ts';

const ENV = { NAME: 'value', EMPTY: '', N: '7', FLAG: 'false', TOPIC: 'build.done', COST: '$5', TIME: '1h30m' };

/** The findings, each as `code token`. */
function findings(yaml: string): readonly string[] {
  return loadText(yaml, { env: ENV }).diagnostics.map((diagnostic) => `${diagnostic.code} ${tokenAt(yaml, diagnostic)}`);
}

function load(yaml: string) {
  return settingsOf(yaml, { env: ENV });
}

describe('${NAME} in a text', () => {
  const read = (name: string): string | undefined => (ENV as Readonly<Record<string, string>>)[name];
  const replace = (text: string) => substituteVariables(text, read);

  it.each([
    ['a ${NAME} b ${N}', 'a value b 7'],
    ['${NOPE:-default}', 'default'],
    ['${EMPTY:-default}', 'default'],
    ['${NAME:-default}', 'value'],
    ['${NOPE:-}', ''],
    ['${EMPTY}', ''],
    ['$${NAME}', '${NAME}'],
    ['$$$${NAME}', '$${NAME}'],
    ['$5, $NAME, a$, {NAME}', '$5, $NAME, a$, {NAME}'],
    ['$$', '$'],
  ])('%s becomes %s', (text, expected) => {
    expect(replace(text)).toMatchObject({ text: expected, faults: [] });
  });

  it.each(['${}', '${NAME', '${1A}', '${A B}', '${A-b}', '${A:-${B}}', '${A:?x}'])('%s is no reference', (text) => {
    expect(replace(text).faults.map((fault) => fault.kind)).toEqual(['malformed']);
  });

  it('never changes a text whose dollars are doubled', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('$', '{', '}', 'A', ':', '-') }), (text) => {
        expect(replace(text.replaceAll('$', '$$$$'))).toMatchObject({ text, faults: [] });
      }),
    );
  });
});

describe('${NAME} in a configuration', () => {
  it('stands for a value of the kind that the setting takes', () => {
    const { spec, strictValidation, turnLogCapBytes, backends } = load(`
event_loop:
  max_iterations: \${N}
  max_cost_usd: \${COST}
  timeout_seconds: "\${TIME}"
  strict_validation: \${FLAG}
  on_limit: \${NOPE:-stop}
core: {turn_log_mb: "\${NOPE:-1.5}"}
cli: {backend: "\${NOPE:-claude}", args: ["-\${N}", "\${NAME}"], env: {A: "\${EMPTY}", B: "\${N}"}, model: "\${N}"}
hats:
  a: {name: "Hat \${NAME}", triggers: ["\${TOPIC}", "x.\${NAME}"], publishes: [{topic: "\${TOPIC}", target: "\${NOPE:-a}"}]}
`);
    expect(spec).toMatchObject({ limits: { maxIterations: 7, maxCostUsd: 5 }, onLimit: 'stop' });
    expect(spec.ralph.timeoutMs).toBe(5_400_000);
    expect([strictValidation, turnLogCapBytes]).toEqual([false, 1_500_000]);
    expect(spec.hats?.[0]).toMatchObject({
      name: 'Hat value',
      triggers: ['build.done', 'x.value'],
      publishes: [{ topic: 'build.done', target: 'a' }],
    });
    expect(backends['ralph']).toMatchObject([{ type: 'claude', args: ['-7', 'value'], env: { A: '', B: '7' }, model: '7' }]);
  });

  it('that is nothing leaves a setting at its default', () => {
    const { spec } = load('event_loop: {max_iterations: "${EMPTY}", routing: "${NOPE:-}", starting_event: "${EMPTY}"}');
    expect(spec).toMatchObject({ limits: { maxIterations: 100 }, routing: 'exclusive', startingEvent: null });
  });

  it('is not touched in words for agents, in command lines and in what is not read', () => {
    const text = '${NOPE} $$';
    const { spec, notify, prompts } = settingsOf(
      `
event_loop: {prompt: "${text}"}
core: {guardrails: ["${text}"]}
ralph: {instructions: "${text}"}
hats: {a: {triggers: [x], instructions: "${text}"}}
gates: [{run: "${text}"}]
notify: "${text}"
x-mine: "${text}"
fleet: {a: "${text}"}
`,
      { env: ENV, flags: {} },
    );
    expect([
      spec.objective,
      spec.ralph.instructions,
      spec.hats?.[0]?.instructions,
      spec.gates[0]?.run,
      notify,
      prompts.guardrails?.[0],
    ]).toEqual(Array.from({ length: 6 }, () => text));
  });

  it('that is not set is an error at its place, and the value is left out without further findings', () => {
    expect(findings('cli: {model: "a ${NOPE} b"}')).toEqual(['variable-unset ${NOPE}']);
    expect(findings('cli:\n  model: ${NOPE}')).toEqual(['variable-unset ${NOPE}']);
    expect(findings('hats:\n  a:\n    triggers: ${NOPE}\n    publishes: [x, "${NOPE2}"]')).toEqual([
      'variable-unset ${NOPE}',
      'variable-unset ${NOPE2}',
    ]);
    expect(findings('cli: {model: "${NOPE"}')).toEqual(['variable-invalid ${NOPE']);
    expect(findings('cli: {model: "${RALPH_HAT}"}')).toEqual(['variable-reserved ${RALPH_HAT}']);
    expect(findings('cli: {model: "${__proto__}${toString}"}')).toEqual(['variable-unset ${__proto__}', 'variable-unset ${toString}']);
  });

  it('whose value the setting does not take has its finding at the reference', () => {
    expect(findings('event_loop:\n  max_iterations: ${NAME}\n')).toEqual(['number-invalid ${NAME}']);
    expect(findings('event_loop: {routing: "${NAME}"}')).toEqual(['choice-unknown "${NAME}"']);
  });

  it('in a key is text', () => {
    expect(findings('hats:\n  ${NAME}:\n    triggers: [x]\n')).toEqual(['hat-id-invalid ${NAME}']);
  });

  it('of a lower source is not looked at where a higher one says something else', () => {
    expect(loadText('cli: {model: "${NOPE}"}', { env: ENV, assignments: ['cli.model=x'] }).diagnostics).toEqual([]);
  });

  it('is quoted in findings as it is written: what it stands for may be a secret', () => {
    const env = { SECRET: 'hunter2', GLOB: 'hunter*2' };
    const yaml = `event_loop: {max_iterations: "\${SECRET}", routing: "x\${SECRET}", prompt_file: "\${SECRET}", starting_hat: "\${SECRET}"}
ralph: {instructions_file: "\${SECRET}"}
hats: {a: {triggers: "\${GLOB}", import: "./\${SECRET}.yml"}}`;
    const { diagnostics } = loadText(yaml, { env, flags: {} });
    expect(diagnostics.length).toBeGreaterThan(4);
    expect(JSON.stringify(diagnostics)).not.toContain('hunter');
    expect(diagnostics[0]?.message).toBe('`event_loop.max_iterations` is "${SECRET}", which is not a whole number of at least 1.');
  });

  it('that is missing many times in one value has findings for the first ones, each at its place', () => {
    const yaml = `name: "${Array.from({ length: 20_000 }, (_, index) => `\${A${index % 3}}`).join('')}"`;
    const { diagnostics } = loadText(yaml);
    expect(diagnostics.map((entry) => entry.column)).toEqual(Array.from({ length: 20 }, (_, index) => 8 + index * 5));
  });
});
